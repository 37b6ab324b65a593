"""Other arithmetic."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["nn", "quantization"]


def __getattr__(name: str) -> ModuleType:
    """A module below this one, imported when it is asked for."""
    if name in __all__:
        return importlib.import_module(f"rushlight.ao.{name}")
    raise AttributeError(f"module 'rushlight.ao' has no attribute '{name}'")
