"""Steps that change memory which their other arguments, or what they are of, have in common."""

import pytest

import rushlight as torch


def test_an_unrecorded_view_of_the_target_is_an_argument():
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x * 1
    with torch.no_grad():
        view = y.view(2)
    y *= view
    assert y.tolist() == [4.0, 9.0]
    with pytest.raises(RuntimeError, match="created in no_grad mode"):
        _ = view.grad_fn


def test_a_view_of_the_target_is_added_with_its_former_history():
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x * 1
    y.add_(y.view(2))
    (grad,) = torch.autograd.grad(y.sum(), x)
    assert grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("index", [slice(None), slice(0, 9), (slice(None), ...), slice(None, 4)])
def test_all_truth_values_with_a_history_are_assigned(index):
    weight = torch.ones((), requires_grad=True)
    answers = torch.tensor([True, False, False, False])
    answers[2:1] = weight
    assert answers.requires_grad
    answers[index] = torch.tensor(True)
    assert answers.tolist() == [True] * 4
    with pytest.raises(RuntimeError, match="Autograd not support dtype: Bool"):
        answers[:3] = True


def test_slices_name_their_step():
    x = torch.ones(4, requires_grad=True)
    assert x[:].grad_fn.name() == x[0:9].grad_fn.name() == "SliceBackward0"


@pytest.mark.parametrize(
    "leaf",
    [torch.ones(1).expand(5), torch.ones(6).as_strided((2, 3), (1, 1))],
    ids=["expanded", "overlapping"],
)
def test_gradients_of_overlapping_leaves_are_added_up(leaf):
    leaf = leaf.detach().requires_grad_()
    for passes in (1.0, 2.0):
        leaf.double().sum().backward()
        assert leaf.grad.is_contiguous()
        assert leaf.grad.unique().tolist() == [passes]
