"""Sums and ratios of exponentials, kept from overflow: softplus, logaddexp and their kin.

They are within three units in the last place.
"""

from __future__ import annotations

import math

from rushlight.engine.loops.dual import elementary
from rushlight.engine.loops.expr import Value, const, fma, isnan, select
from rushlight.engine.loops.maths.doubled import polynomial
from rushlight.engine.loops.maths.exponential import exp, exp2
from rushlight.engine.loops.maths.logarithm import log, log1p

# Terms of the series below that count.
TERMS = {"f32": 8, "f64": 18}


def _log1p_of_part(y: Value) -> Value:
    """log(1 + y) for y from 0 to 1: twice the inverse hyperbolic tangent of y / (2 + y)."""
    t = y / (y + 2)
    square = t * t
    rest = polynomial(square, [1 / (2 * k + 1) for k in range(1, TERMS[y.type])])
    return fma(t * square, rest, t) * 2


@elementary
def softplus(x: Value) -> Value:
    """log(1 + exp(x))."""
    return select(x > 0, x, const(x.type, 0)) + _log1p_of_part(exp(-abs(x)))


@elementary
def log_sigmoid(x: Value) -> Value:
    """log(sigmoid(x))."""
    return select(x < 0, x, const(x.type, 0)) - _log1p_of_part(exp(-abs(x)))


@elementary
def logaddexp(x: Value, y: Value) -> Value:
    """log(exp(x) + exp(y))."""
    return _log_of_sum(x, y, _log1p_of_part(exp(-abs(x - y))))


@elementary
def logaddexp2(x: Value, y: Value) -> Value:
    """log2(2^x + 2^y)."""
    return _log_of_sum(x, y, _log1p_of_part(exp2(-abs(x - y))) * (1 / math.log(2)))


def _log_of_sum(x: Value, y: Value, correction: Value) -> Value:
    larger = select(x > y, x, y)
    result = select((x == y) & (abs(x) == math.inf), x, larger + correction)
    return select(isnan(x) | isnan(y), x + y, result)


@elementary
def logit(x: Value) -> Value:
    """log(x / (1 - x))."""
    # around 1/2 the ratio is near one: log1p of what it exceeds one by
    middle = log1p((x - (1 - x)) / (1 - x))
    return select((x > 0.25) & (x < 0.75), middle, log(x / (1 - x)))
