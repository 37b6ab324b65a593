"""What follows from order, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("dim", [0, 1])
def test_sort_and_friends(dim):
    a = RNG.standard_normal((7, 9))
    x = torch.from_numpy(a)
    values, places = x.sort(dim, True)
    np.testing.assert_array_equal(values.numpy(), -np.sort(-a, dim))
    np.testing.assert_array_equal(np.take_along_axis(a, places.numpy(), dim), values.numpy())
    np.testing.assert_array_equal(
        x.topk(3, dim, False).values.numpy(), np.sort(a, dim).take(range(3), dim)
    )
    np.testing.assert_array_equal(x.kthvalue(2, dim).values.numpy(), np.sort(a, dim).take(1, dim))
    np.testing.assert_array_equal(
        x.median(dim).values.numpy(), np.sort(a, dim).take((a.shape[dim] - 1) // 2, dim)
    )


def test_nan_sorts_last():
    x = torch.tensor([2.0, float("nan"), 1.0])
    assert x.argsort().tolist() == [2, 0, 1]
    assert x.argsort(descending=True).tolist() == [1, 0, 2]
    assert torch.isnan(x.median())


def test_mode_and_quantile():
    x = torch.tensor([3, 1, 1, 3, 2])
    assert x.mode().values.item() == 1 and x.mode().indices.item() == 2
    a = RNG.standard_normal((5, 8))
    q = torch.tensor([0.1, 0.5, 1.0], dtype=torch.float64)
    for how in ("linear", "lower", "higher", "midpoint", "nearest"):
        found = torch.quantile(torch.from_numpy(a), q, 1, interpolation=how)
        np.testing.assert_allclose(
            found.numpy(), np.quantile(a, q.numpy(), 1, method=how), rtol=1e-12
        )
