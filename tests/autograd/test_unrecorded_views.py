"""Views made while no gradient was wanted, and written with something that wants one."""

import pytest

import rushlight as torch


def test_real_part_of_a_plain_tensor_takes_a_gradient():
    spectrum = torch.zeros(2, dtype=torch.complex64)
    real = spectrum.real
    weight = torch.ones(2, requires_grad=True)
    real[...] = weight
    assert type(spectrum.grad_fn).__name__ == "CopySlices"
    assert real.requires_grad
    (grad,) = torch.autograd.grad(spectrum.abs().sum(), weight)
    assert grad.tolist() == [1.0, 1.0]


def test_parts_are_assigned():
    spectrum = torch.zeros(2, dtype=torch.complex64)
    weight = torch.tensor([3.0, 0.0], requires_grad=True)
    spectrum.real = weight
    spectrum.imag = 4
    assert spectrum.tolist() == [3 + 4j, 4j]
    (grad,) = torch.autograd.grad(spectrum.abs().sum(), weight)
    assert torch.allclose(grad, torch.tensor([0.6, 0.0]))
    with pytest.raises(RuntimeError, match="imag is not implemented"):
        torch.zeros(2).imag = 1


def test_numbers_over_pairs_take_a_gradient():
    pairs = torch.zeros(2, 2)
    numbers = torch.view_as_complex(pairs)
    weight = torch.ones(2, requires_grad=True)
    numbers.add_(weight)
    (grad,) = torch.autograd.grad((pairs * torch.tensor([2.0, 3.0])).sum(), weight)
    assert grad.tolist() == [2.0, 2.0]


def test_conjugates_and_their_base_follow_each_other():
    base = torch.zeros(2, dtype=torch.complex64)
    conjugate = base.conj()
    weight = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    conjugate.add_(weight * 1j)
    assert base.tolist() == [-1j, -1j]
    (grad,) = torch.autograd.grad(base.imag.sum(), weight)
    assert grad.tolist() == [-1, -1]


def test_negative_view_follows_its_base():
    base = torch.zeros(2, dtype=torch.complex64)
    negative = base.conj().imag
    weight = torch.ones(2, requires_grad=True)
    base.imag.add_(weight)
    (grad,) = torch.autograd.grad(negative.sum(), weight)
    assert grad.tolist() == [-1.0, -1.0]


def test_views_are_not_detached_in_place():
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        torch.ones(2)[:1].detach_()


def test_gradients_are_no_views():
    leaf = torch.ones(2, 2, requires_grad=True)
    leaf.repeat(2, 1).sum().backward()
    assert not leaf.grad._is_view()
    assert leaf.grad.detach_().tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_sign_of_a_copied_sign_has_a_gradient_of_zero():
    value, sign = torch.tensor([2.0]), torch.tensor([-3.0], requires_grad=True)
    (grad,) = torch.autograd.grad(value.copysign(sign).sum(), sign)
    assert grad.tolist() == [0.0]


def test_results_without_history_may_go_to_out():
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    out = torch.empty(2, dtype=torch.bool)
    torch.lt(leaf, 1.5, out=out)
    assert out.tolist() == [True, False]
    assert torch.argmax(leaf, out=torch.tensor(0)).item() == 1
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.exp(leaf, out=torch.empty(2))
