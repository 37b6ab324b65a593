"""The rest of the special functions: normal distribution, entropy terms and sinc."""

from __future__ import annotations

import math

from rushlight.engine.loops.dual import elementary
from rushlight.engine.loops.expr import Value, const, fma, isnan, select, sqrt
from rushlight.engine.loops.maths import coefficients as c
from rushlight.engine.loops.maths.bessel import (
    airy_ai,
    bessel_j0,
    bessel_j1,
    bessel_y0,
    bessel_y1,
    i0,
    i0e,
    i1,
    i1e,
    modified_bessel_k0,
    modified_bessel_k1,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
    spherical_bessel_j0,
)
from rushlight.engine.loops.maths.doubled import polynomial
from rushlight.engine.loops.maths.error_function import erfc, erfcx, erfinv
from rushlight.engine.loops.maths.exponential import exp
from rushlight.engine.loops.maths.gamma import (
    digamma,
    in_double,
    lgamma,
    polygamma,
    sin_cos_pi,
    zeta,
)
from rushlight.engine.loops.maths.logarithm import log, log1p

__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "digamma",
    "entr",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "lgamma",
    "log_ndtr",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "ndtr",
    "ndtri",
    "polygamma",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "sinc",
    "spherical_bessel_j0",
    "xlog1py",
    "xlogy",
    "zeta",
]

SQRT_HALF = math.sqrt(0.5)
SQRT_HALF_LOW = 4.833646656726457e-17  # sqrt(1/2) rounded, less sqrt(1/2)


@elementary
def entr(x: Value) -> Value:
    """-x log(x), zero at zero and minus infinity below."""
    result = select(x == 0, const(x.type, 0), -x * log(x))
    return select(x < 0, const(x.type, -math.inf), result)


@elementary
def xlogy(x: Value, y: Value) -> Value:
    """x log(y), zero where x is, unless y is NaN."""
    return select((x == 0) & ~isnan(y), const(x.type, 0), x * log(y))


@elementary
def xlog1py(x: Value, y: Value) -> Value:
    """x log(1 + y), zero where x is, unless y is NaN."""
    return select((x == 0) & ~isnan(y), const(x.type, 0), x * log1p(y))


@elementary
@in_double
def ndtr(x: Value) -> Value:
    """The normal distribution function."""
    t = x * -SQRT_HALF
    # erfc is steep: what the product rounded off counts, by erfc's derivative
    low = fma(x, -SQRT_HALF, -t) + x * SQRT_HALF_LOW
    slope = exp(-t * t) * (2 / math.sqrt(math.pi))
    return (erfc(t) - select(abs(t) < 30, low * slope, const("f64", 0))) * 0.5


@elementary
@in_double
def log_ndtr(x: Value) -> Value:
    """The logarithm of `ndtr`, also where that underflows."""
    t = x * SQRT_HALF
    left = log(erfcx(-t) * 0.5) - t * t
    result = select(x < -1, left, log1p(-ndtr(-x)))
    return select(x == -math.inf, x, result)


@elementary
@in_double
def ndtri(p: Value) -> Value:
    """The normal distribution's quantile function."""
    upper = p > 0.5
    tail = select(upper, 1 - p, p)
    middle = erfinv((p - 0.5) * 2) * math.sqrt(2)
    r = sqrt(log(select(tail < 0.13, tail, const("f64", 0.13))) * -2)
    near = polynomial(1 / r - 5 / 16, c.NDTRI_MIDDLE_F64)
    far = polynomial(1 / r - 3 / 40, c.NDTRI_FAR_F64)
    x = r * select(r < 8, near, far)
    result = select(tail < 0.13, select(upper, x, -x), middle)
    result = select(p == 0, const("f64", -math.inf), result)
    result = select(p == 1, const("f64", math.inf), result)
    return select((p >= 0) & (p <= 1), result, const("f64", math.nan))


@elementary
@in_double
def sinc(x: Value) -> Value:
    """sin(pi x) / (pi x)."""
    sine, _ = sin_cos_pi(x)
    return select(x == 0, const("f64", 1), sine / (x * math.pi))
