"""Graphs with gradients whose calls come again: machine code runs them and makes their history."""

from __future__ import annotations

import gc
import itertools
import weakref

import pytest

import rushlight as torch
from rushlight._functorch._aot_autograd.direct_node import DirectNode
from rushlight.engine.native import heap_types

pytestmark = pytest.mark.skipif(
    not heap_types.supported(), reason="generated code does not touch objects here"
)
TURNS = 5


@pytest.fixture
def in_python(monkeypatch):
    """How many calls of graphs with gradients were made in Python so far."""
    calls = []
    original = DirectNode.__call__

    def counted(self, *args):
        calls.append(self)
        return original(self, *args)

    monkeypatch.setattr(DirectNode, "__call__", counted)
    return calls


def several(x, w):
    y = torch.tanh(x @ w)
    return y, y.sum(0) * x.shape[0], (y * 2).detach()


def seen_as_rows(x, w):
    # The result is a view of what only the graph has.
    return torch.nn.functional.linear(x, w)


def keeps_a_view(x, w):
    return (x.t() * w.t()).exp().sum(1)


def twice(x, w):
    y = (x * w).sum(1)
    return y, y + 0


PROGRAMS = {
    "several results": (several, (4, 3), (3, 2)),
    "a view as a result": (seen_as_rows, (2, 4, 3), (5, 3)),
    "a view that is kept": (keeps_a_view, (4, 3), (4, 3)),
    "results that are the same": (twice, (4, 3), (4, 3)),
}


def gradients_of(run, x, w):
    found = run(x, w)
    results = found if isinstance(found, tuple) else (found,)
    total = sum((y.sin() * (k + 1)).sum() for k, y in enumerate(results) if y.requires_grad)
    return results, torch.autograd.grad(total, [t for t in (x, w) if t.requires_grad])


@pytest.mark.parametrize("wanted", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_repeated_calls_give_the_same(name, wanted, in_python):
    program, *shapes = PROGRAMS[name]
    run = torch.compile(program)
    for _ in range(TURNS):
        x, w = (torch.randn(*s, requires_grad=r) for s, r in zip(shapes, wanted))
        (made, grads), (expected, expected_grads) = (
            gradients_of(run, x, w),
            gradients_of(program, x, w),
        )
        for one, other in zip((*made, *grads), (*expected, *expected_grads)):
            assert torch.allclose(one, other, atol=1e-6) and one.stride() == other.stride()
        for one, other in zip(made, expected):
            assert one.requires_grad == other.requires_grad
            assert one._is_view() == (other._is_view() and not one.requires_grad)
    # The first call plans, the second one is recorded.
    assert len(in_python) == 2


def test_the_history_is_that_of_python(in_python):
    # A graph of its own, which no other test has called.
    run = torch.compile(lambda x, w: several(x * 0.7, w))
    x, w = torch.randn(4, 3, requires_grad=True), torch.randn(3, 2, requires_grad=True)
    described = []
    for _ in range(TURNS):
        y, total, apart = run(x, w)
        node = y.grad_fn
        assert total.grad_fn is node and apart.grad_fn is None
        described.append(
            (
                node.name(),
                [edge and (edge[0].variable is x, edge[0].variable is w, edge[1]) for edge in node.next_functions],
                node._input_metadata,
                [type(item).__name__ for item in node.saved],
                [tuple(t.shape) for t in node.saved_tensors],
            )
        )  # fmt: skip
    assert all(one == described[0] for one in described)
    assert len(in_python) == 2


def test_numbers_of_nodes_go_up():
    run = torch.compile(lambda a: a * 2)
    x = torch.ones(3, requires_grad=True)
    numbers = [run(x).grad_fn._sequence_nr() for _ in range(TURNS)]
    assert numbers == sorted(set(numbers))


def test_what_was_kept_must_not_change():
    run = torch.compile(lambda a, b: a * b)
    a, b = torch.ones(3, requires_grad=True), torch.ones(3)
    for _ in range(TURNS):
        y = run(a, b)
        b.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()
        z = run(a, b)
        z.backward(torch.ones(3))
        with pytest.raises(RuntimeError, match="a second time"):
            z.backward(torch.ones(3))


def test_a_graph_is_passed_again_if_it_is_retained():
    run = torch.compile(lambda a: (a * a).exp())
    a = torch.ones(3, requires_grad=True)
    for _ in range(TURNS):
        a.grad = None
        y = run(a)
        y.sum().backward(retain_graph=True)
        y.sum().backward()
        assert torch.allclose(a.grad, 4 * a.detach() * (a * a).exp().detach())
    with pytest.raises(RuntimeError, match="double backward"):
        (grad,) = torch.autograd.grad(run(a).sum(), a, create_graph=True)
        grad.sum().backward()


def test_who_watches_is_asked_each_time():
    run = torch.compile(lambda a, b: a * b)
    a, b = torch.ones(3, requires_grad=True), torch.full((3,), 2.0)
    for _ in range(TURNS):
        run(a, b)
    packed = []

    def pack(tensor):
        packed.append(tensor)
        return tensor + 1

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        y = run(a, b)
    assert len(packed) == 1
    (grad,) = torch.autograd.grad(y.sum(), a)
    assert grad.tolist() == [3, 3, 3]
    with (
        pytest.warns(UserWarning, match="modified|Error detected|has been enabled"),
        torch.autograd.detect_anomaly(check_nan=False),
    ):
        bad = run(a, b)
        b.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            bad.sum().backward()
    with torch.no_grad():
        assert not run(a, b).requires_grad
    assert run(a, b).requires_grad


def test_transformations_go_their_own_way():
    run = torch.compile(lambda a: (a * a).sum())
    a = torch.arange(3.0, requires_grad=True)
    for _ in range(TURNS):
        (grad,) = torch.autograd.grad(run(a), a)
        assert torch.equal(grad, 2 * a)
    again = torch.compile(lambda a: torch.func.grad(lambda x: (x * x).sum())(a))
    assert torch.equal(again(a.detach()), 2 * a)


def test_histories_and_what_they_keep_are_released(new_objects_only):
    run = torch.compile(lambda a, b: (a * b).tanh())
    a = torch.ones(3, requires_grad=True)
    for _ in range(TURNS):
        b = torch.ones(3)
        y = run(a, b)
        gone = weakref.ref(b), weakref.ref(y), weakref.ref(y.grad_fn)
        y.sum().backward()
        del b, y
        assert all(one() is None for one in gone)
    gc.collect()


def test_numbers_that_are_kept():
    """Sizes that vary are kept with the tensors: such calls are made in Python."""
    run = torch.compile(lambda a: (a * a.shape[0]).exp(), dynamic=True)
    for n in (3, 4, 3, 3, 3, 5):
        a = torch.full((n,), 0.5, requires_grad=True)
        y = run(a)
        (grad,) = torch.autograd.grad(y.sum(), a)
        assert torch.allclose(y, (a * n).exp()) and torch.allclose(grad, n * (a * n).exp())


def test_many_arguments():
    count = 70
    run = torch.compile(lambda *all: sum(x * (k + 1) for k, x in enumerate(all)))
    given = [torch.ones(2, requires_grad=k % 2 == 0) for k in range(count)]
    for _ in range(TURNS):
        y = run(*given)
        grads = torch.autograd.grad(y.sum(), given[::2])
        assert [g.tolist() for g in grads] == [[k + 1.0] * 2 for k in range(0, count, 2)]


def test_random_draws_are_new_each_time(in_python):
    run = torch.compile(lambda a: torch.nn.functional.dropout(a, 0.5) * a)
    a = torch.ones(200, requires_grad=True)
    seen = []
    for _ in range(TURNS):
        y = run(a)
        (grad,) = torch.autograd.grad(y.sum(), a)
        assert torch.equal(grad, 2 * y.detach())
        seen.append(y.detach())
    assert not any(torch.equal(one, other) for one, other in itertools.pairwise(seen))
