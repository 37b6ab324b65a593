"""Activations in place keep their results, as PyTorch's do, and not copies of their arguments."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F

ACTIVATIONS = {
    "elu": lambda x, inplace: F.elu(x, 0.7, inplace),
    "celu": lambda x, inplace: F.celu(x, 2.0, inplace),
    "selu": F.selu,
    "leaky_relu": lambda x, inplace: F.leaky_relu(x, 0.2, inplace),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_gradients_agree_with_those_out_of_place(name):
    function = ACTIVATIONS[name]
    start = torch.tensor([-2.5, -0.5, 0.0, 0.7, 3.0], dtype=torch.float64, requires_grad=True)
    found = []
    for inplace in (True, False):
        made = function(start * 1.0, inplace)
        (first,) = torch.autograd.grad((made * made).sum(), start, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), start)
        found.append((made, first, second))
    for changed, usual in zip(*found):
        torch.testing.assert_close(changed, usual)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_result_is_what_is_kept(name):
    start = torch.ones(3, requires_grad=True)
    made = ACTIVATIONS[name](start * 1.0, True)
    assert made.grad_fn.name().endswith("Backward1")
    made.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        made.sum().backward()


def test_negative_slopes_cannot_be_told_from_results():
    start = torch.ones(3, requires_grad=True)
    for call, name in [
        (lambda slope: F.elu_(start * 1.0, slope), "elu"),
        (lambda slope: F.leaky_relu_(start * 1.0, slope), "leakyReLu"),
    ]:
        call(0.5).sum().backward()
        with pytest.raises(RuntimeError, match=f"In-place {name} backward calculation"):
            call(-0.5).sum().backward()
