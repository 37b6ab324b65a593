"""Scalar functions that the formulas of pointwise operators call."""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.loops import expr, maths
from rushlight.engine.loops.expr import Complex
from rushlight.engine.loops.maths import hypot

LOG_2 = math.log(2)
DEGREE = math.pi / 180


def truncated_quotient(x: Any, y: Any) -> Any:
    """The whole part of a quotient."""
    return expr.trunc(x / y)


def floor_quotient(x: Any, y: Any) -> Any:
    """The largest whole number that is not above a quotient."""
    return maths.floor_divide(x, y)


def elu_slope(grad: Any, alpha: Any, scale: Any, input_scale: Any, is_result: bool, x: Any) -> Any:
    """A gradient times the slope of the exponential unit at ``x``, or where it gives ``x``."""
    height = alpha * scale
    below = x + height if is_result else maths.exp(x * input_scale) * height
    return expr.select(x > 0, grad * scale, grad * below * input_scale)


def elu_curve(
    grad: Any, first: Any, alpha: Any, scale: Any, input_scale: Any, is_result: bool, x: Any
) -> Any:
    """How that slope, taken times ``first``, changes with ``x``: not at all from zero on."""
    change = grad * first * input_scale
    if not is_result:
        change = change * input_scale * maths.exp(x * input_scale) * (alpha * scale)
    return expr.select(x < 0, change, x * 0)


def abs_gradient(grad: Any, x: Any) -> Any:
    """In the direction away from zero; at zero, nowhere."""
    if not isinstance(x, Complex):
        one = expr.const(x.type, 1)
        return grad * expr.select(x > 0, one, expr.select(x < 0, -one, one * 0))
    size = hypot(x.real, x.imag)
    zero = size == 0
    scale = _real(grad) / expr.select(zero, expr.const(size.type, 1), size)
    return _elsewhere(zero, Complex(x.real * scale, x.imag * scale))


def angle_gradient(grad: Any, x: Any) -> Any:
    """Across the direction away from zero; the angle of a real number does not change."""
    if not isinstance(x, Complex):
        return expr.const(grad.type, 0)
    square = x.real * x.real + x.imag * x.imag
    zero = square == 0
    scale = _real(grad) / expr.select(zero, expr.const(square.type, 1), square)
    return _elsewhere(zero, Complex(-x.imag * scale, x.real * scale))


def _elsewhere(zero: Any, x: Any) -> Any:
    """A complex number, but zero that does not change where a condition holds."""
    nothing = expr.const(x.real.type, 0)
    return Complex(expr.select(zero, nothing, x.real), expr.select(zero, nothing, x.imag))


def _real(x: Any) -> Any:
    return x.real if isinstance(x, Complex) else x


def is_inside(x: Any, low: Any, high: Any) -> Any:
    """Whether a number keeps within limits, of which one may be missing."""
    if low is None or high is None:
        return x <= high if low is None else x >= low
    return (x >= low) & (x <= high)


def is_low(x: Any, low: Any, high: Any) -> Any:
    """Whether the lower limit decides."""
    return x < low if high is None else (x < low) & (low < high)


def is_high(x: Any, low: Any, high: Any) -> Any:
    """Whether the upper limit decides, which wins over a lower limit above it."""
    return x > high if low is None else (x > high) | (high < low)


def logit_gradient(grad: Any, x: Any, eps: Any) -> Any:
    """Beyond the limits: nothing where the argument was clamped to them, no number elsewhere."""
    low = 0 if eps is None else eps
    outside = expr.const(x.type, math.nan if eps is None else 0)
    return expr.select((x >= low) & (x <= 1 - low), grad / (x * (1 - x)), outside)
