"""Building blocks of networks."""

import importlib
from typing import Any

from rushlight.nn import functional

__all__ = ["functional"]

_MODULES = (
    "attention", "common_types", "grad", "init", "modules", "parallel", "parameter", "utils",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """Modules and their classes come with the first look at one of them."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _MODULES:
        return importlib.import_module(f"rushlight.nn.{name}")
    for where in ("parameter", "modules", "parallel"):
        found = getattr(importlib.import_module(f"rushlight.nn.{where}"), name, None)
        if found is not None:
            globals()[name] = found
            return found
    raise AttributeError(f"module 'rushlight.nn' has no attribute '{name}'")
