"""pow, roots and hypot."""

from __future__ import annotations

import math
from collections.abc import Callable

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
    scaleb,
    select,
    sqrt,
    trunc,
)
from rushlight.engine.loops.maths.doubled import (
    Pair,
    clamp,
    fast_two_sum,
    nearest_integer,
    polynomial,
    two_product,
    two_sum,
)
from rushlight.engine.loops.maths.exponential import LOG2E, exp_of_pair
from rushlight.engine.loops.maths.logarithm import log_pair, special


@elementary
def pow(x: Value, y: Value) -> Value:
    """``x`` to the ``y``, with C's special cases."""
    a = abs(x)
    if x.type == "f32":
        size = _size_f32(a, y)
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


# The recipe of Sleef for powers in single precision: results have the bits that they have elsewhere.
_LOG_F32 = (0.400007992982864379882812, 0.285112679004669189453125, 0.240320354700088500976562)
_TWO_THIRDS = (0.66666662693023681640625, 3.69183861259614332084311e-09)
_LN2_F32 = (0.69314718246459960938, -1.904654323148236017e-09)
_SHORT_LN2_F32 = (0.693145751953125, 1.428606765330187045e-06)
_EXP_F32 = (
    0.499999850988388061523438, 0.166665524244308471679688, 0.0416710823774337768554688,
    0.00836596917361021041870117, 0.00136324646882712841033936,
)  # fmt: skip


def _size_f32(a: Value, y: Value) -> Value:
    """``a`` to the ``y`` for an ``a`` that is not negative."""
    high, low = _log_pair_f32(a)
    high = special(a, high)
    product = high * y
    low = fma(low, y, fma(high, y, -product))
    inside = abs(product) < 105
    return _exp_of_pair_f32((clamp(product, -105, 105), select(inside, low, const("f32", 0))))


def _log_pair_f32(a: Value) -> Pair:
    """The logarithm of a positive finite number, from that of (m - 1) / (m + 1)."""
    tiny = a < 2.0**-126
    a = select(tiny, a * 2.0**64, a)
    exponent = ((bitcast(a * (1 / 0.75), "i32") >> 23) & 0xFF) - 127
    m = bitcast(bitcast(a, "i32") - (exponent << 23), "f32")
    exponent = select(tiny, exponent - 64, exponent)
    ratio = _quotient(two_sum(m, -1.0), two_sum(m, 1.0))
    square = _product(ratio, ratio)
    rest = polynomial(square[0], _LOG_F32)
    factor = two_sum(const("f32", _TWO_THIRDS[0]), square[0] * rest)
    tail = fma(square[1], rest, fma(square[0], rest, -(square[0] * rest)))
    factor = factor[0], factor[1] + (_TWO_THIRDS[1] + tail)
    k = convert(exponent, "f32")
    high, low = _LN2_F32
    log = k * high, fma(k, low, fma(k, high, -(k * high)))
    log = _sum(log, (ratio[0] * 2, ratio[1] * 2))
    return _sum(log, _product(_product(square, ratio), factor))


def _exp_of_pair_f32(x: Pair) -> Value:
    """exp of a sum of at most 105."""
    k, _ = nearest_integer((x[0] + x[1]) * LOG2E)
    high, low = two_sum(x[0], k * -_SHORT_LN2_F32[0])
    r = high, low + x[1]
    high, low = two_sum(r[0], k * -_SHORT_LN2_F32[1])
    high, low = fast_two_sum(high, low + r[1])
    rest = polynomial(high, _EXP_F32)
    square = high * high
    tail = fma(high + high, low, fma(high, high, -square))
    product = square * rest
    tail = fma(tail, rest, fma(square, rest, -product))
    total = _sum((high, low), (product, tail))
    one = const("f32", 1)
    total = _sum((one, None), total)
    return select(x[0] < -104, const("f32", 0), scaleb(total[0] + total[1], k))


def _sum(a: tuple[Value, Value | None], b: Pair) -> Pair:
    """The sum of pairs, the first of them the larger; its parts may overlap."""
    high = a[0] + b[0]
    low = (a[0] - high) + b[0]
    return high, (low if a[1] is None else low + a[1]) + b[1]


def _product(a: Pair, b: Pair) -> Pair:
    """The product of pairs; its parts may overlap."""
    high = a[0] * b[0]
    error = fma(a[0], b[0], -high)
    if a is b:
        return high, fma(a[0] + a[0], a[1], error)
    return high, fma(a[0], b[1], fma(a[1], b[0], error))


def _quotient(a: Pair, b: Pair) -> Pair:
    """The quotient of pairs; its parts may overlap."""
    inverse = 1 / b[0]
    high = a[0] * inverse
    error = fma(inverse, a[0], -high)
    slip = fma(-b[1], inverse, fma(-b[0], inverse, const("f32", 1)))
    return high, fma(high, slip, fma(a[1], inverse, error))


# Powers that are worth no logarithm.
_EASY: dict[float, Callable[[Value], Value]] = {
    0: lambda x: const(x.type, 1),
    0.5: sqrt,
    1: lambda x: x,
    2: lambda x: x * x,
    3: lambda x: x * x * x,
}


@elementary
def power_by(x: Value, exponent: float) -> Value:
    """``x`` to a known power."""
    if abs(exponent) in _EASY:
        result = _EASY[abs(exponent)](x)
        return 1 / result if exponent < 0 else result
    return (
        pow(x, const(x.type, exponent)) if x.is_float else integer_power(x, const(x.type, exponent))
    )


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
