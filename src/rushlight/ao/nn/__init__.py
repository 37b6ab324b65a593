"""Layers of other arithmetic."""

import importlib
from types import ModuleType

__all__ = ["intrinsic", "qat", "quantized"]


def __getattr__(name: str) -> ModuleType:
    """A module below this one, imported when it is asked for."""
    if name in __all__:
        return importlib.import_module(f"rushlight.ao.nn.{name}")
    raise AttributeError(f"module 'rushlight.ao.nn' has no attribute '{name}'")
