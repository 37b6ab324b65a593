"""Derivatives of scalar functions, found by running them on dual numbers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.loops import expr
from rushlight.engine.loops.dual import FUNCTION_RULES, Dual, level_of, tangent_of
from rushlight.engine.loops.expr import Complex, Value
from rushlight.engine.loops.maths import derivatives

_levels = itertools.count(1)
FUNCTION_RULES.update(real=derivatives.REAL, complex=derivatives.COMPLEX)


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
