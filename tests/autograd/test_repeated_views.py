"""Views of tensors with gradients, made again and again, have the history of the first one."""

from __future__ import annotations

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


def test_views_are_released(collect):
    x = torch.ones(2, 3, requires_grad=True)
    for _ in range(TIMES):
        view = x[1]
        seen = weakref.ref(view), weakref.ref(view.grad_fn)
        del view
        collect()
        assert [s() for s in seen] == [None, None]


def test_several_views_at_once():
    x = torch.arange(12.0).view(3, 4).clone().requires_grad_()
    for k in range(TIMES):
        rows = list(x)
        assert [type(r.grad_fn).__name__ for r in rows] == ["UnbindBackward0"] * 3
        assert len({id(r.grad_fn) for r in rows}) == 1
        (rows[0].sum() + 2 * rows[2].sum()).backward()
        left, right = x.chunk(2, 1)
        (left.sum() + right.sum()).backward()
        _, second = x.split([1, 2])
        second.sum().backward()
        expected = torch.tensor([[2.0] * 4, [2.0] * 4, [4.0] * 4])
        assert torch.equal(x.grad, expected * (k + 1))


def test_one_of_several_views_may_not_be_changed():
    for _ in range(TIMES):
        x = torch.ones(2, 3, requires_grad=True)
        first, _ = (x * 2).unbind()
        with pytest.raises(RuntimeError, match="multiple views"):
            first.mul_(2)


def test_several_views_without_gradients():
    x = torch.arange(6).view(3, 2).clone()
    for k in range(TIMES):
        first, second, third = x.unbind()
        assert [r.tolist() for r in (first, second, third)] == [[0, 1 + k], [2, 3], [4, 5]]
        assert first._base is x and x.split(2)[1].tolist() == [[4, 5]]
        first[1] += 1
    assert [r.tolist() for r in x.t().unbind()] == [[0, 2, 4], [1 + TIMES, 3, 5]]
    assert torch.zeros(0, 3).unbind() == () == tuple(torch.zeros(0, 3))


def test_steps_with_several_results(collect):
    torch.manual_seed(0)
    weights = [torch.randn(*s, requires_grad=True) for s in ((4, 2, 6), (2, 6), (6, 6), (6,))]
    found = []
    for _ in range(TIMES):
        given, hidden, weight, bias = weights
        args = None, None, "RNN_TANH", False, True
        outputs, last, *others = torch._recurrent_steps(given, hidden, None, weight, bias, *args)
        seen = weakref.ref(outputs.grad_fn)
        assert torch.equal(last, outputs[-1])
        found.append(torch.autograd.grad(outputs.sum() + last.square().sum(), weights))
        del outputs, last, others
        collect()
        assert seen() is None
    for later in found[1:]:
        assert all(torch.equal(a, b) for a, b in zip(found[0], later, strict=True))


def test_several_views_are_released(collect):
    x = torch.ones(2, 3, requires_grad=True)
    for _ in range(TIMES):
        rows = x.unbind()
        seen = [weakref.ref(rows[0]), weakref.ref(rows[1].grad_fn)]
        del rows
        collect()
        assert [s() for s in seen] == [None, None]


@pytest.mark.parametrize("form", [
    lambda i, j: (i, j), lambda i, j: (0, j), lambda i, j: (-1 - i, j), lambda i, j: (i, slice(1, 3)),
    lambda i, j: (None, i, j), lambda i, j: (i, slice(None), j), lambda i, j: (i, j, 2),
    lambda i, j: (slice(0, 2), slice(1, None)), lambda i, j: (..., i, j),
])  # fmt: skip
def test_views_of_views_by_one_subscript(form):
    x = torch.arange(60.0).view(3, 4, 5).clone().requires_grad_()
    for i, j in [(0, 0), (1, 2), (2, 1), (2, 2), (0, 3), (1, 1), (2, 3), (0, 2), (1, 0)]:
        index = form(i, j)
        part = x[index]
        expected = torch.zeros(3, 4, 5)
        expected[index] = 2.0
        assert torch.equal(part.detach(), x.detach()[index])
        assert part.grad_fn is not None and part._base is x
        x.grad = None
        (part * 2).sum().backward()
        assert torch.equal(x.grad, expected)
    y = x * 1
    part = y[1, 2]
    y.mul_(2)
    x.grad = None
    part.sum().backward()
    assert x.grad.sum() == 10
    for wrong in [(3, 0), (0, 4), (0, -5)]:
        with pytest.raises(IndexError):
            x[wrong]
