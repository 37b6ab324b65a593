"""Integer division, powers and common divisors against numpy and Python."""

from __future__ import annotations

import numpy as np
import pytest
from driver import run

from rushlight.engine.loops import maths
from rushlight.engine.loops.maths import integers

TYPES = [np.int8, np.uint8, np.int16, np.int32, np.int64]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def pairs(integer: type) -> tuple[np.ndarray, np.ndarray]:
    info = np.iinfo(integer)
    rng = np.random.default_rng(5)
    edges = np.array([info.min, info.min + 1, 0, 1, 2, 3, info.max - 1, info.max], integer)
    edges = np.append(edges, ~np.zeros(1, integer))
    a, b = np.meshgrid(edges, edges)
    wide = rng.integers(info.min, info.max, (2, 2000), dtype=integer, endpoint=True)
    small = rng.integers(0, 60, (2, 1000)).astype(integer)
    return (
        np.concatenate([a.ravel(), wide[0], small[0], wide[0][:1000]]),
        np.concatenate([b.ravel(), wide[1], small[1], small[0]]),
    )


@pytest.mark.parametrize("integer", TYPES)
def test_division_rounds_down(integer: type) -> None:
    a, b = pairs(integer)
    a, b = a[b != 0], b[b != 0]
    np.testing.assert_array_equal(run(integers.floor_divide, a, b), np.floor_divide(a, b))
    np.testing.assert_array_equal(run(integers.remainder, a, b), np.remainder(a, b))


@pytest.mark.parametrize("integer", TYPES)
def test_truncating_division(integer: type) -> None:
    a, b = pairs(integer)
    a, b = a[b != 0], b[b != 0]
    quotient = run(integers.truncated_divide, a, b)
    rest = run(integers.truncated_remainder, a, b)
    np.testing.assert_array_equal(rest, np.fmod(a, b))
    np.testing.assert_array_equal(quotient * b + rest, a)


def test_division_by_zero_does_not_trap() -> None:
    a, zero = np.array([5, -5, 0]), np.zeros(3, np.int64)
    assert run(integers.floor_divide, a, zero).shape == (3,)


@pytest.mark.parametrize("integer", TYPES)
def test_gcd_and_lcm(integer: type) -> None:
    a, b = pairs(integer)
    least = np.iinfo(integer).min
    # The smallest number has no positive counterpart, and what is divided by it keeps signs.
    found, has_sign = run(integers.gcd, a, b), (a == least) | (b == least)
    np.testing.assert_array_equal(found[~has_sign], np.gcd(a, b)[~has_sign])
    np.testing.assert_array_equal(np.abs(found[has_sign]), np.abs(np.gcd(a, b)[has_sign]))
    small = (np.abs(a.astype(np.float64)) < 11) & (np.abs(b.astype(np.float64)) < 11)
    a, b = a[small], b[small]
    np.testing.assert_array_equal(run(integers.lcm, a, b), np.lcm(a, b))


def test_gcd_takes_most_rounds_for_neighbours_in_the_fibonacci_series() -> None:
    series = [1, 1]
    while series[-1] + series[-2] < 2**63:
        series.append(series[-1] + series[-2])
    a, b = np.array(series[:-1]), np.array(series[1:])
    for x, y in ((a, b), (b, a), (-a, b), (a[10:] * 1, b[10:] - 1)):
        np.testing.assert_array_equal(run(integers.gcd, x, y), np.gcd(x, y))


def test_integer_power_wraps_and_truncates() -> None:
    rng = np.random.default_rng(6)
    base, exponent = rng.integers(-5, 6, 2000), rng.integers(-3, 70, 2000)
    exact = [
        int(b) ** int(e) if e >= 0 else (int(b) ** -int(e) if abs(b) == 1 else 0)
        for b, e in zip(base, exponent, strict=True)
    ]
    want = np.array([((v + 2**63) % 2**64) - 2**63 for v in exact])
    np.testing.assert_array_equal(run(maths.integer_power, base, exponent), want)
