"""Covariances, numerical gradients, cross products and triangles, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

RNG = np.random.default_rng(5)


def test_covariances():
    a = RNG.standard_normal((3, 10))
    f, w = RNG.integers(1, 4, 10), RNG.random(10)
    x = torch.from_numpy(a)
    np.testing.assert_allclose(x.cov().numpy(), np.cov(a))
    weighted = x.cov(fweights=torch.from_numpy(f), aweights=torch.from_numpy(w))
    np.testing.assert_allclose(weighted.numpy(), np.cov(a, fweights=f, aweights=w))
    np.testing.assert_allclose(x.corrcoef().numpy(), np.corrcoef(a))


@pytest.mark.parametrize("order", [1, 2])
def test_gradients(order):
    a = RNG.standard_normal((5, 6))
    x = torch.from_numpy(a)
    for mine, theirs in zip(torch.gradient(x, edge_order=order), np.gradient(a, edge_order=order)):
        np.testing.assert_allclose(mine.numpy(), theirs)
    at = np.array([0.0, 1, 3, 4, 7, 8])
    (mine,) = torch.gradient(x, spacing=(torch.from_numpy(at),), dim=1, edge_order=order)
    np.testing.assert_allclose(mine.numpy(), np.gradient(a, at, axis=1, edge_order=order))


def test_cross_and_triangles():
    a, b = RNG.standard_normal((2, 4, 3))
    x, y = torch.from_numpy(a), torch.from_numpy(b)
    np.testing.assert_allclose(torch.cross(x, y).numpy(), np.cross(a, b))
    np.testing.assert_array_equal(torch.tril_indices(3, 4, 1).numpy(), np.tril_indices(3, 1, 4))
    np.testing.assert_array_equal(torch.triu_indices(3, 4, -1).numpy(), np.triu_indices(3, -1, 4))
