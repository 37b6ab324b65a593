"""sinh, cosh, tanh and their inverses.

With x = k * ln2 + r, sinh and cosh of x are sums of 2^k and 2^-k times cosh(r) and sinh(r): no
cancellation, and one rounding that counts. The inverses are logarithms of 1 + something small.
"""

from __future__ import annotations

import math

from rushlight.engine.loops.casts import power_of_two
from rushlight.engine.loops.dual import elementary
from rushlight.engine.loops.expr import Value, const, convert, copysign, fma, ratio, select, sqrt
from rushlight.engine.loops.maths import coefficients as c
from rushlight.engine.loops.maths.doubled import (
    Pair,
    clamp,
    divide_pairs,
    fast_two_sum,
    polynomial,
    two_sum,
)
from rushlight.engine.loops.maths.exponential import exp_within, expm1_pair, reduce
from rushlight.engine.loops.maths.logarithm import log1p_pair, log_pair, log_quick

# where sinh and cosh have overflowed, and where tanh is 1
OVERFLOW = {"f32": 91.0, "f64": 712.0}
TANH_ONE = {"f32": 10.0, "f64": 22.0}
SINH_POLYNOMIAL = {"f32": c.SINH_F32, "f64": c.SINH_F64}
COSH_POLYNOMIAL = {"f32": c.COSH_F32, "f64": c.COSH_F64}
TINY = {"f32": 2.0**-13, "f64": 2.0**-27}


def _halves(x: Value) -> tuple[Value, Value, Value, Value, Value]:
    """2^(k-1), 2^(-k-1), sinh(r), cosh(r) - 1 of |x|, and a last factor against overflow."""
    a = clamp(abs(x), 0, OVERFLOW[x.type])
    k, r, low = reduce(a)
    s = r * r
    sine = r + fma(r * s, polynomial(s, SINH_POLYNOMIAL[x.type]), low)
    cosine = fma(low, r, s * polynomial(s, COSH_POLYNOMIAL[x.type]))
    big = k > (120 if x.type == "f32" else 1000)
    up = power_of_two(select(big, k - 9, k - 1))
    down = power_of_two(select(big, k * 0 - 100, -k - 1))
    return up, down, sine, cosine, select(big, const(x.type, 256), const(x.type, 1))


@elementary
def sinh(x: Value) -> Value:
    up, down, sine, cosine, factor = _halves(x)
    base, carry = fast_two_sum(up, -down)
    result = (base + fma(up + down, sine, fma(base, cosine, carry))) * factor
    return select(abs(x) < TINY[x.type], x, copysign(result, x))


@elementary
def cosh(x: Value) -> Value:
    up, down, sine, cosine, factor = _halves(x)
    base, carry = fast_two_sum(up, down)
    return (base + fma(up - down, sine, fma(base, cosine, carry))) * factor


@elementary
def tanh(x: Value) -> Value:
    a = abs(x)
    if x.type == "f32":
        # 1 - 2 / (exp(2a) + 1), and a polynomial where that would cancel
        twice = a + a
        large = 1 - ratio(2, exp_within(select(twice > 20, const("f32", 20), twice)) + 1)
        s = x * x
        small = fma(x * s, polynomial(s, c.TANH_F32), x)
        return copysign(select(a < 0.625, small, large), x)
    high, low = expm1_pair(clamp(a + a, 0, 2 * TANH_ONE["f64"]))
    bottom, rest = two_sum(high, 2)
    result = divide_pairs((high, low), fast_two_sum(bottom, rest + low))[0]
    return select(a < TINY["f64"], x, copysign(result, x))


@elementary
def asinh(x: Value) -> Value:
    a = abs(x)
    if x.type == "f32":
        wide = convert(a, "f64")
        s = wide * wide
        result = _log1p_quick(wide + s / (1 + sqrt(s + 1)))
        result = convert(result, "f32")
    else:
        far = a > 2.0**30
        near = select(far, const("f64", 1), a)
        s = near * near
        total, rest = two_sum(near + s / (1 + sqrt(s + 1)), 1)
        result = _log_far(far, a, total, rest)
    result = select(a < math.inf, result, a)
    return select(a < TINY[x.type], x, copysign(result, x))


def _log_far(far: Value, x: Value, total: Value, rest: Value) -> Value:
    """log(2x) where ``x`` is far, else log(total + rest)."""
    high, low = log_pair(select(far, x, total), select(far, const("f64", 0), rest))
    two_high, two_low = math.log(2), 2.3190468138462996e-17
    high, carry = two_sum(high, select(far, const("f64", two_high), const("f64", 0)))
    return high + (carry + low + select(far, const("f64", two_low), const("f64", 0)))


def _log1p_quick(x: Value) -> Value:
    total, rest = two_sum(x, 1)
    return log_quick(total, rest)


@elementary
def acosh(x: Value) -> Value:
    if x.type == "f32":
        t = convert(x, "f64") - 1
        result = convert(_log1p_quick(t + sqrt(t * (t + 2))), "f32")
    else:
        far = x > 2.0**30
        t = select(far, const("f64", 1), x) - 1
        total, rest = two_sum(t + sqrt(t * (t + 2)), 1)
        result = _log_far(far, x, total, rest)
    result = select(x < math.inf, result, x)
    return select(x < 1, const(x.type, math.nan), result)


@elementary
def atanh(x: Value) -> Value:
    a = abs(x)
    if x.type == "f32":
        wide = convert(a, "f64")
        result = convert(_log1p_quick((wide + wide) / (1 - wide)) * 0.5, "f32")
    else:
        bottom, bottom_low = fast_two_sum(const("f64", 1), -a)
        ratio: Pair = divide_pairs((a + a, const("f64", 0)), (bottom, bottom_low))
        high, low = log1p_pair(*ratio)
        result = (high + low) * 0.5
    pole = select(a == 1, const(x.type, math.inf), const(x.type, math.nan))
    result = select(a < 1, result, pole)
    return select(a < TINY[x.type], x, copysign(result, x))
