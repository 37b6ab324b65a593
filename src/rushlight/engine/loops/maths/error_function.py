"""erf, erfc, erfcx and erfinv.

Near zero erf is a polynomial. Elsewhere erfc(x) = exp(-x^2) * erfcx(x), where (1 + 2x) erfcx(x)
is smooth enough over all x >= 0 to be one polynomial of (x - 4) / (x + 4).
"""

from __future__ import annotations

import math

from rushlight.engine.loops.casts import power_of_two, scale
from rushlight.engine.loops.dual import elementary
from rushlight.engine.loops.expr import Value, const, convert, copysign, fma, select, sqrt
from rushlight.engine.loops.maths import coefficients as c
from rushlight.engine.loops.maths.doubled import (
    Pair,
    clamp,
    divide_pairs,
    fast_two_sum,
    multiply_pairs,
    polynomial,
    two_product,
    two_sum,
)
from rushlight.engine.loops.maths.exponential import exp, exp_pair, exp_quick
from rushlight.engine.loops.maths.logarithm import log_pair, log_quick

FAR = 1e17  # from here on erfcx(x) is 1 / (sqrt(pi) x)
RSQRT_PI = 0.5641895835477563
# the largest argument whose erfc is not zero
# erf(x) / x in x^2 as a ratio of two polynomials, up to 4, to 2^-25
ERF_QUICK_TOP = (
    1.1283791388115139, 0.1935565413680655, 0.05310330351254554, 0.0038838553405873845,
    0.0002845807114164855, 1.986732616643979e-06,
)  # fmt: skip
ERF_QUICK_BOTTOM = (
    1.0, 0.5048675690361326, 0.1153547857134508, 0.015208260512643087, 0.001185702006767733,
    3.7420444914359516e-05,
)  # fmt: skip
ERFC_END = {"f32": 10.1, "f64": 27.3}


def _erf_near_zero(x: Value) -> Value:
    s = x * x
    return fma(x, polynomial(s, c.ERF_F32 if x.type == "f32" else c.ERF_F64), x)


def erfcx_pair(x: Value) -> Pair:
    """exp(x^2) * erfc(x) of an f64 ``x`` that is not negative, normalised."""
    t = (x - 4) / (x + 4)
    high, low = fast_two_sum(c.ERFCX_F64[0], t * polynomial(t, c.ERFCX_F64[1:]))
    return divide_pairs((high, low), two_sum(x + x, 1))


def _erfcx_quick(x: Value) -> Value:
    """As `erfcx_pair`, to f32's precision in f64."""
    return polynomial((x - 4) / (x + 4), c.ERFCX_F32) / fma(x, 2, 1)


def _erfc_scaled(a: Value) -> tuple[Value, Pair]:
    """erfc of an f64 from 0 to 27.3 as 2^k times a pair."""
    high, low = two_product(a, a)
    k, power = exp_pair((-high, -low))
    return k, multiply_pairs(power, erfcx_pair(a))


@elementary
def erf(x: Value) -> Value:
    a = abs(x)
    if x.type == "f32":
        far = clamp(a, 0, 4)
        large = 1 - exp(polynomial(far, c.ERF_TAIL_F32))
    else:
        k, (high, low) = _erfc_scaled(clamp(a, 0, 6))
        large = 1 - (high + low) * power_of_two(k)
    return select(a < (0.92 if x.type == "f32" else 1), _erf_near_zero(x), copysign(large, x))


@elementary
def erf_quick(x: Value) -> Value:
    """erf of an f32 to three units in the last place: an odd rational function, one from 4 on."""
    x = clamp(x, -4, 4)
    s = x * x
    ratio = x * polynomial(s, ERF_QUICK_TOP) / polynomial(s, ERF_QUICK_BOTTOM)
    return clamp(ratio, -1, 1)


@elementary
def erfc(x: Value) -> Value:
    a = clamp(abs(x), 0, ERFC_END[x.type])
    if x.type == "f32":
        wide = convert(a, "f64")
        tail = exp_quick(-(wide * wide)) * _erfcx_quick(wide)
        return convert(select(x < 0, 2 - tail, tail), "f32")
    k, (high, low) = _erfc_scaled(a)
    tail = scale(high + low, k)
    power = power_of_two(select(k < -100, k * 0 - 100, k))
    total, rest = fast_two_sum(const("f64", 2), -(high * power))
    mirrored = total + (rest - low * power)
    near = 1 - _erf_near_zero(x)
    return select(abs(x) < 0.5, near, select(x < 0, mirrored, tail))


@elementary
def erfcx(x: Value) -> Value:
    """exp(x^2) * erfc(x), which does not underflow."""
    a = abs(x)
    if x.type == "f32":
        wide = convert(a, "f64")
        tail = select(wide > FAR, RSQRT_PI / wide, _erfcx_quick(clamp(wide, 0, FAR)))
        near = clamp(wide, 0, 10)
        mirrored = exp_quick(near * near) * 2 - tail
        return convert(select(x < 0, mirrored, tail), "f32")
    high, low = erfcx_pair(clamp(a, 0, FAR))
    near = clamp(a, 0, 27)
    square, rest = two_product(near, near)
    k, power = exp_pair((square, rest))
    # 2^k (p - tail / 2^k), doubled last: twice the power may be all that overflows
    down = power_of_two(select(k > 200, k * 0 - 200, -k)) * 0.5
    total, carry = fast_two_sum(power[0], -(high * down))
    mirrored = scale(total + (carry + (power[1] - low * down)), k) * 2
    # near zero the quotient t has lost a bit: exp(x^2) * (1 - erf(x)) is better
    one, one_low = fast_two_sum(const("f64", 1), -a)
    rest = one_low - a * polynomial(a * a, c.ERF_F64)
    small, small_low = multiply_pairs(power, fast_two_sum(one, rest))
    tail = select(a < 0.5, small + small_low, high + low)
    tail = select(a > FAR, RSQRT_PI / a, tail)
    return select(x < 0, mirrored, tail)


@elementary
def erfinv(x: Value) -> Value:
    a = abs(x)
    if x.type == "f32":
        wide = convert(x, "f64")
        w = -log_quick(fma(-wide, wide, 1))
        tail = sqrt(w) - 3
        p = select(w < 5, polynomial(w, c.ERFINV_F32), polynomial(tail, c.ERFINV_TAIL_F32))
        result = convert(p * wide, "f32")
    else:
        product, low = two_product(1 - a, 1 + a)
        high, low = log_pair(product, low)
        w = -high
        root = sqrt(w)
        middle = polynomial(root - 3.25, c.ERFINV_MIDDLE_F64)
        p = select(root < 4, middle, polynomial(root - 5.05, c.ERFINV_HIGH_F64))
        p = select(w < 6.25, polynomial(w - 3.125, c.ERFINV_LOW_F64), p)
        result = p * x
    result = select(a < 1, result, const(x.type, math.nan))
    return select(a == 1, copysign(math.inf, x), result)
