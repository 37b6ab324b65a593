"""Distinct elements, places in sorted sequences and histograms, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("kind", ["bool", "uint8", "int64", "float32", "float64"])
def test_unique(kind):
    a = RNG.integers(0, 7, (9, 11)).astype(kind)
    found = torch.unique(torch.from_numpy(a), return_inverse=True, return_counts=True)
    wanted = np.unique(a, return_inverse=True, return_counts=True)
    for mine, theirs in zip(found, wanted):
        np.testing.assert_array_equal(mine.numpy().ravel(), theirs.ravel())
    assert found[1].shape == (9, 11)


@pytest.mark.parametrize("dim", [0, 1])
def test_unique_slices(dim):
    a = RNG.integers(0, 2, (6, 2)) if dim == 0 else RNG.integers(0, 2, (2, 6))
    found = torch.unique(torch.from_numpy(a), dim=dim, return_inverse=True, return_counts=True)
    wanted = np.unique(a, axis=dim, return_inverse=True, return_counts=True)
    for mine, theirs in zip(found, wanted):
        np.testing.assert_array_equal(mine.numpy(), theirs.reshape(tuple(mine.shape)))


def test_unique_neighbours_and_nan():
    x = torch.tensor([1, 1, 2, 2, 1])
    values, places, counts = x.unique_consecutive(return_inverse=True, return_counts=True)
    assert (values.tolist(), places.tolist(), counts.tolist()) == (
        [1, 2, 1],
        [0, 0, 1, 1, 2],
        [2, 2, 1],
    )
    nan = float("nan")
    found, places = torch.unique(torch.tensor([nan, 1.0, nan]), return_inverse=True)
    assert found.isnan().tolist() == [False, True, True]
    assert places.tolist() == [1, 0, 2]


@pytest.mark.parametrize("kind", ["int16", "int64", "float32", "float64"])
@pytest.mark.parametrize("right", [False, True])
def test_places_in_rows(kind, right):
    rows = np.sort(RNG.integers(-9, 9, (3, 8)).astype(kind), 1)
    values = RNG.integers(-12, 12, (3, 20)).astype(kind)
    found = torch.searchsorted(torch.from_numpy(rows), torch.from_numpy(values), right=right)
    side = "right" if right else "left"
    wanted = [np.searchsorted(r, v, side) for r, v in zip(rows, values)]
    np.testing.assert_array_equal(found.numpy(), wanted)
    first = torch.bucketize(torch.from_numpy(values), torch.from_numpy(rows[0]), right=right)
    np.testing.assert_array_equal(first.numpy(), np.searchsorted(rows[0], values, side))


def test_a_sorter_stands_for_order():
    x = torch.tensor([5.0, 1.0, 3.0])
    order = x.argsort()
    assert torch.searchsorted(x, torch.tensor([2.0, 9.0]), sorter=order).tolist() == [1, 3]
    with pytest.raises(RuntimeError, match="sorter index out of range"):
        torch.searchsorted(x, x, sorter=torch.tensor([0, 1, 3]))


def test_histograms():
    a = RNG.standard_normal(1000)
    hist, edges = torch.histogram(torch.from_numpy(a), 12)
    wanted, borders = np.histogram(a, 12)
    np.testing.assert_array_equal(hist.numpy(), wanted)
    np.testing.assert_allclose(edges.numpy(), borders)
    np.testing.assert_array_equal(torch.from_numpy(a).histc(12).numpy(), wanted)
    points = RNG.standard_normal((500, 2))
    grid, _ = torch.histogramdd(torch.from_numpy(points), [4, 5], density=True)
    np.testing.assert_allclose(grid.numpy(), np.histogramdd(points, [4, 5], density=True)[0])
    weights = RNG.random(1000)
    weighted, _ = torch.histogram(torch.from_numpy(a), torch.tensor([-1.0, 0, 2]).double(), weight=torch.from_numpy(weights))  # fmt: skip
    np.testing.assert_allclose(weighted.numpy(), np.histogram(a, [-1, 0, 2], weights=weights)[0])


def test_bincount():
    x = torch.tensor([1, 3, 1])
    assert x.bincount().tolist() == [0, 2, 0, 1]
    assert x.bincount(torch.tensor([0.5, 1.0, 2.0]), minlength=5).tolist() == [0, 2.5, 0, 1, 0]
    with pytest.raises(RuntimeError, match="non-negative"):
        torch.tensor([-1]).bincount()


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float32])
def test_distinct_neighbours_of_converted_elements_stay_in_memory(kind):
    x = torch.tensor([1, 1, 0, 1, 0, 2], dtype=kind)
    values, places, counts = torch.unique_consecutive(x, return_inverse=True, return_counts=True)
    assert values.tolist() == [1, 0, 1, 0, 2] and values.dtype is kind
    assert places.tolist() == [0, 0, 1, 2, 3, 4]
    assert counts.tolist() == [2, 1, 1, 1, 1]


def test_bins_of_narrow_types_are_found_in_their_own_rounding():
    # -2.40625 lies in bin 37 of 100; its share, rounded to bfloat16 at each step, in bin 38.
    x = torch.tensor([-8.5, -1.765625, -4.3125, -2.40625, -7.9375])
    for kind, found in (
        (torch.float32, [7, 10, 28, 37, 41]),
        (torch.bfloat16, [7, 10, 28, 38, 41]),
    ):
        bins = torch.histc(x.to(kind), 100, -10, 10)
        assert bins.dtype is kind
        assert bins.nonzero().flatten().tolist() == found
