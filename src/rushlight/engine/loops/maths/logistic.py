"""Sums and ratios of exponentials, kept from overflow: softplus, logaddexp and their kin."""

from __future__ import annotations

import math

from rushlight.engine.loops.expr import Value, const, isnan, select
from rushlight.engine.loops.maths.exponential import exp, exp2
from rushlight.engine.loops.maths.logarithm import log, log1p


def softplus(x: Value) -> Value:
    """log(1 + exp(x))."""
    return select(x > 0, x, const(x.type, 0)) + log1p(exp(-abs(x)))


def log_sigmoid(x: Value) -> Value:
    """log(sigmoid(x))."""
    return select(x < 0, x, const(x.type, 0)) - log1p(exp(-abs(x)))


def logaddexp(x: Value, y: Value) -> Value:
    """log(exp(x) + exp(y))."""
    return _log_of_sum(x, y, log1p(exp(-abs(x - y))))


def logaddexp2(x: Value, y: Value) -> Value:
    """log2(2^x + 2^y)."""
    return _log_of_sum(x, y, log1p(exp2(-abs(x - y))) * (1 / math.log(2)))


def _log_of_sum(x: Value, y: Value, correction: Value) -> Value:
    larger = select(x > y, x, y)
    result = select((x == y) & (abs(x) == math.inf), x, larger + correction)
    return select(isnan(x) | isnan(y), x + y, result)


def logit(x: Value) -> Value:
    """log(x / (1 - x))."""
    # around 1/2 the ratio is near one: log1p of what it exceeds one by
    middle = log1p((x - (1 - x)) / (1 - x))
    return select((x > 0.25) & (x < 0.75), middle, log(x / (1 - x)))
