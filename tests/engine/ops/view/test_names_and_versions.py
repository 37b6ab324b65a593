"""Other names of views have their gradients; views in place count as changes."""

import pytest

import rushlight as torch


@pytest.mark.parametrize("name", ["swapaxes", "swapdims", "transpose"])
def test_transposes_have_gradients(name):
    leaf = torch.arange(6.0).reshape(2, 3).requires_grad_()
    turned = getattr(leaf * 2, name)(0, 1)
    (grad,) = torch.autograd.grad((turned * torch.arange(6.0).reshape(3, 2)).sum(), leaf)
    assert grad.tolist() == [[0.0, 4.0, 8.0], [2.0, 6.0, 10.0]]


def test_transposes_of_a_number():
    number = torch.tensor(1.0, requires_grad=True)
    assert number.mT is number
    assert number.mH.item() == 1
    assert number.adjoint().item() == 1
    assert torch.tensor(1j).mH.item() == -1j
    with pytest.raises(RuntimeError, match="only supported on matrices"):
        _ = torch.ones(2).mT


def test_views_in_place_count_as_changes():
    tensor = torch.ones(2, 2)
    tensor.transpose_(0, 1).squeeze_().t_().unsqueeze_(0).swapaxes_(0, 1)
    assert tensor._version == 5
    assert tensor.as_strided_((2,), (1,))._version == 6


def test_changes_that_change_nothing_count_too():
    tensor = torch.ones(2)
    tensor.copy_(tensor)
    assert tensor.conj_physical_()._version == 2


def test_tensors_of_the_common_shape_are_handed_back():
    leaf = torch.ones(2, requires_grad=True)
    same, other = torch.broadcast_tensors(leaf, torch.ones(1))
    assert same is leaf
    assert other.shape == (2,)


def test_both_diagonals_of_a_tensor_without_columns_count_as_changed():
    x = torch.ones(4, 0)
    x.fill_diagonal_(1, wrap=True)
    assert x._version == 2


def test_pairs_along_a_dimension_of_one_may_lie_anywhere():
    pairs = torch.arange(6.0).view(3, 2, 1).permute(2, 0, 1)
    assert torch.view_as_complex(pairs).tolist() == [[1j, 2 + 3j, 4 + 5j]]


def test_what_a_step_made_is_no_view():
    product = torch.ones(3) @ torch.ones(3, 2)
    assert product.detach_().tolist() == [3.0, 3.0] and not product._is_view()
    rows = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    for dim, keepdim in ((-1, False), (0, True), (None, False)):
        middle = rows.quantile(0.5, dim, keepdim)
        assert not middle._is_view()
    (grad,) = torch.autograd.grad(rows.quantile(0.5, -1).sum(), rows)
    assert grad.tolist() == [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]


def test_to_the_type_of_a_number():
    x = torch.ones(2, dtype=torch.int8)
    assert x.to(3.5).dtype is torch.float64
    assert x.to(True).dtype is torch.bool
    assert x.to(2j).dtype is torch.complex128
