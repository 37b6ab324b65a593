"""Numbers that may be symbolic: functions that work on plain and symbolic ones alike.

`SymInt` is the integer of a trace (`engine.core.symbolic`), `SymFloat` and `SymBool` are what follows from
such integers where the trace defers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import symbolic
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.native.numpy_later import is_a

__all__ = [
    "SymBool",
    "SymFloat",
    "SymInt",
    "sym_constrain_range",
    "sym_constrain_range_for_size",
    "sym_float",
    "sym_fresh_size",
    "sym_int",
    "sym_ite",
    "sym_max",
    "sym_min",
    "sym_not",
    "sym_sqrt",
    "sym_sum",
]

_REAL = (int, float, SymInt, SymFloat)
_MOST = (1 << 63) - 1


def _numbers(a: Any, b: Any) -> bool:
    """Whether one of two real numbers is a float."""
    for x in (a, b):
        is_real = isinstance(x, _REAL) or is_a(x, "integer", "floating")
        assert is_real, f"expected one of {_REAL} or a number of numpy's, got {type(x)}"
    return any(isinstance(x, (float, SymFloat)) or is_a(x, "floating") for x in (a, b))


def sym_max(a: Any, b: Any) -> Any:
    """The larger number; a float if one of them is."""
    return float(max(a, b)) if _numbers(a, b) else symbolic.maximum(a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The smaller number; a float if one of them is."""
    return float(min(a, b)) if _numbers(a, b) else symbolic.minimum(a, b)


def sym_int(a: Any) -> Any:
    """A number without its fraction."""
    if isinstance(a, SymFloat):
        return math.trunc(a)
    return a if isinstance(a, SymInt) else int(a)


def sym_float(a: Any) -> Any:
    """A number as a float."""
    return symbolic.as_float(a)


def sym_not(a: Any) -> Any:
    """The opposite of a truth value."""
    return ~a if isinstance(a, SymBool) else not a


def sym_ite(b: bool | SymBool, t: Any, f: Any) -> Any:
    """``t`` if ``b`` holds, otherwise ``f``."""
    assert isinstance(b, (bool, SymBool)), f"expected SymBool or bool, got {type(b)}"
    assert type(t) is type(f), f"type mismatch: {type(t)} vs {type(f)}"
    return t if b else f


def sym_sqrt(a: Any) -> Any:
    """The square root."""
    found = symbolic.as_float(a)
    return found.sqrt() if isinstance(found, SymFloat) else math.sqrt(found)


def sym_sum(args: Sequence[Any]) -> Any:
    """The sum of several numbers."""
    return sum(args)


def sym_fresh_size(expr: Any) -> Any:
    """The size that an expression stands for."""
    return expr


def sym_constrain_range(size: Any, *, min: int | None = None, max: int | None = None) -> None:
    """Check that a size lies in a range; that of a symbolic one becomes a guard."""
    least, most = -_MOST - 1 if min is None else min, _MOST if max is None else max
    if not least <= size <= most:
        raise RuntimeError(f"Invalid value range for {size} between [{least}, {most}].")


def sym_constrain_range_for_size(
    size: Any, *, min: int | None = None, max: int | None = None
) -> None:
    """`sym_constrain_range` for what becomes the size of a tensor."""
    sym_constrain_range(size, min=min or 0, max=max)
