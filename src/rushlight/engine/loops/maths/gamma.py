"""lgamma, digamma, Hurwitz's zeta and polygamma. Single precision is computed in double."""

from __future__ import annotations

import math
from collections.abc import Callable

from rushlight.engine.loops.dual import elementary
from rushlight.engine.loops.expr import Value, const, convert, copysign, floor, fma, rint, select
from rushlight.engine.loops.maths import coefficients as c
from rushlight.engine.loops.maths.doubled import (
    Pair,
    add_pairs,
    clamp,
    fast_two_sum,
    polynomial,
    two_product,
    two_sum,
)
from rushlight.engine.loops.maths.logarithm import log, log_pair
from rushlight.engine.loops.maths.power import pow

BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
    -174611 / 330, 854513 / 138, -236364091 / 2730,
)  # fmt: skip
HALF_LOG_TWO_PI = (0.9189385332046727, -3.8782941580672414e-17)
DIGAMMA_2 = (0.42278433509846713, 4.942915152430645e-18)


def in_double(function: Callable[..., Value]) -> Callable[..., Value]:
    """The function with f32 arguments taken through f64."""

    def widened(*args: Value) -> Value:
        if args[0].type == "f64":
            return function(*args)
        return convert(function(*(convert(x, "f64") for x in args)), args[0].type)

    widened.__name__ = function.__name__
    widened.__doc__ = function.__doc__
    return widened


def sin_cos_pi(x: Value) -> tuple[Value, Value]:
    """sin(pi x) and cos(pi x), exact in the reduction of an f64."""
    f = x - rint(x + x) * 0.5
    angle = f * math.pi
    low = fma(f, math.pi, -angle) + f * 1.2246467991473532e-16
    s = angle * angle
    sine = angle + (low - angle * s * polynomial(s, c.SIN_F64))
    cosine = fma(s * s, polynomial(s, c.COS_F64), fma(s, -0.5, 1)) - angle * low
    halves = rint(x + x)
    quarter = halves - 4 * floor(halves * 0.25)
    odd = (quarter == 1) | (quarter == 3)
    up = quarter >= 2
    negative_cosine = (quarter == 1) | (quarter == 2)
    sine, cosine = select(odd, cosine, sine), select(odd, sine, cosine)
    return select(up, -sine, sine), select(negative_cosine, -cosine, cosine)


def _recurrence(x: Value) -> tuple[Value, Value]:
    """How many steps of 1 a number up to 8 is from 2, and what gamma is multiplied by on the way."""
    steps = clamp(rint(x - 2), -2, 6)
    product = const("f64", 1)
    for i in range(1, 7):
        product = select(steps >= i, product * (x - i), product)
    below = select(steps <= -2, x * (x + 1), x)
    return steps, select(steps < 0, below, product)


def _lgamma_near(x: Value) -> Pair:
    """lgamma of a number from above zero to 8, by recurrence from 1.5 to 2.5."""
    steps, product = _recurrence(x)
    shifted, lost = two_sum(x, -steps)
    u = shifted - 2
    rest = u * u * polynomial(u, c.LGAMMA_F64[1:])
    base, base_low = two_product(u, DIGAMMA_2[0])
    base, carry = fast_two_sum(base, rest)
    slope = fma(u, 2 * c.LGAMMA_F64[1], DIGAMMA_2[0])
    base_low = carry + base_low + fma(u, DIGAMMA_2[1], lost * slope)
    high, low = log_pair(product)
    up = steps < 0
    high, low = select(up, -high, high), select(up, -low, low)
    return add_pairs((high, low), (base, base_low))


def _lgamma_far(x: Value) -> Pair:
    """Stirling's formula from 8 on: (x - 1/2) (log(x) - 1) + (log(2 pi) - 1) / 2 + ..."""
    high, low = log_pair(x)
    high, carry = two_sum(high, -1)
    low = low + carry
    half = x - 0.5
    product, rest = two_product(half, high)
    series = polynomial(1 / (x * x), c.STIRLING_F64) / x
    tail = fma(half, low, rest) + (series + HALF_LOG_TWO_PI[1])
    total, carry = two_sum(product, HALF_LOG_TWO_PI[0] - 0.5)
    return fast_two_sum(total, tail + carry)


@elementary
def lgamma(x: Value) -> Value:
    """log(|gamma(x)|); infinite at zero and the negative integers."""
    if x.type == "f64":
        return _lgamma_of_double(x)
    return convert(_lgamma_of_single(convert(x, "f64")), x.type)


def _lgamma_of_single(x: Value) -> Value:
    """A number of single precision needs no pairs of doubles, and one logarithm for both formulas."""
    a = abs(x)
    is_small = a < 8
    near, far = clamp(a, 2.0**-1022, 8), clamp(a, 8, 1e39)
    steps, product = _recurrence(near)
    logarithm = log(select(is_small, product, far))
    u = near - steps - 2
    base = u * fma(u, polynomial(u, c.LGAMMA_F64[1:]), DIGAMMA_2[0])
    inverse = 1 / far
    series = polynomial(inverse * inverse, c.STIRLING_F64) * inverse
    stirling = fma(far - 0.5, logarithm - 1, series + (HALF_LOG_TWO_PI[0] - 0.5))
    result = select(is_small, base + select(steps < 0, -logarithm, logarithm), stirling)
    sine, _ = sin_cos_pi(x)
    below = abs(sine) * a
    mirrored = math.log(math.pi) - log(select(below > 0, below, const("f64", 1))) - result
    result = select(x < 0, mirrored, result)
    pole = (a == 0) | ((x < 0) & (floor(x) == x)) | (a == math.inf)
    result = select(pole, const("f64", math.inf), result)
    return select(x == x, result, x)


def _lgamma_of_double(x: Value) -> Value:
    a = abs(x)
    tiny = a < 2.0**-60
    # beyond 2^1000 the product overflows only where the result does
    near = _lgamma_near(clamp(a, 2.0**-1022, 8))
    far = _lgamma_far(clamp(a, 8, 2.6e305))
    small = a < 8
    high, low = select(small, near[0], far[0]), select(small, near[1], far[1])
    sine, _ = sin_cos_pi(x)
    below, below_low = two_product(abs(sine), clamp(a, 0, 2.0**60))
    reflected = log_pair(select(below > 0, below, const("f64", 1)), below_low)
    log_pi = (const("f64", 1.1447298858494002), const("f64", 1.0265951162707826e-17))
    mirrored = add_pairs(log_pi, (-reflected[0], -reflected[1]))
    mirrored = add_pairs(mirrored, (-high, -low))
    result = select(x < 0, mirrored[0] + mirrored[1], high + low)
    # 1/x alone counts
    tiny_log = log_pair(select(tiny & (a > 0), a, const("f64", 1)))
    result = select(tiny, -(tiny_log[0] + tiny_log[1]), result)
    pole = (a == 0) | ((x < 0) & (floor(x) == x)) | (a > 2.6e305)
    result = select(pole, const("f64", math.inf), result)
    return select(x == x, result, x)


@elementary
@in_double
def digamma(x: Value) -> Value:
    """The logarithmic derivative of gamma; NaN at negative integers, infinite at zero."""
    mirrored = x < 0.5
    y = select(mirrored, 1 - x, x)
    # digamma(y) = digamma(y + 8) - sum of 1 / (y + i), as one fraction
    small = y < 8
    near = clamp(y, 0, 8)
    top, bottom = const("f64", 1), near
    for i in range(1, 8):
        top, bottom = fma(top, near + i, bottom), bottom * (near + i)
    far = select(small, near + 8, y)
    high, low = log_pair(clamp(far, 8, 1e300))
    inverse = 1 / far
    series = fma(inverse * inverse, -polynomial(inverse * inverse, c.DIGAMMA_F64), inverse * -0.5)
    shift = select(small, top / bottom, const("f64", 0))
    total, carry = two_sum(high, -shift)
    positive = total + (carry + (low + series))
    positive = select(y == math.inf, y, positive)
    sine, cosine = sin_cos_pi(x)
    reflection = math.pi * cosine / select(sine == 0, const("f64", 1), sine)
    result = select(mirrored, positive - reflection, positive)
    whole = floor(x) == x
    result = select((x < 0) & whole, const("f64", math.nan), result)
    result = select(x == 0, copysign(math.inf, -x), result)
    return select(abs(x) < 1e-20, select(x == 0, result, -1 / x), result)


@elementary
@in_double
def zeta(x: Value, q: Value) -> Value:
    """Hurwitz's zeta function, the sum of (q + n)^-x, for x above one."""
    total = const("f64", 0)
    for n in range(20):
        total = total + pow(q + n, -x)
    # Euler and Maclaurin's formula for the rest, from w = q + 20 on
    w = q + 20
    last = pow(w, -x)
    tail = last * (w / (x - 1) + 0.5)
    factor, power = x, last / w
    for k, bernoulli in enumerate(BERNOULLI, 1):
        term = power * factor * (bernoulli / math.factorial(2 * k))
        tail = tail + term
        factor = factor * (x + (2 * k - 1)) * (x + 2 * k)
        power = power / w / w
    return _with_limits(x, q, total + select(last == 0, const("f64", 0), tail))


def _with_limits(x: Value, q: Value, result: Value) -> Value:
    """Hurwitz's zeta function with what it is at poles, and of no numbers."""
    nan, infinite = const("f64", math.nan), const("f64", math.inf)
    whole = floor(q) == q
    # a whole power of a negative number is real
    result = select((q <= 0) & ~whole & (floor(x) != x), nan, result)
    result = select((q <= 0) & whole, infinite, result)
    result = select(x < 1, nan, select(x == 1, infinite, result))
    return select((x == x) & (q == q), result, x + q)


# So many terms are added one by one before the formula for the rest is exact: the fewer, the smaller the power is.
_TERMS = {2: 9, 3: 10, 4: 12, 5: 13}


def _zeta_of_whole(power: int, q: Value) -> Value:
    """Hurwitz's zeta function of a whole number above one, which needs no logarithm."""
    terms = _TERMS.get(power)
    if terms is None:
        return zeta(const("f64", power), q)
    inverses = [1 / (q + n) for n in range(terms + 1)]
    powers = [math.prod([i] * (power - 1), start=i) for i in inverses]
    total = powers[0]
    for one in powers[1:-1]:
        total = total + one
    inverse = inverses[-1]
    square = inverse * inverse
    series = const("f64", 0)
    # The same formula, whose terms have known factors.
    factors = [float(power)]
    for k in range(1, len(BERNOULLI)):
        factors.append(factors[-1] * (power + 2 * k - 1) * (power + 2 * k))
    for k in reversed(range(len(BERNOULLI))):
        series = series * square + factors[k] * BERNOULLI[k] / math.factorial(2 * k + 2)
    integral = math.prod([inverse] * (power - 2), start=inverse) / (power - 1)
    tail = integral + powers[-1] * (series * inverse + 0.5)
    return _with_limits(const("f64", power), q, total + tail)


def _cotangent_derivative(order: int) -> list[float]:
    """The derivative of the cotangent, as a polynomial in the cotangent, lowest power first."""
    polynomial_of = [0.0, 1.0]
    for _ in range(order):
        slope = [k * a for k, a in enumerate(polynomial_of)][1:]
        polynomial_of = [0.0] * (len(slope) + 2)
        for k, a in enumerate(slope):
            polynomial_of[k] -= a
            polynomial_of[k + 2] -= a
    return polynomial_of


@elementary
def polygamma(order: int, x: Value) -> Value:
    """The derivative of digamma of the given order, by reflection below zero."""
    if order == 0:
        return digamma(x)
    factor = math.factorial(order) * (1.0 if order % 2 else -1.0)
    wide = convert(x, "f64")
    mirrored = (wide < 0) & (floor(wide) != wide)
    there = select(mirrored, 1 - wide, wide)
    result = _zeta_of_whole(order + 1, there) * factor
    sine, cosine = sin_cos_pi(wide)
    cotangent = cosine / select(sine == 0, const("f64", 1), sine)
    wave = const("f64", 0)
    for a in reversed(_cotangent_derivative(order)):
        wave = wave * cotangent + a
    below = (result if order % 2 == 0 else -result) - wave * math.pi ** (order + 1)
    return convert(select(mirrored, below, result), x.type)
