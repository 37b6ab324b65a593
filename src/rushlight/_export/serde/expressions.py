"""Symbolic numbers as texts that say how they are put together, such as `Mul(Integer(2), Symbol('s0'))`."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

from rushlight.engine.core import expressions, symbolic
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.fx.experimental.symbolic_shapes import ShapeEnv

__all__ = ["read", "written"]

_OPERATIONS = {
    expressions.FLOORDIV: "FloorDiv", expressions.MOD: "Mod", expressions.MIN: "Min",
    expressions.MAX: "Max",
}  # fmt: skip
_RELATIONS = {
    expressions.EQUAL: "Equality", expressions.DIFFERENT: "Unequality",
    expressions.LESS: "StrictLessThan", expressions.AT_MOST: "LessThan", "and": "And", "or": "Or",
    "not": "Not",
}  # fmt: skip


def written(value: Any) -> str:
    """The text of a symbolic or plain number."""
    if isinstance(value, SymInt):
        trace: Any = value.trace
        return _form(trace, trace.simplest(trace.form(value)))
    if isinstance(value, SymBool):
        return f"{_RELATIONS[value.operation]}({', '.join(map(written, value.operands))})"
    if isinstance(value, SymFloat):
        if not value.operands:
            return f"Symbol({str(value)!r})"
        if value.function is float:
            return f"ToFloat({written(value.operands[0])})"
        raise ValueError(f"{value} has no text that could be read again")
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"Integer({value})" if isinstance(value, int) else f"Float({str(value)!r})"


def _form(trace: Any, form: Any) -> str:
    terms = [_term(trace, monomial, factor) for monomial, factor in form]
    if not terms:
        return "Integer(0)"
    return terms[0] if len(terms) == 1 else f"Add({', '.join(terms)})"


def _term(trace: Any, monomial: tuple[int, ...], factor: int) -> str:
    parts = [_atom(trace, a) for a in monomial]
    if factor != 1 or not parts:
        parts.insert(0, f"Integer({factor})")
    return parts[0] if len(parts) == 1 else f"Mul({', '.join(parts)})"


def _atom(trace: Any, place: int) -> str:
    name = trace.names.get(place)
    if name is not None:
        kind = "positive=True, integer=True" if name.startswith("s") else "integer=True"
        return f"Symbol({name!r}, {kind})"
    operation, *places = trace.nodes[place]
    if operation not in _OPERATIONS:
        raise ValueError("a symbol without a name has no text that could be read again")
    sides = [_form(trace, trace.simplest(trace.forms[p])) for p in places]
    called = _OPERATIONS[operation]
    if operation == expressions.MOD and not all(
        expressions.is_natural(trace.nodes, p) for p in places
    ):
        called = "PythonMod"
    return f"{called}({', '.join(sides)})"


def _reduced(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *values: functools.reduce(function, values)


_FUNCTIONS: dict[str, Any] = {
    "Integer": int, "Float": lambda text, **_: float(text), "Rational": operator.truediv,
    "Add": _reduced(operator.add), "Mul": _reduced(operator.mul), "Pow": operator.pow,
    "PowByNatural": operator.pow, "FloorDiv": operator.floordiv, "CleanDiv": operator.floordiv,
    "Mod": operator.mod, "PythonMod": operator.mod, "ModularIndexing": lambda x, a, b: x // a % b,
    "Min": _reduced(symbolic.minimum), "Max": _reduced(symbolic.maximum),
    "IntTrueDiv": operator.truediv, "FloatTrueDiv": operator.truediv, "ToFloat": float,
    "Equality": operator.eq, "Unequality": operator.ne, "StrictLessThan": operator.lt,
    "LessThan": operator.le, "StrictGreaterThan": operator.gt, "GreaterThan": operator.ge,
    "And": _reduced(operator.and_), "Or": _reduced(operator.or_),
    "Not": lambda x: not x if isinstance(x, bool) else _not(x), "true": True, "false": False,
    "Identity": lambda x: x, "inf": math.inf,
}  # fmt: skip


def _not(x: Any) -> Any:
    import rushlight

    return rushlight.sym_not(x)


def read(text: str, env: ShapeEnv, symbol: Callable[[str], Any]) -> Any:
    """The number that a text means.

    Args:
        text: as `written` makes it
        env: has the symbols
        symbol: finds a symbol by name, or makes it
    """
    names = {**_FUNCTIONS, "Symbol": lambda name, **_: symbol(name), "__builtins__": {}}
    return eval(text, names)
