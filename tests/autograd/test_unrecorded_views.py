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


def test_views_of_a_tensor_that_becomes_a_leaf_stay_leaves():
    base = torch.ones(2)
    view = base[:]
    part = view[:1]
    base.requires_grad_()
    assert view.requires_grad and view.is_leaf and part.is_leaf and part.requires_grad
    result = view * 3
    assert result.requires_grad
    result.sum().backward()
    assert view.grad is None and base.grad is None
    made_later = view[:1]
    assert made_later.grad_fn.name() == "SliceBackward0"
    with torch.no_grad():
        base.mul_(2)
    assert not view.is_leaf and view.requires_grad
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        view.mul_(2)


def test_views_of_a_leaf_that_stops_wanting_a_gradient():
    base = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        view = base[:]
    assert view.requires_grad
    base.requires_grad_(False)
    assert not view.requires_grad
    base.requires_grad_(True)
    assert view.requires_grad and view.is_leaf


def test_a_view_that_is_a_leaf_itself():
    base = torch.ones(2)
    view = base.view(2).requires_grad_()
    assert not base.requires_grad and view.is_leaf
    base.requires_grad_()
    view.requires_grad_(False)
    assert view.requires_grad
    base.requires_grad_(False)
    assert not view.requires_grad
    view.requires_grad_()
    base.mul_(torch.ones(2, requires_grad=True))
    assert not view.is_leaf


def test_views_of_another_type_have_no_history():
    base = torch.ones(2)
    whole, half = base.view(torch.int32), base.view(torch.float16)
    base.requires_grad_()
    assert not whole.requires_grad and not half.requires_grad


def test_what_is_no_truth_value_is_refused():
    for wrong in ("a", 1, None):
        with pytest.raises(TypeError, match=r"argument 'requires_grad' .* must be bool, not"):
            torch.ones(2).requires_grad_(wrong)


def test_pairs_and_complex_numbers_follow_their_base():
    for _ in range(3):
        pairs = torch.ones(2, 2)
        numbers = torch.view_as_complex(pairs)
        pairs.requires_grad_()
        assert numbers.requires_grad and numbers.is_leaf
        base = torch.ones(2, dtype=torch.complex64)
        parts = torch.view_as_real(base)
        weight = torch.ones(2, requires_grad=True)
        base.mul_(weight)
        (grad,) = torch.autograd.grad(parts.sum(), weight)
        assert grad.tolist() == [1.0, 1.0]


def test_views_of_whole_numbers_get_a_history():
    source = torch.tensor(2.0, requires_grad=True)
    base = torch.ones(4, dtype=torch.int64)
    written, other = base.view(2, 2), base[1:]
    written[0] = source
    assert base.tolist() == [2, 2, 1, 1]
    for item in (base, written, other):
        assert item.requires_grad and not item.is_leaf and item.grad_fn is not None


def test_views_with_a_gradient_of_their_own_follow_their_base():
    base = torch.ones(3, 3)
    view = base.diagonal(1)
    view.grad = torch.ones(2)
    base.requires_grad_()
    assert view.requires_grad and view.is_leaf

    base = torch.ones(4, 2)
    view = base.view(2, 4)
    view.grad = torch.ones(2, 4)
    weight = torch.ones(4, requires_grad=True)
    view[0] = weight
    assert view.requires_grad and base.requires_grad
    assert view.grad.tolist() == [[1.0] * 4] * 2
    (grad,) = torch.autograd.grad((view * 2).sum(), weight)
    assert grad.tolist() == [2.0] * 4


def test_views_without_gradients_want_one_if_their_base_does():
    base = torch.ones(4, 1)
    part = base.narrow(0, 3, 1)
    part.requires_grad_()
    with torch.no_grad():
        first, second = part.split([1, 0], -1)
        again = part[0]
    assert not (first.requires_grad or second.requires_grad or again.requires_grad)

    x = torch.ones(3, requires_grad=True)
    y = x * 2
    with torch.no_grad():
        view = y[None]
    assert view.requires_grad
    y.detach_()
    assert not view.requires_grad


def test_retained_gradient_of_a_view_is_that_of_its_last_elements():
    x = torch.ones(2, requires_grad=True)
    view = (x * 1).view(2)
    view.retain_grad()
    signs = view.sign()
    view.add_(1)
    (signs.sum() + view.pow(2).sum()).backward()
    assert view.grad.tolist() == [4.0, 4.0]

    base = torch.ones(2, 2, requires_grad=True) * 1
    view = base.view(4)
    view.retain_grad()
    base[0] = 3.0
    (view * 2).sum().backward()
    assert view.grad.tolist() == [2.0] * 4


def test_one_of_several_views_may_be_turned_where_nothing_is_recorded():
    rows = (torch.ones(2, 3, requires_grad=True) * 1).unbind(0)
    with torch.no_grad():
        rows[1].unsqueeze_(0)
    assert rows[1].shape == (1, 3)
