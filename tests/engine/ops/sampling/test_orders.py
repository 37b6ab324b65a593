"""Numbers for elements that do not lie in order are drawn in the order of the elements."""

import pytest

import rushlight as torch


@pytest.mark.parametrize(
    "draw",
    [
        torch.bernoulli,
        lambda p: torch.bernoulli(p, 0.3),
        lambda p: torch.normal(p, 1.0),
        lambda p: torch.normal(1.0, p),
        torch.poisson,
        torch._standard_gamma,
        torch.nn.functional.gumbel_softmax,
    ],
)
def test_turned_parameters(draw):
    turned = torch.rand(2, 20).t()
    torch.manual_seed(3)
    found = draw(turned)
    torch.manual_seed(3)
    assert torch.allclose(found, draw(turned.contiguous()))
    assert found.is_contiguous()


def test_deviations_are_cast_to_the_type_of_the_means():
    single, double = torch.zeros(2), torch.ones(2, dtype=torch.float64)
    assert torch.normal(single, double).dtype is torch.float32
    assert torch.normal(double, single + 1).dtype is torch.float64
