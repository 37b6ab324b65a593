"""Rows that are sorted by digits or searched with a heap, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

RNG = np.random.default_rng(8)


def rows(kind):
    if kind.startswith("int"):
        limits = np.iinfo(kind)
        return RNG.integers(limits.min, limits.max, (2, 3000), dtype=kind, endpoint=True)
    a = RNG.standard_normal((2, 3000)).astype(kind)
    a[:, ::7] = np.round(a[:, ::7])
    a[0, :5] = np.nan, np.inf, -np.inf, -0.0, 0.0
    return a


@pytest.mark.parametrize("kind", ["int32", "int64", "float32", "float64"])
def test_sorting_by_digits(kind):
    a = rows(kind)
    values, places = torch.from_numpy(a).sort(dim=1, stable=True)
    wanted = np.argsort(a, axis=1, kind="stable")
    np.testing.assert_array_equal(places.numpy(), wanted)
    np.testing.assert_array_equal(values.numpy(), np.take_along_axis(a, wanted, 1))
    down, places = torch.from_numpy(a).sort(dim=1, descending=True)
    np.testing.assert_array_equal(np.take_along_axis(a, places.numpy(), 1), down.numpy())
    np.testing.assert_array_equal(down.numpy()[:, ::-1], values.numpy())


@pytest.mark.parametrize("kind", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("k", [1, 10, 46, 47, 500, 3000])
def test_the_first_of_many(kind, k):
    a = rows(kind)
    ordered = np.sort(a, axis=1)
    values, places = torch.from_numpy(a).topk(k, largest=False)
    np.testing.assert_array_equal(values.numpy(), ordered[:, :k])
    np.testing.assert_array_equal(np.take_along_axis(a, places.numpy(), 1), values.numpy())
    values, _ = torch.from_numpy(a).topk(k)
    np.testing.assert_array_equal(values.numpy(), ordered[:, ::-1][:, :k])


def test_equal_elements_stay_in_order_in_very_long_rows():
    a = RNG.integers(0, 9, 20_000)
    _, places = torch.from_numpy(a).sort()
    np.testing.assert_array_equal(places.numpy(), np.argsort(a, kind="stable"))
