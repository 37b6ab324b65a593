"""Dual numbers over scalar expressions: differentiation of a scalar function by running it.

A `Dual` is a value with a tangent. Scalar functions are run on duals as on any other values; the
operations of `expr` and the functions of `maths` know what they do to tangents. A tangent of zero
is None, and a value without a tangent is no dual. Duals may hold duals: each differentiation has a
level of its own, so that derivatives of derivatives come out right.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.loops import expr
from rushlight.engine.loops.expr import FLOATS, Complex, Value


class NoDerivative(RuntimeError):
    """A scalar function does something that cannot be differentiated."""


class Dual(Value):
    """A value and how it changes."""

    __slots__ = ("level", "primal", "tangent")

    def __init__(self, primal: Value, tangent: Value, level: int) -> None:
        super().__init__("dual", primal.type, ())
        self.primal = primal
        self.tangent = tangent
        self.level = level

    # What `expr` does to values of which some have tangents.
    @staticmethod
    def operation(op: str, function: Callable[..., Any], args: Sequence[Any]) -> Any:
        """One operation of expressions on duals."""
        if op in _LINEAR:
            return linear(function, args)
        if op in _FLAT:
            return flat(function, args)
        if op not in _RULES:
            raise NoDerivative(f"the operation {op} has no derivative")
        return chained(function, args, _RULES[op])

    @staticmethod
    def selection(function: Callable[..., Any], condition: Value, a: Any, b: Any) -> Any:
        """`select` or `rarely` of duals."""
        level = max(level_of(a), level_of(b))
        value = function(condition, primal_of(a, level), primal_of(b, level))
        tangents = [tangent_of(a, level), tangent_of(b, level)]
        if tangents[0] is None and tangents[1] is None:
            return value
        zero = expr.const(value.type, 0)
        first, second = (zero if t is None else t for t in tangents)
        return joined(value, expr.select(condition, first, second), level)

    def conversion(self, type: str) -> Any:
        """The dual as another type; integers do not change."""
        primal = expr.convert(self.primal, type)
        if type not in FLOATS:
            return primal
        return joined(primal, expr.convert(self.tangent, type), self.level)


def level_of(x: Any) -> int:
    """The level of a dual, the higher one of a complex's parts; 0 for anything else."""
    if isinstance(x, Complex):
        return max(level_of(x.real), level_of(x.imag))
    return x.level if isinstance(x, Dual) else 0


def primal_of(x: Any, level: int) -> Any:
    """A value without its tangent of this level."""
    if isinstance(x, Complex):
        return Complex(primal_of(x.real, level), primal_of(x.imag, level))
    return x.primal if level_of(x) == level else x


def tangent_of(x: Any, level: int) -> Any:
    """A value's tangent of this level; None for zero."""
    if isinstance(x, Complex):
        real, imag = tangent_of(x.real, level), tangent_of(x.imag, level)
        if real is None and imag is None:
            return None
        zero = expr.const(x.type, 0)
        return Complex(zero if real is None else real, zero if imag is None else imag)
    return x.tangent if level_of(x) == level else None


def joined(primal: Any, tangent: Any, level: int) -> Any:
    """A value with a tangent."""
    if tangent is None:
        return primal
    if isinstance(primal, Complex):
        tangent = expr.as_complex(tangent, primal)
        return Complex(
            Dual(primal.real, tangent.real, level), Dual(primal.imag, tangent.imag, level)
        )
    if isinstance(tangent, Complex):
        tangent = tangent.real
    return Dual(primal, tangent, level)


Rule = Callable[..., Any]


def chained(function: Callable[..., Any], args: Sequence[Any], rules: Sequence[Rule | None]) -> Any:
    """Apply a function to duals: ``rules`` give its partial derivatives, ``(result, *args)``."""
    level = max(map(level_of, args))
    primals = [primal_of(a, level) for a in args]
    value = function(*primals)
    total: Any = None
    for a, rule in zip(args, rules):
        tangent = tangent_of(a, level)
        if tangent is None or rule is None:
            continue
        term = rule(value, *primals)
        if not (isinstance(tangent, Value) and tangent.op == "const" and tangent.attr == 1):
            term = tangent * term
        total = term if total is None else total + term
    return joined(value, total, level)


def linear(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Apply a function that acts on tangents as on values."""
    level = max(map(level_of, args))
    value = function(*(primal_of(a, level) for a in args))
    tangents = [tangent_of(a, level) for a in args]
    zero = expr.const(value.type, 0)
    if any(t is not None for t in tangents):
        return joined(value, function(*(zero if t is None else t for t in tangents)), level)
    return value


def flat(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Apply a function whose result does not change with its arguments."""
    level = max(map(level_of, args))
    return function(*(primal_of(a, level) for a in args))


def _sign(x: Value) -> Value:
    one = expr.const(x.type, 1)
    return expr.select(x > 0, one, expr.select(x < 0, -one, one * 0))


# The partial derivatives of the operations of expressions.
_RULES: dict[str, tuple[Rule | None, ...]] = {
    "mul": (lambda y, a, b: b, lambda y, a, b: a),
    "div": (lambda y, a, b: 1 / b, lambda y, a, b: -y / b),
    "ratio": (lambda y, a, b: expr.ratio(1, b), lambda y, a, b: -expr.ratio(y, b)),
    "rem": (lambda y, a, b: expr.const(a.type, 1), lambda y, a, b: -expr.trunc(a / b)),
    "sqrt": (lambda y, x: 0.5 / y,),
    "abs": (lambda y, x: _sign(x),),
    "copysign": (lambda y, x, s: _sign(x) * expr.copysign(expr.const(s.type, 1), s), None),
    "minimum": (
        lambda y, a, b: expr.select(a < b, expr.const(a.type, 1), expr.const(a.type, 0)),
        lambda y, a, b: expr.select(a < b, expr.const(a.type, 0), expr.const(a.type, 1)),
    ),
    "maximum": (
        lambda y, a, b: expr.select(a > b, expr.const(a.type, 1), expr.const(a.type, 0)),
        lambda y, a, b: expr.select(a > b, expr.const(a.type, 0), expr.const(a.type, 1)),
    ),
}
_LINEAR = {"add", "sub", "neg"}
_FLAT = {"floor", "ceil", "trunc", "rint", "lt", "le", "gt", "ge", "eq", "ne", "clz"}


# The partial derivatives of the functions of `maths`, which tells them once something is differentiated.
FUNCTION_RULES: dict[str, dict[str, Any]] = {"real": {}, "complex": {}}


def elementary(function: Callable[..., Any]) -> Callable[..., Any]:
    """A mathematical function that is differentiated as a whole, by the rules in `derivatives`."""
    kind = "complex" if function.__module__.endswith("complex_functions") else "real"

    @functools.wraps(function)
    def lifted(*args: Any, **options: Any) -> Any:
        if not any(level_of(a) for a in args):
            return function(*args, **options)
        rules = FUNCTION_RULES[kind].get(function.__name__)
        if rules is None:
            raise NoDerivative(f"no derivative of {function.__name__} is known")
        return chained(functools.partial(lifted, **options), args, rules)

    return lifted
