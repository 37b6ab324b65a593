"""The values of default arguments that schemas write as names."""

from __future__ import annotations

import importlib
from typing import Any

Mean = 1
Sum = 2


class Required:
    """Stands for an argument that must be given; an operator that gets it says which."""

    def __repr__(self) -> str:
        return "<required>"


REQUIRED = Required()
# Schema name -> (module, attribute) of the core.
ELSEWHERE = {
    "contiguous_format": ("layout", "contiguous_format"),
    "preserve_format": ("layout", "preserve_format"),
    "long": ("dtype", "int64"),
    "strided": ("layout", "strided"),
}


def __getattr__(name: str) -> Any:
    if name not in ELSEWHERE:
        raise AttributeError(f"no schema constant is called {name!r}")
    module, attribute = ELSEWHERE[name]
    value = getattr(importlib.import_module(f"rushlight.engine.core.{module}"), attribute)
    globals()[name] = value
    return value
