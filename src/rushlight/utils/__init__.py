"""Tools around tensors."""

import importlib
from types import ModuleType

_MODULES = ("checkpoint", "data", "dlpack", "hooks")


def __getattr__(name: str) -> ModuleType:
    """A module below this one, imported when it is asked for."""
    if name in _MODULES:
        return importlib.import_module(f"rushlight.utils.{name}")
    raise AttributeError(f"module 'rushlight.utils' has no attribute '{name}'")
