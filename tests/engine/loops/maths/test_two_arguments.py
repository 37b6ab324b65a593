"""Functions of two floats, with all pairs of special values, and functions of a float's bits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from driver import run
from ulp import ulp_error

import rushlight as torch
from rushlight.engine.loops import maths

WIDE = np.longdouble
FLOATS = [np.float32, np.float64]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def special_pairs(float_type: type) -> tuple[np.ndarray, np.ndarray]:
    info = np.finfo(float_type)
    values = [0, 1, np.inf, np.nan, 2, 3, 0.5, 2.5, 1e30, 1e-30, info.max, info.smallest_subnormal]
    signed = np.array([*values, *(-v for v in values)], float_type)
    a, b = np.meshgrid(signed, signed)
    return a.ravel(), b.ravel()


def random_bits(float_type: type, seed: int, count: int = 20_000) -> np.ndarray:
    unsigned = np.uint32 if float_type is np.float32 else np.uint64
    rng = np.random.default_rng(seed)
    return rng.integers(0, np.iinfo(unsigned).max, count, dtype=unsigned).view(float_type)


def assert_same(got: np.ndarray, want: np.ndarray, *inputs: np.ndarray) -> None:
    """Equal bits, but for NaN's."""
    same = (got == want) & (np.signbit(got) == np.signbit(want))
    same |= np.isnan(got) & np.isnan(want)
    wrong = np.flatnonzero(~same)
    assert not wrong.size, [(*(x[i] for x in inputs), got[i], want[i]) for i in wrong[:5]]


def assert_close(got: np.ndarray, want: np.ndarray, bound: float, *inputs: np.ndarray) -> None:
    error = ulp_error(got, want)
    i = int(np.argmax(error))
    assert error[i] <= bound, (error[i], [x[i] for x in inputs], got[i], want[i])
    nan = np.isnan(got)
    assert (np.signbit(got) == np.signbit(want))[~nan].all()


@pytest.mark.parametrize("float_type", FLOATS)
@pytest.mark.parametrize("name, truth", [("pow", np.power), ("atan2", np.arctan2)])
def test_special_pairs(float_type: type, name: str, truth: np.ufunc) -> None:
    a, b = special_pairs(float_type)
    wide = truth(a.astype(WIDE), b.astype(WIDE))
    assert_close(run(getattr(maths, name), a, b), wide, 2, a, b)


@pytest.mark.parametrize("float_type", FLOATS)
def test_pow(float_type: type) -> None:
    rng = np.random.default_rng(1)
    a = np.exp(rng.uniform(-80, 80, 20_000)).astype(float_type)
    reach = 100 if float_type is np.float32 else 740
    b = (rng.uniform(-reach, reach, a.size) / np.abs(np.log(a))).astype(float_type)
    # long doubles lose 10 bits in the power itself
    assert_close(run(maths.pow, a, b), np.power(a.astype(WIDE), b.astype(WIDE)), 1, a, b)


def test_single_precision_powers_have_the_bits_of_the_common_recipe() -> None:
    known = [
        (0.1, 2.5, "0x1.9e7c700000000p-9"),
        (7.3, -3.7, "0x1.4f2d840000000p-11"),
        (1.0001, 1000.0, "0x1.1aed520000000p+0"),
        (3e-40, 0.3, "0x1.875bf80000000p-40"),
        (123.4, 11.1, "0x1.15081c0000000p+77"),
        (0.9, -400.0, "0x1.be1bec0000000p+60"),
    ]
    a, b = (np.array([row[k] for row in known], np.float32) for k in (0, 1))
    assert [float(x).hex() for x in run(maths.pow, a, b)] == [row[2] for row in known]


@pytest.mark.parametrize("float_type", FLOATS)
def test_atan2(float_type: type) -> None:
    y, x = np.random.default_rng(2).normal(size=(2, 20_000)).astype(float_type)
    assert_close(run(maths.atan2, y, x), np.arctan2(y.astype(WIDE), x.astype(WIDE)), 2, y, x)


@pytest.mark.parametrize("float_type", FLOATS)
def test_hypot(float_type: type) -> None:
    a, b = special_pairs(float_type)
    c, d = random_bits(float_type, 3), random_bits(float_type, 4)
    a, b = np.concatenate([a, c, c]), np.concatenate([b, d, c * float_type(0.7)])
    assert_close(run(maths.hypot, a, b), np.hypot(a.astype(WIDE), b.astype(WIDE)), 1, a, b)


@pytest.mark.parametrize("float_type", FLOATS)
def test_fmod_is_exact(float_type: type) -> None:
    a, b = special_pairs(float_type)
    c, d = random_bits(float_type, 5), random_bits(float_type, 6)
    a, b = np.concatenate([a, c, c]), np.concatenate([b, d, c * float_type(1.37e-7)])
    assert_same(run(maths.fmod, a, b), np.fmod(a, b), a, b)


@pytest.mark.parametrize("float_type", FLOATS)
def test_remainder_and_floor_divide_have_python_signs(float_type: type) -> None:
    a, b = np.random.default_rng(7).normal(size=(2, 20_000)).astype(float_type)
    a = a * float_type(100)
    whole, rest = run(maths.floor_divide, a, b), run(maths.remainder, a, b)
    want_whole, want_rest = np.divmod(a, b)
    assert_same(whole, want_whole, a, b)
    assert_same(rest, want_rest, a, b)
    zero = np.zeros(4, float_type)
    by_zero = run(maths.floor_divide, np.array([1, -1, 0, np.nan], float_type), zero)
    assert_same(by_zero, np.array([np.inf, -np.inf, np.nan, np.nan], float_type))


@pytest.mark.parametrize("float_type", FLOATS)
def test_nextafter(float_type: type) -> None:
    a, b = special_pairs(float_type)
    a, b = np.append(a, random_bits(float_type, 8)), np.append(b, random_bits(float_type, 9))
    assert_same(run(maths.nextafter, a, b), np.nextafter(a, b), a, b)


@pytest.mark.parametrize("float_type", FLOATS)
def test_frexp_and_ldexp(float_type: type) -> None:
    x = np.append(random_bits(float_type, 10), special_pairs(float_type)[0])
    mantissa, exponent = run(maths.frexp, x)
    want_mantissa, want_exponent = np.frexp(x)
    assert_same(mantissa, want_mantissa, x)
    finite = np.isfinite(x)
    np.testing.assert_array_equal(exponent[finite], want_exponent[finite])
    reach = 400 if float_type is np.float32 else 2500
    n = np.random.default_rng(11).integers(-reach, reach, x.size).astype(np.int32)
    assert_same(run(maths.ldexp, x, n), np.ldexp(x, n), x, n)


@pytest.mark.parametrize("float_type", FLOATS)
@pytest.mark.parametrize(
    "name, truth", [("logaddexp", np.logaddexp), ("logaddexp2", np.logaddexp2)]
)
def test_logaddexp(float_type: type, name: str, truth: np.ufunc) -> None:
    a, b = special_pairs(float_type)
    # -0.5 and -1 cancel nearly
    assert_close(run(getattr(maths, name), a, b), truth(a.astype(WIDE), b.astype(WIDE)), 20, a, b)
    a, b = np.random.default_rng(12).uniform(0, 20, size=(2, 5000)).astype(float_type)
    assert_close(run(getattr(maths, name), a, b), truth(a.astype(WIDE), b.astype(WIDE)), 3, a, b)


@pytest.mark.parametrize("float_type", FLOATS)
@pytest.mark.parametrize("decimals", [0, 2, -1])
def test_round_decimals(float_type: type, decimals: int) -> None:
    x = np.random.default_rng(13).uniform(-1000, 1000, 2000).astype(float_type)
    got = run(lambda v: maths.round_decimals(v, decimals), x)
    assert_same(got, np.round(x, decimals), x)


def test_angles_of_the_axes_and_diagonals_are_rounded_to_the_nearest():
    one = torch.ones(20)
    for y, x, angle in [
        (1, 0.0, math.pi / 2), (1, -0.0, math.pi / 2), (-1, -0.0, -math.pi / 2), (0.0, -1, math.pi),
        (1, 1, math.pi / 4), (1, -1, 3 * math.pi / 4), (-1, -1, -3 * math.pi / 4),
    ]:  # fmt: skip
        found = torch.atan2(one * y, one * x)
        assert found.tolist() == [torch.tensor(angle, dtype=torch.float32).item()] * 20
    assert (4 * torch.atan(one)).tolist() == torch.full((20,), math.pi).tolist()
