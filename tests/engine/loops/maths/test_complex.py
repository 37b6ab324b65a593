"""Complex functions against long doubles, and against C's special values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from driver import run

from rushlight.engine.loops.expr import Complex, Value
from rushlight.engine.loops.maths import complex_functions

WIDE = np.clongdouble
TYPES = [np.complex64, np.complex128]
pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="needs a wider long double"),
]


def run_complex(function: Any, *inputs: np.ndarray) -> np.ndarray:
    def parts(*values: Value) -> Any:
        numbers = [Complex(*values[2 * i : 2 * i + 2]) for i in range(len(inputs))]
        result = function(*numbers)
        return (result.real, result.imag) if isinstance(result, Complex) else result

    real_inputs = [np.ascontiguousarray(part) for z in inputs for part in (z.real, z.imag)]
    result = run(parts, *real_inputs)
    if not isinstance(result, tuple):
        return result
    out = np.empty(inputs[0].size, inputs[0].dtype)
    out.real, out.imag = result
    return out


def points(type: type) -> np.ndarray:
    rng = np.random.default_rng(3)

    def around(centre: complex, spread: float, n: int) -> np.ndarray:
        return centre + spread * (rng.normal(size=n) + 1j * rng.normal(size=n))

    size = np.exp(rng.uniform(-60, 60, 1000))
    parts = [around(0, 1, 2000), around(0, 30, 500), around(1, 1e-6, 500), around(0, 1e-5, 500)]
    parts += [np.exp(1j * rng.uniform(-3, 3, 500)), size * np.exp(1j * rng.uniform(-3, 3, 1000))]
    return np.concatenate(parts).astype(type)


def assert_close(got: np.ndarray, want: np.ndarray, bound: float, *inputs: np.ndarray) -> None:
    """Within so many ulps of the result's size, where that is neither huge nor tiny."""
    info = np.finfo(got.dtype)
    size = np.abs(want)
    error = np.abs(got.astype(WIDE) - want) / size / (info.eps / 2)
    counts = (size < info.max / 2) & (size > info.tiny * 4)
    error = np.where(counts, np.where(np.isnan(error), np.inf, error), 0)
    i = int(np.argmax(error))
    assert error[i] <= bound, (error[i], [z[i] for z in inputs], got[i], want[i])


def log1p(z: Any) -> Any:
    """numpy's own loses small real parts."""
    x, y = z.real, z.imag
    return np.log1p(2 * x + x * x + y * y) / 2 + 1j * np.arctan2(y, 1 + x)


FUNCTIONS = {
    "exp": np.exp, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": log1p, "sqrt": np.sqrt, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "reciprocal": np.reciprocal, "absolute": np.abs, "angle": np.angle, "sgn": np.sign,
    "rsqrt": lambda z: 1 / np.sqrt(z), "sigmoid": lambda z: 1 / (1 + np.exp(-z)),
}  # fmt: skip


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_accuracy(type: type, name: str) -> None:
    z = points(type)
    got = run_complex(getattr(complex_functions, name), z)
    assert_close(got, FUNCTIONS[name](z.astype(WIDE)), 6, z)


@pytest.mark.parametrize("type", TYPES)
def test_exp2_and_pow(type: type) -> None:
    rng = np.random.default_rng(4)
    z = (rng.normal(size=2000) + 1j * rng.normal(size=2000)).astype(type)
    w = (rng.normal(size=2000) + 1j * rng.normal(size=2000)).astype(type)
    assert_close(run_complex(complex_functions.exp2, z), np.exp2(z.astype(WIDE)), 6, z)
    want = np.power(z.astype(WIDE), w.astype(WIDE))
    assert_close(run_complex(complex_functions.pow, z, w), want, 40, z, w)
    zero = np.zeros(3, type)
    powers = np.array([0, 2, -1], type)
    got = run_complex(complex_functions.pow, zero, powers)
    assert got[0] == 1 and got[1] == 0 and np.isinf(got[2])


# zeros with their signs, poles, branch cuts and infinities
SPECIAL = [
    ("sqrt", -4 + 0j, 2j), ("sqrt", complex(-4, -0.0), complex(0, -2)),
    ("sqrt", complex(1, np.inf), None),
    ("log", 0j, complex(-np.inf, 0)), ("log", -1 + 0j, complex(0, np.pi)),
    ("log", complex(-1, -0.0), complex(0, -np.pi)), ("exp", complex(-np.inf, np.nan), 0j),
    ("exp", complex(np.inf, 0), complex(np.inf, 0)), ("exp", complex(np.nan, 0), None),
    ("asin", 2 + 0j, None), ("asin", complex(2, -0.0), None), ("acos", -2 + 0j, None),
    ("acos", complex(np.inf, 0), None),
    ("acosh", -1 + 0j, None),
    ("acosh", complex(0.5, -0.0), None),
    ("atanh", 2 + 0j, None), ("atanh", complex(2, -0.0), None), ("atanh", 1 + 0j, None),
    ("tanh", complex(np.inf, 1), None), ("tanh", complex(-np.inf, np.inf), None),
    ("sinh", complex(np.inf, 0), None), ("cosh", complex(np.inf, 0), None),
    ("sinh", complex(710.5, 0.5), None), ("cosh", complex(-710.5, 0.5), None),
    ("log1p", -1 + 0j, complex(-np.inf, 0)), ("asinh", complex(0, 2), None),
]  # fmt: skip


@pytest.mark.parametrize("name, z, want", SPECIAL)
def test_special_values(name: str, z: complex, want: complex | None) -> None:
    got = run_complex(getattr(complex_functions, name), np.array([z]))[0]
    truth = complex(FUNCTIONS[name](np.complex128(z))) if want is None else want
    for a, b in ((got.real, truth.real), (got.imag, truth.imag)):
        if np.isnan(b):
            assert np.isnan(a)
        else:
            assert a == pytest.approx(b, rel=1e-14) and np.signbit(a) == np.signbit(b)
