"""The functions of `fft` under the names that they have in PyTorch's compiled part."""

from __future__ import annotations

from typing import Any

import rushlight

_PREFIX = "fft_"


def __getattr__(name: str) -> Any:
    """A function, found by its operator's name."""
    if name.startswith(_PREFIX) and hasattr(rushlight.fft, name[len(_PREFIX) :]):
        return getattr(rushlight.fft, name[len(_PREFIX) :])
    raise AttributeError(f"module 'rushlight._C._fft' has no attribute '{name}'")
