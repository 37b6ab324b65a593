"""Views of tensors with gradients, made again and again, have the history of the first one."""

from __future__ import annotations

import gc
import weakref

import pytest

import rushlight as torch

TIMES = 4


def test_rows_columns_and_elements():
    x = torch.arange(12.0).view(3, 4).clone().requires_grad_()
    for k in range(TIMES):
        for row in range(3):
            x[row].sum().backward()
            x[:, row].sum().backward()
            x[row, 1].backward()
            x[1:, row].sum().backward()
        expected = torch.tensor([[2.0, 3, 2, 1], [3, 4, 3, 1], [3, 4, 3, 1]])
        assert torch.equal(x.grad, expected * (k + 1))


def test_views_of_views_and_of_results():
    for _ in range(TIMES):
        x = torch.ones(2, 3, 4, requires_grad=True)
        y = x * 2
        part = y.transpose(0, 1)[1].t().unsqueeze(0)
        assert type(part.grad_fn).__name__.startswith("Unsqueeze")
        part.sum().backward()
        assert x.grad.sum(2).tolist() == [[0, 8, 0], [0, 8, 0]]


def test_a_changed_base_makes_the_steps_of_its_views_anew():
    for _ in range(TIMES):
        x = torch.ones(2, 3, requires_grad=True)
        y = x * 2
        row = y[1]
        last = row[2:]
        y.mul_(3)
        assert "AsStrided" in type(last.grad_fn).__name__
        (row.sum() + last.sum()).backward()
        assert x.grad.tolist() == [[0, 0, 0], [6, 6, 12]]


def test_a_changed_view_changes_the_history_of_its_base():
    for _ in range(TIMES):
        x = torch.ones(2, 3, requires_grad=True)
        y = x * 2
        y[0].mul_(5)
        y.sum().backward()
        assert x.grad.tolist() == [[10, 10, 10], [2, 2, 2]]


def test_a_view_of_a_leaf_may_not_be_changed():
    x = torch.ones(2, 3, requires_grad=True)
    for _ in range(TIMES):
        with pytest.raises(RuntimeError, match="leaf"):
            x[0].add_(1)


def test_nothing_is_recorded_without_gradients():
    x = torch.ones(2, 3, requires_grad=True)
    for _ in range(TIMES):
        with torch.no_grad():
            assert x[0].grad_fn is None
        assert x.detach()[0].grad_fn is None
        assert x[0].grad_fn is not None


def test_views_as_other_types_keep_their_way_back():
    for _ in range(TIMES):
        x = torch.ones(4, requires_grad=True)
        pairs = torch.view_as_complex((x * 2).view(2, 2))
        pairs[1].abs().backward()
        assert torch.allclose(x.grad, torch.tensor([0, 0, 2**0.5, 2**0.5]))


def test_views_are_released():
    x = torch.ones(2, 3, requires_grad=True)
    for _ in range(TIMES):
        view = x[1]
        seen = weakref.ref(view), weakref.ref(view.grad_fn)
        del view
        gc.collect()
        assert [s() for s in seen] == [None, None]
