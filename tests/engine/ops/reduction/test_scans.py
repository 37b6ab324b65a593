"""Cumulative operators, differences and trapezoids, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)], ids=str)
def test_scans(dim, order):
    a = RNG.standard_normal((4, 33, 19)).transpose(order)
    x = torch.from_numpy(a)
    np.testing.assert_allclose(x.cumsum(dim).numpy(), a.cumsum(dim), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(x.cumprod(dim).numpy(), a.cumprod(dim), rtol=1e-10)
    values, places = x.cummax(dim)
    np.testing.assert_array_equal(values.numpy(), np.maximum.accumulate(a, dim))
    np.testing.assert_array_equal(np.take_along_axis(a, places.numpy(), dim), values.numpy())
    wanted = np.logaddexp.accumulate(a, dim)
    np.testing.assert_allclose(x.logcumsumexp(dim).numpy(), wanted, rtol=1e-10)


def test_scan_types_and_forms():
    x = torch.tensor([True, True, False])
    assert x.cumsum(0).tolist() == [1, 2, 2]
    y = torch.tensor([1.0, 2.0, 3.0])
    assert y.cumsum_(0) is y and y.tolist() == [1, 3, 6]
    assert torch.tensor(5.0).cumsum(0).item() == 5
    with pytest.raises(IndexError):
        y.cumsum(1)


def test_differences_and_trapezoids():
    a = RNG.standard_normal((4, 6))
    x = torch.from_numpy(a)
    np.testing.assert_allclose(x.diff(n=2, dim=0).numpy(), np.diff(a, 2, 0))
    np.testing.assert_allclose(
        torch.trapezoid(x, dx=0.5).numpy(),
        np.trapezoid(a, dx=0.5) if hasattr(np, "trapezoid") else np.trapz(a, dx=0.5),
    )
    assert torch.renorm(x, 2, 0, 0.5).norm(2, 1).le(0.5000001).all()


@pytest.mark.parametrize("function", [torch.cummax, torch.cummin])
def test_a_number_has_few_dimensions_to_accumulate_over(function):
    with pytest.raises(IndexError, match="Expected reduction dim -1 or 0 for scalar but got 100"):
        function(torch.ones(()), 100)
