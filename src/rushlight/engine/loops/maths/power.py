"""pow, roots and hypot."""

from __future__ import annotations

import math

from rushlight.engine.loops.casts import power_of_two
from rushlight.engine.loops.dual import elementary
from rushlight.engine.loops.expr import (
    BITS,
    SIGNED,
    Value,
    bitcast,
    const,
    convert,
    copysign,
    fma,
    isnan,
    select,
    sqrt,
    trunc,
)
from rushlight.engine.loops.maths.doubled import fast_two_sum, two_product
from rushlight.engine.loops.maths.exponential import exp_of_pair, exp_quick
from rushlight.engine.loops.maths.logarithm import log_pair, log_quick, special


@elementary
def pow(x: Value, y: Value) -> Value:
    """``x`` to the ``y``, with C's special cases."""
    a = abs(x)
    if x.type == "f32":
        log = special(convert(a, "f64"), log_quick(convert(a, "f64")))
        size = convert(exp_quick(convert(y, "f64") * log), "f32")
    else:
        high, low = log_pair(a)
        high = special(a, high)
        product = y * high
        low = fma(y, low, fma(y, high, -product))
        size = exp_of_pair((product, low))
    whole = trunc(y) == y
    half = y * 0.5
    odd = whole & (trunc(half) != half)
    size = select(odd & (copysign(1, x) < 0), -size, size)
    bad = (x < 0) & ~whole & (a < math.inf)
    size = select(bad, const(x.type, math.nan), size)
    # 1 to any power, and -1 to an infinite one; the logarithm's zero times infinity is NaN
    unit = (x == 1) | ((x == -1) & (abs(y) == math.inf))
    return select(unit | (y == 0), const(x.type, 1), size)


def integer_power(x: Value, y: Value) -> Value:
    """``x`` to the ``y`` in wrapping integers; a negative power truncates towards zero."""
    result, base, rest = const(x.type, 1), x, y
    bits = BITS[y.type] - (1 if y.type in SIGNED else 0)
    for i in range(bits):
        result = select((rest & 1) != 0, result * base, result)
        if i + 1 < bits:
            base, rest = base * base, rest >> 1
    if y.type not in SIGNED:
        return result
    odd = (y & 1) != 0
    unit = select((x == -1) & odd, const(x.type, -1), const(x.type, 1))
    is_unit = (x == 1) | (x == -1)
    return select(y < 0, select(is_unit, unit, const(x.type, 0)), result)


@elementary
def rsqrt(x: Value) -> Value:
    return 1 / sqrt(x)


@elementary
def hypot(x: Value, y: Value) -> Value:
    """sqrt(x^2 + y^2) without overflow; infinite if either is, even beside NaN."""
    if x.type == "f32":
        a, b = convert(x, "f64"), convert(y, "f64")
        result = convert(sqrt(fma(a, a, b * b)), "f32")
    else:
        result = _hypot_f64(abs(x), abs(y))
    infinite = (abs(x) == math.inf) | (abs(y) == math.inf)
    return select(infinite, const(x.type, math.inf), result)


def _hypot_f64(x: Value, y: Value) -> Value:
    swap = x < y
    a, b = select(swap, y, x), select(swap, x, y)
    # a scaled to [1, 2): 2^-exponent in two halves, since it may be subnormal
    exponent = ((bitcast(a, "i64") >> 52) & 0x7FF) - 1023
    half = exponent >> 1
    down, down2 = power_of_two(-half), power_of_two(half - exponent)
    a, b = (a * down) * down2, (b * down) * down2
    high, low = two_product(a, a)
    square, square_low = two_product(b, b)
    high, carry = fast_two_sum(high, square)
    low = low + (carry + square_low)
    root = sqrt(high)
    # the rounding of the root, corrected once
    rest = fma(-root, root, high) + low
    root = root + select(root > 0, rest / (root + root), const("f64", 0))
    root = (root * power_of_two(half)) * power_of_two(exponent - half)
    return select(isnan(x) | isnan(y), x + y, root)


@elementary
def cbrt(x: Value) -> Value:
    """The real cube root: a guess from the exponent, then Halley's iteration in f64."""
    a = abs(convert(x, "f64"))
    # away from both ends, where the cube of the root would be inexact or overflow
    small, large = a < 2.0**-500, a > 2.0**500
    one = const("f64", 1)
    a = a * select(small, const("f64", 2.0**600), select(large, const("f64", 2.0**-600), one))
    bits = convert(bitcast(a, "i64"), "f64") * (1 / 3)
    t = bitcast(convert(bits, "i64") + 0x2A9F7893782DA1CE, "f64")
    for _ in range(3):
        cube = t * t * t
        t = t * fma(cube, 1, a + a) / fma(cube, 2, a)
    # one Newton step with the residual exact
    square, square_low = two_product(t, t)
    cube, cube_low = two_product(square, t)
    rest = (cube - a) + (cube_low + square_low * t)
    t = t - rest / (square * 3)
    t = t * select(small, const("f64", 2.0**-200), select(large, const("f64", 2.0**200), one))
    t = copysign(t, convert(x, "f64"))
    return select((abs(x) < math.inf) & (x != 0), convert(t, x.type), x)
