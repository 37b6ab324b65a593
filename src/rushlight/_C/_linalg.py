"""The functions of `linalg` under the names that they have in PyTorch's compiled part."""

from __future__ import annotations

from typing import Any

import rushlight

_PREFIX = "linalg_"


def __getattr__(name: str) -> Any:
    """A function, found by its operator's name."""
    if name.startswith(_PREFIX) and hasattr(rushlight.linalg, name[len(_PREFIX) :]):
        return getattr(rushlight.linalg, name[len(_PREFIX) :])
    raise AttributeError(f"module 'rushlight._C._linalg' has no attribute '{name}'")
