"""Bessel and Airy functions of real arguments, orders zero and one.

Near zero each is a polynomial beside what is singular there; far away it is an amplitude, a
polynomial of 1/x, times exp(x), exp(-x) or a wave. Single precision is computed in double.
Relative errors grow near a zero of the function, and far waves lose what x's own rounding loses.
"""

from __future__ import annotations

import math

from rushlight.engine.loops.dual import elementary
from rushlight.engine.loops.expr import Value, const, copysign, fma, select, sqrt
from rushlight.engine.loops.maths import coefficients as c
from rushlight.engine.loops.maths.doubled import clamp, polynomial, two_product
from rushlight.engine.loops.maths.exponential import exp, exp_of_pair
from rushlight.engine.loops.maths.gamma import in_double
from rushlight.engine.loops.maths.logarithm import log
from rushlight.engine.loops.maths.trigonometric import sin_cos

# the squares of the first two zeros of j0 and j1
ZEROS = (
    (5.783185962946785, 30.471262343662087),
    (14.681970642123893, 49.2184563216946),
)
# j0 up to 1 as a power series of x^2, exact at zero
J0_SERIES = tuple((-0.25) ** n / math.factorial(n) ** 2 for n in range(10))
TWO_OVER_PI = 2 / math.pi


def _scaled_i(a: Value, near: tuple[float, ...], far: tuple[float, ...]) -> Value:
    """exp(-a) times the function, near form up to 8."""
    inner = polynomial(clamp(a, 0, 8) * 0.25 - 1, near)
    outer = polynomial(16 / clamp(a, 8, math.inf) - 1, far) / sqrt(a)
    return select(a <= 8, inner, outer)


def _grown(a: Value, scaled: Value) -> Value:
    """exp(a) * scaled in two steps, so that only the product overflows."""
    half = exp(a * 0.5)
    return (scaled * half) * half


@elementary
@in_double
def i0e(x: Value) -> Value:
    a = abs(x)
    small = polynomial(x * x, c.I0_NEAR_F64) * exp(-a)
    return select(a < 2, small, _scaled_i(a, c.I0_F64, c.I0_FAR_F64))


@elementary
@in_double
def i0(x: Value) -> Value:
    a = abs(x)
    small = polynomial(x * x, c.I0_NEAR_F64)
    large = _grown(a, _scaled_i(a, c.I0_F64, c.I0_FAR_F64))
    return select(a < 2, small, select(a == math.inf, a, large))


def _scaled_i1(a: Value) -> Value:
    inner = polynomial(clamp(a, 0, 8) * 0.25 - 1, c.I1_F64) * a
    outer = polynomial(16 / clamp(a, 8, math.inf) - 1, c.I1_FAR_F64) / sqrt(a)
    return select(a <= 8, inner, outer)


@elementary
@in_double
def i1e(x: Value) -> Value:
    return copysign(_scaled_i1(abs(x)), x)


@elementary
@in_double
def i1(x: Value) -> Value:
    a = abs(x)
    small = polynomial(x * x, c.I1_NEAR_F64) * x * 0.5
    large = select(a == math.inf, a, _grown(a, _scaled_i1(a)))
    return select(a < 2, small, copysign(large, x))


def _k0_near(x: Value) -> Value:
    near = clamp(x, 0, 2)
    s = near * near
    return polynomial(s, c.K0_F64) - log(near * 0.5) * polynomial(s, c.I0_NEAR_F64)


def _k1_near(x: Value) -> Value:
    near = clamp(x, 0, 2)
    s = near * near
    i1_over_x = polynomial(s, c.I1_NEAR_F64) * 0.5
    rest = fma(log(near * 0.5) * i1_over_x, near, polynomial(s, c.K1_F64) * near)
    return 1 / near + select(near == 0, near, rest)


def _k_far(x: Value, amplitude: tuple[float, ...]) -> Value:
    far = clamp(x, 2, math.inf)
    return polynomial(4 / far - 1, amplitude) / sqrt(far)


def _positive(x: Value, result: Value) -> Value:
    """The result for positive numbers, infinity at zero and NaN below."""
    pole = select(x == 0, const("f64", math.inf), const("f64", math.nan))
    return select(x > 0, result, pole)


@elementary
@in_double
def modified_bessel_k0(x: Value) -> Value:
    return _positive(x, select(x <= 2, _k0_near(x), exp(-x) * _k_far(x, c.K0_FAR_F64)))


@elementary
@in_double
def scaled_modified_bessel_k0(x: Value) -> Value:
    near = _k0_near(x) * exp(clamp(x, 0, 2))
    return _positive(x, select(x <= 2, near, _k_far(x, c.K0_FAR_F64)))


@elementary
@in_double
def modified_bessel_k1(x: Value) -> Value:
    return _positive(x, select(x <= 2, _k1_near(x), exp(-x) * _k_far(x, c.K1_FAR_F64)))


@elementary
@in_double
def scaled_modified_bessel_k1(x: Value) -> Value:
    near = _k1_near(x) * exp(clamp(x, 0, 2))
    return _positive(x, select(x <= 2, near, _k_far(x, c.K1_FAR_F64)))


def _j_near(a: Value, order: int) -> Value:
    """j0 or j1(x) / x up to 5."""
    s = clamp(a, 0, 5) * clamp(a, 0, 5)
    first, second = ZEROS[order]
    table = c.J1_F64 if order else c.J0_F64
    return (s - first) * (s - second) * polynomial(s, table)


def _wave(a: Value, order: int) -> tuple[Value, Value]:
    """j and y from 5 on."""
    a = clamp(a, 5, math.inf)
    ratio = 5 / a
    w = ratio * ratio
    p = polynomial(w, c.J1_P_F64 if order else c.J0_P_F64)
    q = polynomial(w, c.J1_Q_F64 if order else c.J0_Q_F64) * ratio
    sine, cosine = sin_cos(a)
    # the cosine and sine of x - pi/4, or of x - 3 pi/4, times sqrt(2)
    real, imag = (sine - cosine, -(sine + cosine)) if order else (sine + cosine, sine - cosine)
    size = sqrt(1 / (math.pi * a))
    end = a == math.inf
    zero = const("f64", 0)
    j, y = size * (p * real - q * imag), size * (p * imag + q * real)
    return select(end, zero, j), select(end, zero, y)


@elementary
@in_double
def bessel_j0(x: Value) -> Value:
    a = abs(x)
    small = fma(x * x, polynomial(x * x, J0_SERIES[1:]), 1)
    return select(a < 1, small, select(a <= 5, _j_near(a, 0), _wave(a, 0)[0]))


@elementary
@in_double
def bessel_j1(x: Value) -> Value:
    a = abs(x)
    far = _wave(a, 1)[0]
    return select(a <= 5, _j_near(a, 1) * x, select(x < 0, -far, far))


@elementary
@in_double
def bessel_y0(x: Value) -> Value:
    near = clamp(x, 0, 5)
    inner = polynomial(near * near, c.Y0_F64) + TWO_OVER_PI * log(near) * _j_near(near, 0)
    return -_positive(x, -select(x <= 5, inner, _wave(x, 0)[1]))


@elementary
@in_double
def bessel_y1(x: Value) -> Value:
    near = clamp(x, 0, 5)
    regular = near * polynomial(near * near, c.Y1_F64)
    singular = log(near) * (_j_near(near, 1) * near) - 1 / near
    inner = regular + TWO_OVER_PI * singular
    return -_positive(x, -select(x <= 5, inner, _wave(x, 1)[1]))


@elementary
@in_double
def spherical_bessel_j0(x: Value) -> Value:
    sine, _ = sin_cos(x)
    result = select(abs(x) < 1e-9, const("f64", 1), sine / x)
    return select(abs(x) == math.inf, const("f64", 0), result)


@elementary
@in_double
def airy_ai(x: Value) -> Value:
    a = clamp(abs(x), 2, 1e100)
    root = sqrt(a)
    # zeta = 2/3 a^(3/2) with what its product rounds off
    product, low = two_product(a, root)
    low = low + fma(-root, root, a) / (root + root) * a
    zeta = product * (2 / 3)
    zeta_low = fma(product, 2 / 3, -zeta) + product * 3.700743415417188e-17 + low * (2 / 3)
    v = 2 / zeta - 1
    size = 1 / (math.sqrt(math.pi) * sqrt(root))
    right = exp_of_pair((-zeta, -zeta_low)) * polynomial(v, c.AIRY_RIGHT_F64) * size * 0.5
    sine, cosine = sin_cos(zeta)
    sine, cosine = sine + cosine * zeta_low, cosine - sine * zeta_low
    sine, cosine = (sine + cosine) * math.sqrt(0.5), (cosine - sine) * math.sqrt(0.5)
    p, q = polynomial(v, c.AIRY_LEFT_P_F64), polynomial(v, c.AIRY_LEFT_Q_F64) / zeta
    left = size * (sine * p - cosine * q)
    middle = polynomial(clamp(x, -2.1, 2.1), c.AIRY_F64)
    result = select(abs(x) <= 2.09, middle, select(x > 0, right, left))
    result = select(x == -math.inf, const("f64", 0), result)
    return select(x == x, result, x)
