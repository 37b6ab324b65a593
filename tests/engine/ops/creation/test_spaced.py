"""Evenly spaced numbers: one rounding each, counted from the nearer end."""

from fractions import Fraction

import numpy as np
import pytest

import rushlight as torch


def spaced(start, end, steps, kind):
    """The numbers as exact fractions, rounded once."""
    start, end = Fraction(float(kind(start))), Fraction(float(kind(end)))
    step = Fraction(float(kind(kind(end) - kind(start)) / kind(steps - 1)))
    exact = [
        start + step * i if i < steps // 2 else end - step * (steps - 1 - i) for i in range(steps)
    ]
    return np.array([float(x) for x in exact]).astype(kind)


@pytest.mark.parametrize("steps", [2, 5, 7, 16, 33])
@pytest.mark.parametrize("start, end", [(-1, 1), (0, 1), (0.1, 3.3), (5, -7)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_linspace(start, end, steps, kind):
    found = torch.linspace(start, end, steps, dtype=getattr(torch, kind.__name__)).numpy()
    np.testing.assert_array_equal(found, spaced(start, end, steps, kind))
