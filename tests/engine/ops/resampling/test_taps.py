"""Tables of the old elements that make up new ones, and of what each counts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight.engine.ops.resampling import taps
from rushlight.engine.ops.resampling.taps import CUBIC, LINEAR, Line
from rushlight.nn import functional as F

LENGTHS = st.integers(1, 40)
LINES = st.builds(Line, LENGTHS, LENGTHS, st.one_of(st.none(), st.floats(0.1, 5.0)), st.booleans())


def source(line: Line, i: int) -> float:
    """Where a new element lies, as PyTorch's documentation of `align_corners` tells."""
    if line.align_corners:
        return i * ((line.old - 1) / (line.new - 1)) if line.new > 1 else 0.0
    step = 1 / line.factor if line.factor else line.old / line.new
    return (i + 0.5) * step - 0.5


@settings(deadline=None)
@given(LINES)
def test_linear(line: Line) -> None:
    places = taps.places(line, LINEAR).tolist()
    factors = taps.factors(line, LINEAR, torch.float64, 3)
    assert factors.shape == (2, line.new, 1, 1)
    for i in range(line.new):
        at = i if line.old == line.new else max(source(line, i), 0.0)
        first = math.floor(at)
        expected = [min(first, line.old - 1), min(first + 1, line.old - 1)]
        assert [row[i] for row in places] == expected
        assert factors[:, i].flatten().tolist() == [1 - (at - first), at - first]


def convolved(x: float) -> float:
    """The curve of cubic convolution, with a slope of -3/4 at its first zero."""
    x, a = abs(x), -0.75
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * (x**3 - 5 * x**2 + 8 * x - 4) if x < 2 else 0.0


@settings(deadline=None)
@given(LINES)
def test_cubic(line: Line) -> None:
    places = taps.places(line, CUBIC).tolist()
    factors = taps.factors(line, CUBIC, torch.float64, 1).tolist()
    for i in range(line.new):
        at = source(line, i)
        around = [math.floor(at) + k for k in (-1, 0, 1, 2)]
        assert [row[i] for row in places] == [min(max(k, 0), line.old - 1) for k in around]
        found = [row[i] for row in factors]
        assert found == pytest.approx([convolved(at - k) for k in around], abs=1e-9)


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_a_length_that_stays_is_copied(kind: torch.dtype) -> None:
    x = torch.arange(12, dtype=kind).reshape(1, 1, 3, 4)
    found = F.interpolate(x, scale_factor=1.3, mode="bilinear")
    assert found.shape == (1, 1, 3, 5)
    for row, given_row in zip(found[0, 0], x[0, 0]):
        line = F.interpolate(given_row.reshape(1, 1, 4), scale_factor=1.3, mode="linear")
        assert torch.equal(row, line[0, 0])


def test_tables_are_no_ones_to_write() -> None:
    x = torch.ones(1, 1, 4, 4)
    for _ in range(4):
        assert torch.equal(F.interpolate(x, (6, 6), mode="bilinear"), torch.ones(1, 1, 6, 6))
