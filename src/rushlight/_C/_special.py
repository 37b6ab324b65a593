"""The functions of `special` under the names that they have in PyTorch's compiled part."""

from __future__ import annotations

from typing import Any

import rushlight

_PREFIX = "special_"


def __getattr__(name: str) -> Any:
    """A function, found by its operator's name."""
    if name.startswith(_PREFIX) and hasattr(rushlight.special, name[len(_PREFIX) :]):
        return getattr(rushlight.special, name[len(_PREFIX) :])
    raise AttributeError(f"module 'rushlight._C._special' has no attribute '{name}'")
