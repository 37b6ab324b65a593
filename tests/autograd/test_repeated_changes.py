"""Changes in place with gradients, repeated from memory, against the same made in Python each time."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch

sys.path.insert(0, str(Path(__file__).parents[1] / "engine" / "dispatch"))
from varying_calls import without_memory

pytestmark = pytest.mark.usefixtures("learned_at_once")

F = torch.nn.functional


def given(n: int) -> tuple[Any, Any]:
    x = (torch.arange(float(3 * n)).reshape(3, n) / 7 - 1).requires_grad_()
    return x, (torch.arange(float(n)) / 3 + 0.5).requires_grad_()


CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "mul_": lambda x, w: (x * 2).mul_(w),
    "mul_ by a number": lambda x, w: (x * 2).mul_(3),
    "mul_ by itself": lambda x, w: (lambda y: y.mul_(y))(x * 2),
    "div_": lambda x, w: (x * 2).div_(w),
    "add_ to nothing": lambda x, w: torch.zeros(3, x.shape[1]).add_(w),
    "add_ scaled": lambda x, w: (x * 2).add_(w, alpha=3),
    "pow_": lambda x, w: (x * 2 + 3).pow_(2),
    "relu_": lambda x, w: F.relu_(x * 2),
    "sigmoid_": lambda x, w: (x * 2).sigmoid_(),
    "exp_ twice": lambda x, w: (x * 2).exp_().exp_(),
    "clamp_": lambda x, w: (x * 2).clamp_(-0.5, 0.5),
    "masked_fill_": lambda x, w: (lambda y: y.masked_fill_(y > 0, 2.0))(x * 2),
    "addcmul_": lambda x, w: (x * 2).addcmul_(w, w),
    "lerp_": lambda x, w: (x * 2).lerp_(w.expand(3, -1), 0.25),
    "copy_": lambda x, w: torch.empty(3, x.shape[1]).copy_(x * w),
    "copy_ of one row": lambda x, w: (x * 2).copy_(w),
    "zero_": lambda x, w: (x * 2).zero_() + x,
    "fill_": lambda x, w: (x * 2).fill_(w[0]),
    "index_add_": lambda x, w: (x * 2).index_add_(0, torch.tensor([0, 2]), x[:2] * w),
    "scatter_add_": lambda x, w: (x * 2).scatter_add_(0, torch.zeros_like(x, dtype=torch.long), x),
    "cumsum_": lambda x, w: (x * 2).cumsum_(1),
    "tril_": lambda x, w: (x * 2).tril_(),
}


def set_row(x: Any, w: Any) -> Any:
    y = x * 2
    y[1] = w
    y[-1] = 3.0
    y[:, 1:] = 0.5
    return y


def set_in_zeros(x: Any, w: Any) -> Any:
    y = torch.zeros(3, x.shape[1])
    for i in range(3):
        y[i] = w * i
    y[0, 1] = w[0]
    return y


def add_to_rows(x: Any, w: Any) -> Any:
    y = x * 2
    y[0] += w
    y[1] *= w
    y[2, 1:] -= w[1:]
    return y


def change_held_views(x: Any, w: Any) -> Any:
    y = x * 2
    row, column = y[1], y[:, 0]
    row.mul_(w)
    column.add_(1)
    row.add_(w)
    return y * row.sum() + column.sum()


def change_base_of_views(x: Any, w: Any) -> Any:
    y = torch.zeros(3, x.shape[1])
    row = y[1]
    y.add_(x * w)
    return y + row * 2


def change_a_view_beside_another(x: Any, w: Any) -> Any:
    y = torch.zeros(3, x.shape[1])
    row = y[1]
    y[0] = w
    return y + row * 2


def change_transposed(x: Any, w: Any) -> Any:
    y = x * 2
    y.t().mul_(w.unsqueeze(1))
    y.view(-1)[1:4].zero_()
    return y


def change_what_is_kept(x: Any, w: Any) -> Any:
    y = x * 2
    z = y.exp()
    y.add_(w)
    return z + y


def retained(x: Any, w: Any) -> Any:
    y = x * 2
    y.retain_grad()
    y.mul_(w)
    return y


def set_indices(x: Any, w: Any) -> Any:
    y = x * 2
    y[torch.tensor([2, 0])] = w * x[:2]
    y[0, torch.tensor([1])] = w[:1]
    y[y > 1] = 0.25
    return y


CHANGES |= {
    function.__name__: function
    for function in (
        set_row, set_in_zeros, add_to_rows, change_held_views, change_base_of_views, set_indices,
        change_a_view_beside_another, change_transposed, change_what_is_kept, retained,
    )
}  # fmt: skip


def outline(edge: Any, depth: int = 6) -> Any:
    """The names of the steps behind a result."""
    if edge is None or depth == 0:
        return None
    return edge.name(), [outline(f, depth - 1) for f, _ in edge.next_functions]


def outcome(change: Callable[[Any, Any], Any], n: int) -> list[Any]:
    """All that a program can see of a change."""
    x, w = given(n)
    y = change(x, w)
    found: list[Any] = [y.tolist(), y._version, y.is_leaf, y.requires_grad, outline(y.grad_fn)]
    try:
        firsts = torch.autograd.grad(y.pow(2).sum(), (x, w), create_graph=True, allow_unused=True)
    except RuntimeError as error:
        # What a step has kept was changed later.
        return [*found, str(error)]
    found += [None if g is None else g.tolist() for g in firsts]
    wanted = [g for g in firsts if g is not None and g.requires_grad]
    if wanted:
        seconds = torch.autograd.grad(sum(g.sum() for g in wanted), (x, w), allow_unused=True)
        found += [None if g is None else g.tolist() for g in seconds]
    return found


@pytest.mark.parametrize("name", CHANGES)
def test_repeated_changes_are_like_first_ones(name: str) -> None:
    change = CHANGES[name]
    for n in (4, 4, 4, 4, 5, 6, 7, 8, 9, 4):
        found = outcome(change, n)
        with without_memory():
            assert found == outcome(change, n), n


def test_what_may_not_be_changed_is_refused_each_time() -> None:
    x, w = given(4)
    for _ in range(5):
        (x * 2).mul_(w)
        y = x * 2
        y[0] = w
    leaf = torch.ones(3, 4, requires_grad=True)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            leaf.mul_(w)
        with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
            leaf[0] = w
        assert leaf.tolist() == [[1.0] * 4] * 3
        y = x * 2
        with torch.no_grad():
            view = y[0]
        with pytest.raises(RuntimeError, match="created in no_grad mode"):
            view.mul_(w)
        with pytest.raises(RuntimeError, match="returns multiple views"):
            (x * 2).unbind(0)[0].mul_(w)
    kept = x.exp()
    kept.mul_(w)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        kept.sum().backward()


def test_hooks_and_retained_gradients_follow_a_change() -> None:
    seen: list[Any] = []
    for _ in range(5):
        x, w = given(4)
        y = x * 2
        y.register_hook(lambda grad: seen.append(grad[0, 0].item()))
        y.retain_grad()
        y.mul_(w)
        y.sum().backward()
        assert y.grad.tolist() == [[1.0] * 4] * 3
    assert seen == [0.5] * 5


def test_values_of_a_row_and_of_another_tensor_are_told_apart() -> None:
    for _ in range(6):
        x, w = given(4)
        y = x * 2
        y[0] += w
        y[0] = w
        assert y[0].tolist() == w.tolist()
        row = y[1].detach()
        y[1] = row
        y.sum().backward()
        assert x.grad.tolist() == [[0.0] * 4, [0.0] * 4, [2.0] * 4]
        assert w.grad.tolist() == [1.0] * 4


def test_nothing_is_lost_or_kept(collect: Any) -> None:
    def change() -> None:
        x, w = given(4)
        y = x * 2
        y[0] = w
        y.mul_(w).sum().backward()

    counts = []
    for _ in range(3):
        for _ in range(300):
            change()
        collect()
        counts.append((len(gc.get_objects()), torch.cpu.memory_allocated()))
    assert counts[2][0] - counts[1][0] < 100
    assert counts[2][1] <= counts[1][1]


def averaged(p: Any, w: Any) -> Any:
    p.data.mul_(0.9).add_(w, alpha=0.1)
    return p.data


def rows_of(p: Any, w: Any) -> Any:
    p[0] += 1
    p[1] = w
    p[0].fill_(2)
    p[:, 1:].mul_(w[1:])
    return p.view(-1)


QUIET: dict[str, Callable[[Any, Any], Any]] = {
    "averaged": averaged,
    "rows_of": rows_of,
    "several": lambda p, w: p.unbind(0)[1],
    "split": lambda p, w: p.split(2)[1],
    "transposed": lambda p, w: p.t()[1:],
    "of a result": lambda p, w: (p * 2)[1],
    "of a view": lambda p, w: p.view(-1)[2:5],
    "detached": lambda p, w: p.detach()[1],
}


@pytest.mark.parametrize("name", QUIET)
def test_views_made_while_nothing_is_recorded(name: str) -> None:
    def outcome(n: int) -> list[Any]:
        p, w = given(n)
        with torch.no_grad():
            y = QUIET[name](p, w)
            version = y._version
        found = [p.tolist(), p._version, y.tolist(), version, y.requires_grad, y.is_leaf]
        try:
            y.add_(1)
        except RuntimeError as error:
            return [*found, str(error)]
        z = (y * 2).sum()
        return [*found, y._version, p._version, z.requires_grad, outline(z.grad_fn)]

    for n in (4, 4, 4, 4, 5, 6, 7, 8, 9, 4):
        found = outcome(n)
        with without_memory():
            assert found == outcome(n), n


@pytest.mark.parametrize("change", ["exp_", "sigmoid_", "tanh_", "sqrt_"])
def test_a_view_is_changed_after_a_tensor_of_the_same_sizes(change: str) -> None:
    """Calls with a view and with none have one key."""

    def second_derivative(take: Callable[[Any], Any]) -> Any:
        x = (torch.arange(8.0, dtype=torch.float64).reshape(2, 4) + 1).requires_grad_()
        whole = x * 2
        getattr(take(whole), change)()
        (grad,) = torch.autograd.grad(whole.square().sum(), x, create_graph=True)
        grad.square().sum().backward()
        return x.grad.tolist()

    whole, row = (lambda x: x), (lambda x: x[0])
    with without_memory():
        expected = second_derivative(whole), second_derivative(row)
    for _ in range(5):
        x = torch.ones(4, dtype=torch.float64, requires_grad=True)
        for _ in range(4):
            getattr(x * 2, change)()
        assert (second_derivative(whole), second_derivative(row)) == expected


def test_writes_through_data_count_on_their_own() -> None:
    for _ in range(6):
        x, _ = given(4)
        made = x.exp()
        part = made.data
        part[0] += 1
        part[1] *= 2
        assert (part._version, made._version) == (4, 0)
        made.sum().backward()


def test_detached_views_count_on_the_counter_of_what_they_were_detached_from() -> None:
    kept, plain = torch.ones(3, requires_grad=True), torch.ones(3)
    apart = kept.data
    for x in (apart, plain, apart, plain):
        for _ in range(4):
            before = x._version
            x.detach().fill_(1)
            assert x._version == before + 1
            x.data.fill_(2)
            assert x._version == before + 1
    assert kept._version == 0
