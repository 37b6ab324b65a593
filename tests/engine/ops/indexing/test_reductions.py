"""Gradients of products scattered into a tensor, with zeros among the factors."""

import pytest

import rushlight as torch
from rushlight.autograd import gradcheck, gradgradcheck

F64 = torch.float64


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("form", ["index_reduce", "scatter_reduce"])
def test_products_differentiate_twice_where_a_factor_is_zero(form, include_self):
    self = torch.tensor([[0, 13], [0, 0.5], [1.5, 1.9]], dtype=F64)
    source = torch.tensor([[2, 0], [0, 0], [2, 3], [2, 2]], dtype=F64)
    index = torch.tensor([0, 1, 2, 0])
    if form == "scatter_reduce":
        index = index[:, None].expand(4, 2)

    def reduced(target, values):
        return getattr(target, form)(0, index, values, "prod", include_self=include_self)

    given = self.requires_grad_(), source.requires_grad_()
    assert gradcheck(reduced, given)
    assert gradgradcheck(reduced, given)
