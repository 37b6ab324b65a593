"""Special functions against mpmath: f32 to the last place, f64 to a few units of its scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from driver import run

from rushlight.engine.loops.expr import Value, const
from rushlight.engine.loops.maths import special

mpf, sqrt = mpmath.mpf, mpmath.sqrt
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def zeta_at(q: float) -> Callable[[Value], Value]:
    return lambda x: special.zeta(x, const(x.type, q))


def lgamma(x: Any) -> Any:
    return mpmath.log(abs(mpmath.gamma(x)))


def log_ndtr(x: Any) -> Any:
    return mpmath.log(mpmath.erfc(-x / sqrt(2)) / 2)


def ndtri(p: Any) -> Any:
    if p > mpf("0.1"):
        return sqrt(2) * mpmath.erfinv(2 * p - 1)
    x = -sqrt(-2 * mpmath.log(p))
    for _ in range(20):
        x -= (mpmath.log(mpmath.ncdf(x) / p)) * mpmath.ncdf(x) / mpmath.npdf(x)
    return x


def bessel(kind: Any, order: int, growth: int = 0) -> Any:
    return lambda x: kind(order, x) * mpmath.exp(growth * abs(x))


def besselk(order: int, growth: int = 0) -> Any:
    """K by the trapezoidal rule, whose error is that of the sums: mpmath's own takes 20 ms for each value."""
    t = np.arange(0, 30, 0.0625, dtype=np.longdouble)
    weights = np.cosh(order * t) * np.where(t > 0, t[1], t[1] / 2)
    depths = 2 * np.sinh(t / 2) ** 2 + (1 - growth)

    def truth(x: Any) -> Any:
        return mpf(str(np.sum(np.exp(-np.longdouble(float(x)) * depths) * weights)))

    return truth


@pytest.mark.parametrize("order", [0, 1])
def test_the_trapezoidal_rule(order: int) -> None:
    with mpmath.workdps(40):
        for x in (1e-9, 0.3, 7.0, 80.0):
            want = mpmath.besselk(order, x)
            assert abs(besselk(order)(mpf(x)) - want) < 1e-17 * want
            want *= mpmath.exp(x)
            assert abs(besselk(order, 1)(mpf(x)) - want) < 1e-17 * want


# function, truth, ranges, and how many f64 units of max(|truth|, scale) it may be off
CASES: list[tuple[str, Any, Any, list[tuple[float, float]], float, float]] = [
    ("lgamma", special.lgamma, lgamma, [(1e-30, 1e-3), (0.01, 3), (2, 12), (8, 1e10)], 1.5, 0),
    ("lgamma<0", special.lgamma, lgamma, [(-20, 0)], 4, 1),
    ("digamma", special.digamma, mpmath.digamma, [(0.01, 3), (2, 12), (8, 1e10)], 8, 1),
    ("digamma<0", special.digamma, mpmath.digamma, [(-5, 0)], 8, 3),
    ("zeta", zeta_at(2.5), lambda x: mpmath.zeta(x, mpf(2.5)), [(1.01, 3), (3, 40)], 4, 0),
    ("trigamma", lambda x: special.polygamma(1, x), lambda x: mpmath.psi(1, x), [(0.1, 20)], 4, 0),
    ("psi3", lambda x: special.polygamma(3, x), lambda x: mpmath.psi(3, x), [(0.1, 20)], 4, 0),
    ("ndtr", special.ndtr, mpmath.ncdf, [(-5, 5), (-37, -5)], 4, 0),
    ("log_ndtr", special.log_ndtr, log_ndtr, [(-5, 5), (-100, -1)], 5, 0),
    ("ndtri", special.ndtri, ndtri, [(0.01, 0.99), (1e-30, 0.1), (1e-300, 1e-20)], 4, 0),
    ("sinc", special.sinc, lambda x: mpmath.sinpi(x) / (mpmath.pi * x), [(-5, 5)], 3, 0),
    ("i0", special.i0, bessel(mpmath.besseli, 0), [(-3, 3), (0, 80)], 6, 0),
    ("i0e", special.i0e, bessel(mpmath.besseli, 0, -1), [(-3, 3), (0, 80)], 5, 0),
    ("i1", special.i1, bessel(mpmath.besseli, 1), [(-3, 3), (0, 80)], 6, 0),
    ("i1e", special.i1e, bessel(mpmath.besseli, 1, -1), [(-3, 3), (0, 80)], 5, 0),
    ("k0", special.modified_bessel_k0, besselk(0), [(1e-9, 1), (0.1, 80)], 10, 0),
    ("k1", special.modified_bessel_k1, besselk(1), [(1e-9, 1), (0.1, 80)], 6, 0),
    ("k0e", special.scaled_modified_bessel_k0, besselk(0, 1), [(0.1, 80)], 10, 0),
    ("k1e", special.scaled_modified_bessel_k1, besselk(1, 1), [(0.1, 80)], 6, 0),
    ("j0", special.bessel_j0, bessel(mpmath.besselj, 0), [(-6, 6), (5, 100)], 4, 0.5),
    ("j1", special.bessel_j1, bessel(mpmath.besselj, 1), [(-6, 6), (5, 100)], 4, 0.5),
    ("y0", special.bessel_y0, bessel(mpmath.bessely, 0), [(0.001, 6), (5, 100)], 10, 0.5),
    ("y1", special.bessel_y1, bessel(mpmath.bessely, 1), [(0.001, 6), (5, 100)], 10, 0.5),
    ("airy_ai", special.airy_ai, mpmath.airyai, [(-3, 3), (2, 8), (-50, -2)], 14, 0.25),
    ("spherical_j0", special.spherical_bessel_j0, mpmath.sinc, [(-10, 10)], 3, 0),
]


@pytest.mark.parametrize("float_type", [np.float32, np.float64])
@pytest.mark.parametrize(
    "function, truth, ranges, units, scale", [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_accuracy(
    float_type: type, function: Any, truth: Any, ranges: Any, units: float, scale: float
) -> None:
    rng = np.random.default_rng(23)
    parts = []
    for low, high in ranges:
        wide = low > 0 and high / low > 1000
        x = np.exp(rng.uniform(np.log(low), np.log(high), 60)) if wide else None
        parts.append(rng.uniform(low, high, 60) if x is None else x)
    x = np.concatenate(parts).astype(float_type)
    x = x[np.abs(x) > np.finfo(float_type).tiny]
    with mpmath.workdps(40):
        want = np.array(
            [np.longdouble(mpmath.nstr(mpmath.re(truth(mpf(float(v)))), 25)) for v in x]
        )
    got = run(function, x)
    info = np.finfo(float_type)
    size = np.maximum(np.abs(want), np.longdouble(info.tiny))
    if float_type is np.float32:
        units = 2.0
    size = np.maximum(size, scale)
    error = np.abs(got - want) / size / (info.eps / 2)
    error = np.where(np.abs(want) > info.max, 0, error)
    i = int(np.argmax(error))
    assert error[i] <= 2 * units, (error[i], x[i], got[i], want[i])


INF, NAN = np.inf, np.nan
SPECIAL = [
    ("lgamma", [0, -1, -2, INF, -INF, NAN, 1, 2], [INF, INF, INF, INF, INF, NAN, 0, 0]),
    ("digamma", [0.0, -0.0, -1, INF, NAN], [-INF, INF, NAN, INF, NAN]),
    ("ndtr", [-INF, INF, 0, NAN], [0, 1, 0.5, NAN]),
    ("log_ndtr", [-INF, INF, NAN], [-INF, 0, NAN]),
    ("ndtri", [0, 1, 0.5, -1, 2, NAN], [-INF, INF, 0, NAN, NAN, NAN]),
    ("entr", [0, 1, -1, INF, NAN], [0, 0, -INF, -INF, NAN]),
    ("sinc", [0, 1, 2, NAN], [1, 0, 0, NAN]),
    ("i0", [0, INF, -INF, NAN], [1, INF, INF, NAN]),
    ("i1", [0, INF, -INF, NAN], [0, INF, -INF, NAN]),
    ("i0e", [0, INF, NAN], [1, 0, NAN]),
    ("i1e", [0, INF, NAN], [0, 0, NAN]),
    ("modified_bessel_k0", [0, -1, INF, NAN], [INF, NAN, 0, NAN]),
    ("modified_bessel_k1", [0, -1, INF, NAN], [INF, NAN, 0, NAN]),
    ("bessel_j0", [0, INF, NAN], [1, 0, NAN]),
    ("bessel_j1", [0, INF, NAN], [0, 0, NAN]),
    ("bessel_y0", [0, -1, INF, NAN], [-INF, NAN, 0, NAN]),
    ("bessel_y1", [0, -1, INF, NAN], [-INF, NAN, 0, NAN]),
    ("airy_ai", [INF, -INF, NAN], [0, 0, NAN]),
    ("spherical_bessel_j0", [0, INF, NAN], [1, 0, NAN]),
]


@pytest.mark.parametrize("float_type", [np.float32, np.float64])
@pytest.mark.parametrize("name, x, want", SPECIAL, ids=[s[0] for s in SPECIAL])
def test_special_values(float_type: type, name: str, x: list[float], want: list[float]) -> None:
    got = run(getattr(special, name), np.array(x, float_type))
    np.testing.assert_array_equal(got, np.array(want, float_type))


@pytest.mark.parametrize("float_type", [np.float32, np.float64])
def test_products_with_a_logarithm_are_zero_where_the_factor_is(float_type: type) -> None:
    x = np.array([0, 0, 0, 2, 0], float_type)
    y = np.array([0, INF, -1, 1, NAN], float_type)
    np.testing.assert_array_equal(run(special.xlogy, x, y), [0, 0, 0, 0, NAN])
    np.testing.assert_array_equal(
        run(special.xlog1py, x, y)[[0, 1, 2, 4]], np.array([0, 0, 0, NAN], float_type)
    )
