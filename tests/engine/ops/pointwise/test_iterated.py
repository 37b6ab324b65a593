"""Polynomials and incomplete gamma functions: values, special values, layouts, types."""

import math

import mpmath
import numpy as np
import pytest

import rushlight as torch

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("low, high", [(-6, 0), (-1, 1), (0, 2), (2, 3)])
def test_incomplete_gamma_functions_to_the_last_digits(low, high):
    random = np.random.default_rng(7)
    a = 10 ** random.uniform(low, high, 25)
    x = a * 10 ** random.uniform(-0.5, 0.5, 25)
    lower = torch.igamma(torch.tensor(a), torch.tensor(x)).tolist()
    upper = torch.igammac(torch.tensor(a), torch.tensor(x)).tolist()
    with mpmath.workdps(60):
        for one, two, p, q in zip(a, x, lower, upper, strict=True):
            exact = mpmath.gammainc(mpmath.mpf(one), mpmath.mpf(two), mpmath.inf, regularized=True)
            if exact > 1e-290:
                assert abs(q / exact - 1) < 2e-12
            if 1 - exact > 1e-40:
                assert abs(p / (1 - exact) - 1) < 2e-12


@pytest.mark.parametrize(
    "a, x, lower",
    [
        (0.0, 1.0, 1.0), (0.0, 0.0, NAN), (2.0, 0.0, 0.0), (2.0, INF, 1.0), (INF, 2.0, 0.0),
        (INF, INF, NAN), (-1.0, 2.0, NAN), (1.0, -2.0, NAN), (NAN, 1.0, NAN), (1.0, NAN, NAN),
    ],
)  # fmt: skip
def test_edges_of_the_incomplete_gamma_functions(a, x, lower):
    given = torch.tensor([a]), torch.tensor([x])
    np.testing.assert_equal(torch.igamma(*given).item(), lower)
    np.testing.assert_equal(torch.igammac(*given).item(), 1 - lower)


WAVES = {
    "t": lambda n, x: math.cos(n * x),
    "u": lambda n, x: math.sin((n + 1) * x) / math.sin(x),
    "v": lambda n, x: math.cos((n + 0.5) * x) / math.cos(x / 2),
    "w": lambda n, x: math.sin((n + 0.5) * x) / math.sin(x / 2),
}


@pytest.mark.parametrize("kind", "tuvw")
@pytest.mark.parametrize("order", [0, 1, 2, 7, 8, 9, 30])
def test_chebyshev_polynomials_are_waves(kind, order):
    angles = np.array([0.3, 1.0, 2.0, 3.0])
    x = torch.tensor(np.cos(angles))
    expected = [WAVES[kind](order, angle) for angle in angles]
    got = getattr(torch.special, f"chebyshev_polynomial_{kind}")(x, order)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-11, atol=1e-11)
    shifted = getattr(torch.special, f"shifted_chebyshev_polynomial_{kind}")((x + 1) / 2, order)
    np.testing.assert_allclose(shifted.numpy(), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "name", ["chebyshev_polynomial_w", "hermite_polynomial_h", "laguerre_polynomial_l"]
)
def test_what_is_no_order_gives_zero(name):
    x = torch.tensor([0.0, 0.5, INF, NAN])
    for order in (-1.0, INF, -INF, NAN):
        assert getattr(torch.special, name)(x, torch.tensor(order)).tolist() == [0.0] * 4
    assert getattr(torch.special, name)(x, torch.tensor(-0.5)).tolist() == [1.0] * 4


def test_layouts_types_and_outputs():
    x = torch.linspace(-1, 1, 12).reshape(3, 4).t()
    n = torch.tensor([0, 2, 5])
    expected = np.polynomial.legendre.legval(x.numpy().astype(float), np.eye(6)[[0, 2, 5]].T)
    expected = np.stack([expected[k, :, k] for k in range(3)], 1)
    got = torch.special.legendre_polynomial_p(x, n)
    assert got.dtype is torch.float32 and got.shape == (4, 3)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-5, atol=1e-6)
    out = torch.empty(3, 4, dtype=torch.float64).t()
    assert torch.special.legendre_polynomial_p(x, n, out=out) is out
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)
    halves = torch.igamma(torch.ones(2, dtype=torch.bfloat16), torch.ones(2, dtype=torch.bfloat16))
    assert halves.dtype is torch.bfloat16
    assert abs(halves[0].item() - (1 - math.exp(-1))) < 4e-3
    whole = torch.special.hermite_polynomial_he(torch.tensor([1, 2, 3]), 2)
    assert whole.tolist() == [0.0, 3.0, 8.0]
    with pytest.raises(NotImplementedError, match="hermite_polynomial_he_cpu"):
        torch.special.hermite_polynomial_he(torch.ones(2, dtype=torch.bfloat16), 2)


def test_many_elements_are_shared_by_threads():
    x = torch.linspace(-1, 1, 100_000, dtype=torch.float64)
    got = torch.special.chebyshev_polynomial_t(x, 5)
    assert torch.allclose(got, 16 * x**5 - 20 * x**3 + 5 * x, rtol=0, atol=1e-13)
