"""The values of default arguments that schemas write as names."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from rushlight.engine.dispatch.schema import Argument, Constant

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


def python_default(argument: Argument) -> tuple[Any, str]:
    """The value of a default and how messages write it."""
    value = argument.default
    if isinstance(value, Constant):
        spelled = "at::Reduction::Mean" if value == "Mean" else str(value)
        return getattr(sys.modules[__name__], value), spelled
    text = argument.default_text or ""
    of_type = argument.type.required
    if of_type.kind == "list" and isinstance(value, (int, float)) and of_type.size:
        return (value,) * of_type.size, text
    if isinstance(value, str):
        return value, f'"{value}"'
    return value, text.replace("[", "{").replace("]", "}")
