"""Functions of complex numbers: real functions of the parts, put together without cancellation.

Single precision is computed in double, which leaves overflow between steps to f64 alone. Zeros,
infinities and NaN follow C's Annex G where the formulas have it at little cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from rushlight.engine.loops.casts import scale
from rushlight.engine.loops.dual import elementary
from rushlight.engine.loops.expr import (
    Complex,
    Value,
    as_complex,
    const,
    convert,
    copysign,
    isinf,
    isnan,
    select,
)
from rushlight.engine.loops.expr import sqrt as real_sqrt
from rushlight.engine.loops.maths import exponential, hyperbolic, logarithm, power
from rushlight.engine.loops.maths.doubled import (
    add_pairs,
    clamp,
    two_product,
    two_sum,
)
from rushlight.engine.loops.maths.exponential import exp_pair
from rushlight.engine.loops.maths.logarithm import log_pair
from rushlight.engine.loops.maths.trigonometric import atan2, sin_cos

LN2 = math.log(2)
# above this the inverse functions are their first asymptotic terms
LARGE = 2.0**80

Function = Callable[[Complex], Complex]


def in_double(function: Function) -> Function:
    """The function with f32 parts taken through f64."""

    def widened(z: Complex) -> Complex:
        if z.type == "f64":
            return function(z)
        result = function(Complex(convert(z.real, "f64"), convert(z.imag, "f64")))
        return Complex(convert(result.real, z.type), convert(result.imag, z.type))

    widened.__name__ = function.__name__
    widened.__doc__ = function.__doc__
    return widened


def absolute(z: Complex) -> Value:
    return power.hypot(z.real, z.imag)


def angle(z: Complex) -> Value:
    return atan2(z.imag, z.real)


def sgn(z: Complex) -> Complex:
    """z / |z|, and zero for zero."""
    size = absolute(z)
    return select(size == 0, as_complex(0, z), z / select(size == 0, const(z.type, 1), size))


@elementary
def reciprocal(z: Complex) -> Complex:
    return 1 / z


def _finite(x: Value) -> Value:
    return abs(x) < math.inf


def _polar(x: Value, real: Value, imag: Value, halvings: int = 0) -> Complex:
    """exp(x) / 2^halvings times a number of size one or less; only the result overflows."""
    k, (high, _) = exp_pair((clamp(x, -1400, 1400), const("f64", 0)))
    k = k - halvings
    return Complex(scale(high * real, k), scale(high * imag, k))


@elementary
@in_double
def exp(z: Complex) -> Complex:
    x, y = z.real, z.imag
    sine, cosine = sin_cos(y)
    result = _polar(x, cosine, sine)
    result = Complex(result.real, select(y == 0, y, result.imag))
    return _exp_at_infinity(x, y, result)


def _exp_at_infinity(x: Value, y: Value, result: Complex) -> Complex:
    zero = const("f64", 0)
    real = select((x == math.inf) & ~_finite(y), x, result.real)
    gone = x == -math.inf
    real = select(gone & ~_finite(y), zero, real)
    return Complex(real, select(gone & ~_finite(y), zero, result.imag))


@elementary
@in_double
def exp2(z: Complex) -> Complex:
    return exp(Complex(z.real * LN2, z.imag * LN2))


@elementary
@in_double
def expm1(z: Complex) -> Complex:
    x, y = z.real, z.imag
    half, _ = sin_cos(y * 0.5)
    _, cosine = sin_cos(y)
    full = exp(z)
    real = exponential.expm1(x) * cosine - half * half * 2
    return Complex(select(x < 40, real, full.real), full.imag)


@elementary
@in_double
def sigmoid(z: Complex) -> Complex:
    return 1 / (exp(-z) + 1)


def _log_size(z: Complex) -> Value:
    """log(|z|), also where |z| is near one."""
    a, b = abs(z.real), abs(z.imag)
    large = (a > 2.0**400) | (b > 2.0**400)
    small = (a < 2.0**-400) & (b < 2.0**-400)
    one = const("f64", 1)
    factor = select(large, const("f64", 2.0**-600), select(small, const("f64", 2.0**600), one))
    shift = select(large, const("f64", 600 * LN2), select(small, const("f64", -600 * LN2), one * 0))
    a, b = a * factor, b * factor
    square = add_pairs(two_product(a, a), two_product(b, b))
    high, low = log_pair(*square)
    result = (high + low) * 0.5 + shift
    result = select((z.real == 0) & (z.imag == 0), const("f64", -math.inf), result)
    result = select(isnan(z), const("f64", math.nan), result)
    return select(isinf(z.real) | isinf(z.imag), const("f64", math.inf), result)


@elementary
@in_double
def log(z: Complex) -> Complex:
    return Complex(_log_size(z), angle(z))


@elementary
@in_double
def log2(z: Complex) -> Complex:
    return log(z) * const("f64", 1 / LN2)


@elementary
@in_double
def log10(z: Complex) -> Complex:
    return log(z) * const("f64", 1 / math.log(10))


@elementary
@in_double
def log1p(z: Complex) -> Complex:
    x, y = z.real, z.imag
    # |1 + z|^2 - 1 = 2x + x^2 + y^2
    near = (abs(x) < 2.0**60) & (abs(y) < 2.0**60)
    zero = const("f64", 0)
    a, b = select(near, x, zero), select(near, y, zero)
    excess = add_pairs((a + a, zero), add_pairs(two_product(a, a), two_product(b, b)))
    total, rest = two_sum(excess[0], 1)
    high, low = log_pair(total, rest + excess[1])
    close = (high + low) * 0.5
    tiny = abs(excess[0]) < 2.0**-60
    close = select(tiny, excess[0] * 0.5, close)
    real = select(near, close, _log_size(z))
    at_pole = (x == -1) & (y == 0)
    real = select(at_pole, const("f64", -math.inf), select(z == 0, x, real))
    return Complex(real, atan2(y, x + 1))


@elementary
@in_double
def sqrt(z: Complex) -> Complex:
    x, y = z.real, z.imag
    a, b = abs(x), abs(y)
    large = (a > 2.0**1000) | (b > 2.0**1000)
    small = (a < 2.0**-900) & (b < 2.0**-900)
    one = const("f64", 1)
    down = select(large, const("f64", 2.0**-4), select(small, const("f64", 2.0**200), one))
    up = select(large, const("f64", 4), select(small, const("f64", 2.0**-100), one))
    a, b = a * down, b * down
    size = power.hypot(a, b)
    t = real_sqrt((a + size) * 0.5)
    other = select(t == 0, const("f64", 0), b / (t + t))
    t, other = t * up, other * up
    right = ~(copysign(1, x) < 0)
    real, imag = select(right, t, other), copysign(select(right, other, t), y)
    # infinities: an infinite imaginary part wins, even beside NaN
    infinite = isinf(x)
    nan_or_zero = select(isnan(y), y, const("f64", 0))
    real = select(infinite, select(right, a, nan_or_zero), real)
    imag = select(infinite, copysign(select(right, nan_or_zero, abs(x)), y), imag)
    real = select(isinf(y), const("f64", math.inf), real)
    return Complex(real, select(isinf(y), y, imag))


@elementary
@in_double
def rsqrt(z: Complex) -> Complex:
    return 1 / sqrt(z)


@elementary
def pow(z: Complex, w: Complex) -> Complex:
    """exp(w * log(z)); zero to a power with positive real part is zero."""
    if z.type == "f32":
        wide = [Complex(convert(v.real, "f64"), convert(v.imag, "f64")) for v in (z, w)]
        result = pow(*wide)
        return Complex(convert(result.real, "f32"), convert(result.imag, "f32"))
    result = exp(w * log(z))
    at_zero = z == 0
    result = select(at_zero & (w.real > 0), as_complex(0, z), result)
    result = select(at_zero & ~(w.real > 0), as_complex(complex(math.nan, math.nan), z), result)
    result = select(at_zero & (w.real < 0) & (w.imag == 0), as_complex(math.inf, z), result)
    return select(w == 0, as_complex(1, z), result)


def _sinh_cosh(z: Complex) -> tuple[Complex, Complex]:
    x, y = z.real, z.imag
    sine, cosine = sin_cos(y)
    sh, ch = hyperbolic.sinh(x), hyperbolic.cosh(x)
    far = (abs(x) > 700) & _finite(x)
    # exp(|x|) / 2 overflows later than exp(|x|)
    big = _polar(abs(x), cosine, sine, 1)
    sinh_result = Complex(
        select(far, copysign(1, x) * big.real, sh * cosine), select(far, big.imag, ch * sine)
    )
    cosh_result = Complex(
        select(far, big.real, ch * cosine), select(far, copysign(1, x) * big.imag, sh * sine)
    )
    # zero times infinity
    lost = isinf(x) & ~_finite(y)
    zero_imag = copysign(copysign(const("f64", 0), x), copysign(1, x) * copysign(1, y))
    sinh_result = Complex(select(lost, x, sinh_result.real), select(y == 0, y, sinh_result.imag))
    cosh_result = Complex(
        select(lost, abs(x), cosh_result.real),
        select((y == 0) | (x == 0), zero_imag, cosh_result.imag),
    )
    sinh_result = Complex(select((x == 0) & ~_finite(y), x, sinh_result.real), sinh_result.imag)
    return sinh_result, cosh_result


@elementary
@in_double
def sinh(z: Complex) -> Complex:
    return _sinh_cosh(z)[0]


@elementary
@in_double
def cosh(z: Complex) -> Complex:
    return _sinh_cosh(z)[1]


@elementary
@in_double
def tanh(z: Complex) -> Complex:
    x, y = z.real, z.imag
    sine, cosine = sin_cos(y)
    near = clamp(x, -20, 20)
    sh, ch = hyperbolic.sinh(near), hyperbolic.cosh(near)
    below = sh * sh + cosine * cosine
    far = abs(x) > 20
    decay = exponential.exp(abs(x) * -2) * 4
    real = select(far, copysign(1, x), (sh * ch) / below)
    product = sine * cosine
    imag = select(far, product * decay, product / below)
    lost = isinf(x) & ~_finite(y)
    imag = select(lost, copysign(0, y), imag)
    return Complex(select(x == 0, x, real), select(y == 0, y, imag))


def _turn(z: Complex) -> Complex:
    """z times i."""
    return Complex(-z.imag, z.real)


def _turn_back(z: Complex) -> Complex:
    """z times -i."""
    return Complex(z.imag, -z.real)


@elementary
@in_double
def sin(z: Complex) -> Complex:
    return _turn_back(sinh(_turn(z)))


@elementary
@in_double
def cos(z: Complex) -> Complex:
    return cosh(_turn(z))


@elementary
@in_double
def tan(z: Complex) -> Complex:
    return _turn_back(tanh(_turn(z)))


def _is_large(z: Complex) -> Value:
    return ((abs(z.real) > LARGE) | (abs(z.imag) > LARGE)) & ~isnan(z)


def _log_twice(z: Complex) -> Value:
    """log(2 |z|) of something large."""
    return _log_size(z) + LN2


@elementary
@in_double
def asin(z: Complex) -> Complex:
    x, y = z.real, z.imag
    minus, plus = sqrt(Complex(1 - x, -y)), sqrt(Complex(1 + x, y))
    real = atan2(x, minus.real * plus.real - minus.imag * plus.imag)
    imag = hyperbolic.asinh(minus.real * plus.imag - minus.imag * plus.real)
    large = _is_large(z)
    real = select(large, atan2(x, abs(y)), real)
    imag = select(large, _log_twice(z), abs(imag))
    return Complex(real, copysign(imag, y))


@elementary
@in_double
def acos(z: Complex) -> Complex:
    x, y = z.real, z.imag
    minus, plus = sqrt(Complex(1 - x, -y)), sqrt(Complex(1 + x, y))
    real = atan2(minus.real, plus.real) * 2
    imag = hyperbolic.asinh(plus.real * minus.imag - plus.imag * minus.real)
    large = _is_large(z)
    real = select(large, atan2(abs(y), x), real)
    imag = select(large, _log_twice(z), abs(imag))
    return Complex(real, copysign(imag, -y))


@elementary
@in_double
def acosh(z: Complex) -> Complex:
    x, y = z.real, z.imag
    minus, plus = sqrt(Complex(x - 1, y)), sqrt(Complex(x + 1, y))
    real = hyperbolic.asinh(minus.real * plus.real + minus.imag * plus.imag)
    imag = atan2(minus.imag, plus.real) * 2
    large = _is_large(z)
    return Complex(select(large, _log_twice(z), real), select(large, atan2(y, x), imag))


@elementary
@in_double
def asinh(z: Complex) -> Complex:
    return _turn_back(asin(_turn(z)))


@elementary
@in_double
def atanh(z: Complex) -> Complex:
    x, y = z.real, z.imag
    a = abs(x)
    large = _is_large(z)
    away = 1 - a
    real = logarithm.log1p(4 * a / (away * away + y * y)) * 0.25
    imag = atan2(y + y, away * (1 + a) - y * y) * 0.5
    # 1/z: its real part is x / |z|^2, and both squares may overflow
    size = power.hypot(x, y)
    real = select(large, select(_finite(size), (a / size) / size, const("f64", 0)), real)
    imag = select(large, copysign(math.pi / 2, y), imag)
    real = select((a == 1) & (y == 0), const("f64", math.inf), real)
    return Complex(copysign(real, x), imag)


@elementary
@in_double
def atan(z: Complex) -> Complex:
    return _turn_back(atanh(_turn(z)))
