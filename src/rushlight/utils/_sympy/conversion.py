"""Symbolic numbers as expressions of sympy, and back."""

from __future__ import annotations

from typing import Any

import sympy  # type: ignore[import-untyped]

from rushlight._export.serde import expressions
from rushlight.utils._sympy import functions

__all__ = ["as_sympy", "from_sympy"]

_NAMES = {
    "FloorDiv": functions.FloorDiv,
    "Mod": functions.Mod,
    "PythonMod": functions.PythonMod,
    "ToFloat": lambda x: x,
}


def as_sympy(value: Any) -> Any:
    """The expression of a symbolic or plain number."""
    return eval(expressions.written(value), {**vars(sympy), **_NAMES})


def from_sympy(expression: Any, env: Any) -> Any:
    """The number that an expression means.

    Args:
        expression: of sympy
        env: has its symbols
    """
    return expressions.read(sympy.srepr(expression), env, env.of_name)
