"""Gradients of different leaves share no memory where a step broadcast one number to them."""

import pytest

import rushlight as torch


@pytest.mark.parametrize("size", [(1,), (1, 1), (2,)])
@pytest.mark.parametrize("function", [torch.sum, torch.mean], ids=["sum", "mean"])
def test_leaves_of_one_element(size, function):
    a, b = (torch.ones(size, requires_grad=True) for _ in range(2))
    (function(a) + function(b)).backward()
    a.grad.zero_()
    assert b.grad.sum() == (2 if function is torch.sum and size == (2,) else 1)


def test_an_expanded_number_has_no_strides():
    assert torch.ones(()).expand(1, 1).stride() == (0, 0)
    assert torch.ones(1).expand(1, 1).stride() == (1, 1)
