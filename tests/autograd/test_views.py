"""Views, changes in place and versions do what PyTorch does: its outcomes are recorded."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
from rushlight.engine.autograd import meta as metas

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from view_cases import CASES, outcome  # noqa: E402

RECORDED = json.loads((HERE / "view_outcomes.json").read_text())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore")
def test_outcome(name: str) -> None:
    assert outcome(torch, CASES[name]) == RECORDED[name]


def test_all_outcomes_are_recorded() -> None:
    assert set(RECORDED) == set(CASES)
    assert len(CASES) >= 60


@pytest.mark.usefixtures("collect")  # a collection in between would make the young view an old one
def test_a_write_through_the_only_view_looks_for_no_others(monkeypatch: Any) -> None:
    looks: list[Any] = []
    monkeypatch.setattr(metas.gc, "get_referrers", lambda item: looks.append(item) or [])
    values = torch.ones(3, requires_grad=True)
    whole = torch.zeros(2, 3)
    whole[0] = values * 2
    (values * 2).repeat(2, 2)
    assert not looks
    whole.sum().backward()
    assert values.grad.tolist() == [2.0, 2.0, 2.0]
    whole = torch.zeros(2, 3)
    row = whole[1]
    whole[0] = values
    # A young view is found without a look at all objects.
    assert row.requires_grad
    assert not looks
    row.sum().backward()
    assert values.grad.tolist() == [2.0, 2.0, 2.0]


def test_steps_on_a_view_that_was_not_recorded_are_recorded_and_lead_nowhere():
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        view = x[1:]
    assert view.requires_grad and view.is_leaf and view.grad_fn is None
    result = view * 2
    assert result.grad_fn.next_functions[0] == (None, 0)
    result.sum().backward()
    assert view.grad is None and x.grad is None
    with pytest.raises(RuntimeError, match="appears to not have been used"):
        torch.autograd.grad((view * 2).sum(), view)


def test_an_unrecorded_view_that_is_asked_for_a_gradient_has_one():
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        view = x[1:]
    view.requires_grad_(False)
    assert view.requires_grad, "its base still wants one"
    view.requires_grad_()
    (view * 2).sum().backward()
    assert view.grad.tolist() == [2, 2] and x.grad is None


def test_an_unrecorded_view_of_a_changed_base_has_no_history():
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        view = x[1:]
        x += 1
    assert view.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="its base or another view of its base has been"):
        view * 2


@pytest.mark.parametrize("change", ["exp_", "tanh_", "sqrt_", "sigmoid_"])
@pytest.mark.parametrize("take", [lambda x: x.view(6), lambda x: x[0], lambda x: x.t()])
def test_second_derivatives_through_views_changed_in_place(change, take):
    x = torch.rand(2, 3, dtype=torch.float64, requires_grad=True)

    def function(x: Any) -> Any:
        whole = x * 2
        getattr(take(whole), change)()
        return whole

    assert torch.autograd.gradgradcheck(function, (x,))
    (grad,) = torch.autograd.grad(function(x).square().sum(), x, create_graph=True)
    grad.square().sum().backward()
    assert x.grad is not None


@pytest.mark.parametrize("change", [
    lambda v: v.transpose_(0, 1),
    lambda v: v.t_(),
    lambda v: v.unsqueeze_(0),
    lambda v: v.squeeze_(),
])  # fmt: skip
def test_a_view_whose_geometry_changes_in_place(change):
    x = torch.arange(3.0).reshape(1, 1, 3).requires_grad_()
    y = x * 2
    view = y[-1]
    change(view)
    assert y.grad_fn.name() == "MulBackward0" and view.grad_fn.name() != "SelectBackward0"
    weight = torch.arange(1.0, 4.0).reshape(view.shape)
    (view * weight).sum().backward()
    assert x.grad.flatten().tolist() == [2.0, 4.0, 6.0]
    x.grad = None
    z = x * 2
    view = z[-1]
    change(view)
    view.mul_(weight)
    z.sum().backward()
    assert x.grad.flatten().tolist() == [2.0, 4.0, 6.0]


def test_a_part_of_complex_numbers_whose_geometry_changes_in_place():
    x = torch.ones(2, 3, requires_grad=True)
    z = torch.complex(x * 2, x)
    view = torch.view_as_real(z)[0]
    view.transpose_(0, 1)
    view.mul_(torch.tensor([[3.0], [5.0]]))
    view.sum().backward()
    assert x.grad.tolist() == [[11.0] * 3, [0.0] * 3]


@pytest.mark.parametrize("step", [
    lambda x: x.sort(1)[0],
    lambda x: x.topk(1, 1)[0],
    lambda x: torch.kron(x, x),
    lambda x: x.permute(2, 1, 0).flatten(),
    lambda x: torch.embedding(x[:, :, 0], torch.tensor([[0]])),
])  # fmt: skip
def test_results_of_other_steps_are_nobodys_views(step):
    leaf = torch.ones(1, 4, 2, requires_grad=True)
    for _ in range(3):
        y = step(leaf * 2)
        assert y._base is None
        y.mul_(y.detach() * 0 + 3)
        (grad,) = torch.autograd.grad(y.sum(), leaf)
        assert grad.isfinite().all()
        plain = step(torch.ones(1, 4, 2))
        plain.requires_grad_()
        assert plain[:1].requires_grad


def test_a_gradient_that_leads_to_null_node_need_not_be_known():
    leaf = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        view = leaf[:2]
    view.unique().sum().backward()
    assert leaf.grad is None


def test_gradients_of_stacked_tensors_change_in_place():
    x, y = (torch.ones(3, requires_grad=True) for _ in range(2))
    total = (torch.stack([x, y]) ** 2).sum()
    first, _ = torch.autograd.grad(total, [x, y], create_graph=True)
    first.pow_(2)
    first.sum().backward()
    assert x.grad.tolist() == [8.0] * 3
