"""How samples move with their parameters, against distribution functions."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import rushlight as torch


def moved(distribution, density, parameter):
    """dx/da at a fixed probability."""
    with mpmath.workdps(30):
        slope = mpmath.diff(distribution, mpmath.mpf(parameter))
        return float(-slope / density)


@pytest.mark.parametrize("shape", [0.05, 0.7, 1.0, 3.2, 40.0, 900.0])
def test_gamma_samples(shape):
    draws = np.random.default_rng(3).gamma(shape, size=4)
    given = torch.from_numpy(np.full(4, shape))
    found = torch._standard_gamma_grad(given, torch.from_numpy(draws)).numpy()
    for x, slope in zip(draws, found):
        density = mpmath.mpf(x) ** (shape - 1) * mpmath.exp(-x) / mpmath.gamma(shape)
        wanted = moved(lambda a: mpmath.gammainc(a, 0, x, regularized=True), density, shape)  # noqa: B023
        assert slope == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("a, b", [(0.2, 0.3), (1.0, 2.0), (5.0, 0.4), (0.4, 30.0), (20.0, 25.0)])
def test_beta_samples(a, b):
    draws = np.random.default_rng(4).beta(a, b, size=4)
    alpha, total = (torch.from_numpy(np.full(4, v)) for v in (a, a + b))
    found = torch._dirichlet_grad(torch.from_numpy(draws), alpha, total).numpy()
    for x, slope in zip(draws, found):
        x = mpmath.mpf(x)
        density = x ** (a - 1) * (1 - x) ** (b - 1) / mpmath.beta(a, b)
        wanted = moved(lambda t: mpmath.betainc(t, b, 0, x, regularized=True), density, a)  # noqa: B023
        # What the others share, shrinks.
        assert slope == pytest.approx(wanted / (1 - x), rel=1e-9)


def test_the_gradient_of_a_sample():
    shape = torch.tensor([[0.5, 2.0]], requires_grad=True)
    sample = torch._standard_gamma(shape)
    (sample * 3).sum().backward()
    expected = 3 * torch._standard_gamma_grad(shape.detach(), sample.detach())
    np.testing.assert_allclose(shape.grad.numpy(), expected.numpy())


def test_outside_the_domain():
    found = torch._standard_gamma_grad(torch.tensor([1.0, 0.0, -1.0]), torch.tensor([-1.0, 1, 1]))
    np.testing.assert_equal(found.numpy(), np.array([0, np.nan, np.nan], np.float32))
    one = torch.tensor([1.0])
    assert torch._dirichlet_grad(one, one, one * 2).item() == 0
    assert torch._dirichlet_grad(torch.empty(0), torch.empty(0), torch.empty(0)).shape == (0,)
    with pytest.raises(NotImplementedError, match="_standard_gamma_grad_cpu"):
        torch._standard_gamma_grad(torch.tensor([1]), torch.tensor([1]))
