"""Dual numbers over scalar expressions: differentiation of a scalar function by running it.

A `Dual` is a value with a tangent. Scalar functions are run on duals as on any other values; the
operations of `expr` and the functions of `maths` know what they do to tangents. A tangent of zero
is None, and a value without a tangent is no dual. Duals may hold duals: each differentiation has a
level of its own, so that derivatives of derivatives come out right.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.loops import expr
from rushlight.engine.loops.expr import FLOATS, Complex, Value

_levels = itertools.count(1)


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


def operation(op: str, function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """One operation of expressions on duals."""
    if op in _LINEAR:
        return linear(function, args)
    if op in _FLAT:
        return flat(function, args)
    if op not in _RULES:
        raise NoDerivative(f"the operation {op} has no derivative")
    return chained(function, args, _RULES[op])


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


def conversion(x: Dual, type: str) -> Any:
    """A dual as another type; integers do not change."""
    primal = expr.convert(x.primal, type)
    if type not in FLOATS:
        return primal
    return joined(primal, expr.convert(x.tangent, type), x.level)


def elementary(function: Callable[..., Any]) -> Callable[..., Any]:
    """A mathematical function that is differentiated as a whole, by the rules in `derivatives`."""
    kind = "complex" if function.__module__.endswith("complex_functions") else "real"

    @functools.wraps(function)
    def lifted(*args: Any, **options: Any) -> Any:
        if not any(level_of(a) for a in args):
            return function(*args, **options)
        from rushlight.engine.loops.maths.derivatives import RULES

        rules = RULES[kind].get(function.__name__)
        if rules is None:
            raise NoDerivative(f"no derivative of {function.__name__} is known")
        return chained(functools.partial(lifted, **options), args, rules)

    return lifted


# -- derivatives of scalar functions --


def seeded(x: Any, direction: complex, level: int) -> Any:
    """A value that changes in a direction of the complex plane."""
    if isinstance(x, Complex):
        real, imag = expr.const(x.type, direction.real), expr.const(x.type, direction.imag)
        return Complex(Dual(x.real, real, level), Dual(x.imag, imag, level))
    return Dual(x, expr.const(x.type, direction.real), level)


def partial(body: Callable[..., Any], place: int, args: Sequence[Any], direction: complex) -> Any:
    """The derivative of a scalar function by one argument; None for zero."""
    level = next(_levels)
    given = list(args)
    given[place] = seeded(given[place], direction, level)
    result = body(*given)
    return tangent_of(result, level) if level_of(result) == level else None


def pullback(body: Callable[..., Any], place: int, grad: Any, args: Sequence[Any]) -> Any:
    """What a gradient of the function's result means for one argument.

    A complex number counts as two real ones, so the function need not be holomorphic.
    """
    real = _along(grad, partial(body, place, args, 1))
    if not isinstance(args[place], Complex):
        return real
    return Complex(real, _along(grad, partial(body, place, args, 1j)))


def _along(grad: Any, change: Any) -> Value:
    zero: Value = grad.real * 0 if isinstance(grad, Complex) else grad * 0
    if change is None:
        return expr.const(zero.type, 0)
    if isinstance(grad, Complex):
        change = expr.as_complex(change, grad)
        return _share(grad.real, change.real) + _share(grad.imag, change.imag)
    return _share(grad, change.real if isinstance(change, Complex) else change)


def _share(grad: Any, change: Any) -> Any:
    """A gradient times a change; where the change is chosen to be zero, zero for any gradient."""
    if isinstance(change, Complex):
        return grad * change
    if change.op == "select":
        condition, a, b = change.args
        if _is_zero(a) or _is_zero(b):
            return expr.select(condition, _share(grad, a), _share(grad, b))
    return change if _is_zero(change) else grad * change


def _is_zero(x: Value) -> bool:
    return x.op == "const" and x.attr == 0
