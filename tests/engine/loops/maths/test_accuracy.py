"""Every function against wider arithmetic, over all of its range, in units of the last place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from driver import run
from ulp import ulp_error

from rushlight.engine.loops import maths

WIDE = np.longdouble
FLOATS = {"f32": np.float32, "f64": np.float64}
BITS = {"f32": np.uint32, "f64": np.uint64}

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.skipif(np.finfo(WIDE).nmant < 63, reason="needs a wider long double"),
]


def points(type: str, count: int, *ranges: tuple[float, float]) -> np.ndarray:
    """Numbers of all magnitudes, numbers spread evenly over some ranges, and the special ones."""
    rng = np.random.default_rng(17)
    float_type = FLOATS[type]
    info = np.finfo(float_type)
    bits = np.iinfo(BITS[type]).max
    parts = [rng.integers(0, bits, count, dtype=BITS[type]).view(float_type)]
    parts += [rng.uniform(a, b, count).astype(float_type) for a, b in ranges]
    edges = [0, 1, 2, 3, 0.5, np.inf, info.tiny, info.smallest_subnormal, info.max, 10, 100, 1000]
    edges += [1 + info.eps, 1 - info.eps / 2]
    edges = np.array([*edges, np.nan], float_type)
    return np.concatenate([*parts, edges, -edges])


def assert_close(got: np.ndarray, want: np.ndarray, bound: float, *inputs: np.ndarray) -> None:
    error = ulp_error(got, want)
    worst = int(np.argmax(error))
    assert error[worst] <= bound, (
        f"{error[worst]} ulp at {[x[worst] for x in inputs]}: {got[worst]}, not {want[worst]}"
    )
    zero = (got == 0) & (want == 0)
    assert (np.signbit(got) == np.signbit(want))[zero].all()


def sigmoid(x: Any) -> Any:
    return np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x)))


def softplus(x: Any) -> Any:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


AROUND_ONE = ((-1.0, 1.0), (0.4, 0.6), (0.99, 1.01))
FUNCTIONS: list[tuple[str, Callable[..., Any], float, tuple[tuple[float, float], ...]]] = [
    ("exp", np.exp, 1.1, ((-100, 100), (-1, 1))),
    ("exp2", np.exp2, 1, ((-100, 100), (-1, 1))),
    ("expm1", np.expm1, 1, ((-100, 100), (-1, 1))),
    ("sigmoid", sigmoid, 2, ((-100, 100), (-5, 5))),
    ("sigmoid_quick", sigmoid, 2.5, ((-100, 100), (-5, 5))),
    ("softplus", softplus, 3, ((-100, 100), (-5, 5))),
    (
        "log_sigmoid",
        lambda x: np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))),
        3,
        ((-100, 100), (-5, 5)),
    ),
    ("log", np.log, 1, ((0, 100), (0.9, 1.1))),
    ("log2", np.log2, 1, ((0, 100), (0.9, 1.1))),
    ("log10", np.log10, 1, ((0, 100), (0.9, 1.1))),
    ("log1p", np.log1p, 1, ((-1, 100), (-0.1, 0.1))),
    ("asin", np.arcsin, 1.5, AROUND_ONE),
    ("acos", np.arccos, 1.5, AROUND_ONE),
    ("atan", np.arctan, 1.5, ((-3, 3), (-0.5, 0.5))),
    ("sinh", np.sinh, 1.5, ((-100, 100), (-1, 1))),
    ("cosh", np.cosh, 1.5, ((-100, 100), (-1, 1))),
    ("tanh", np.tanh, 1.5, ((-10, 10), (-1, 1))),
    ("asinh", np.arcsinh, 2, ((-100, 100), (-1, 1))),
    ("acosh", np.arccosh, 2, ((1, 100), (1, 1.2))),
    ("atanh", np.arctanh, 1, AROUND_ONE),
    ("cbrt", np.cbrt, 1, ((-100, 100), (-1, 1))),
    ("rsqrt", lambda x: 1 / np.sqrt(x), 1.5, ((0, 100), (0, 1))),
]


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("name, truth, bound, ranges", FUNCTIONS, ids=[f[0] for f in FUNCTIONS])
def test_one_argument(type: str, name: str, truth: Any, bound: float, ranges: Any) -> None:
    x = points(type, 10_000, *ranges)
    assert_close(run(getattr(maths, name), x), truth(x.astype(WIDE)), bound, x)


def precisely(f: Callable[[Any], Any], x: np.ndarray, digits: int) -> np.ndarray:
    """``f`` of each number by mpmath with so many digits, as long doubles."""
    out = np.full(x.size, np.nan, WIDE)
    with mpmath.workdps(digits):
        for i, v in enumerate(x):
            if not np.isnan(v):
                out[i] = WIDE(mpmath.nstr(f(mpmath.mpf(float(v))), 25))
    return np.where(out == 0, np.copysign(WIDE(0), x), out)


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_trigonometric(type: str, name: str) -> None:
    turns = (np.arange(1, 200) * (np.pi / 2)).astype(FLOATS[type])
    # the f64 nearest to a multiple of pi/2, and other hard ones
    hard = np.array([6381956970095103 * 2.0**70, 1e22, 3.3e38], FLOATS[type])
    x = np.concatenate([turns, np.nextafter(turns, 0), hard, points(type, 700, (-10, 10))])
    if type == "f64":
        x = np.append(x, 6381956970095103 * 2.0**797)
    x = x[np.isfinite(x)]
    digits = 360 if type == "f64" else 80
    assert_close(
        run(getattr(maths, name), x),
        precisely(getattr(mpmath, name), x, digits),
        2 if type == "f32" else 1,
        x,
    )
    infinite = np.array([np.inf, -np.inf, np.nan], FLOATS[type])
    assert np.isnan(run(getattr(maths, name), infinite)).all()


@pytest.mark.parametrize("type", FLOATS)
def test_sin_cos_is_sin_and_cos(type: str) -> None:
    x = points(type, 1000, (-10, 10))
    sine, cosine = run(maths.sin_cos, x)
    np.testing.assert_array_equal(sine, run(maths.sin, x))
    np.testing.assert_array_equal(cosine, run(maths.cos, x))


def erfc(x: Any) -> Any:
    return mpmath.erfc(max(min(x, mpmath.mpf(1000)), mpmath.mpf(-1000)))


def erfcx(x: Any) -> Any:
    if x < -30:
        return mpmath.inf
    if x > 100:
        return mpmath.hyp2f0(1, 0.5, -1 / (x * x)) / (x * mpmath.sqrt(mpmath.pi))
    return mpmath.exp(x * x) * mpmath.erfc(x)


def erfinv(x: Any) -> Any:
    return mpmath.nan if abs(x) > 1 else x * mpmath.inf if abs(x) == 1 else mpmath.erfinv(x)


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize(
    "name, truth, count, ranges",
    [
        ("erf", mpmath.erf, 1500, ((-4, 4), (-1, 1))),
        ("erfc", erfc, 1500, ((-4, 4), (0, 28))),
        ("erfcx", erfcx, 1500, ((-4, 4), (-28, 28))),
        ("erfinv", erfinv, 200, ((-1, 1), (0.99, 1))),
    ],
    ids=["erf", "erfc", "erfcx", "erfinv"],
)
def test_error_functions(type: str, name: str, truth: Any, count: int, ranges: Any) -> None:
    x = points(type, count, *ranges)
    assert_close(run(getattr(maths, name), x), precisely(truth, x, 40), 2, x)
