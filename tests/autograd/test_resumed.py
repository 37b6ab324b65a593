"""Passes that are resumed when more of their roots have gradients."""

import pytest

import rushlight as torch
from rushlight.autograd.graph import get_gradient_edge
from rushlight.engine.autograd import meta, resumed


def shared():
    """A leaf, and two results that a step on it is shared by."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    middle = x * x
    return x, middle, [middle * 3, middle * 5]


def groups_of(results):
    return [[meta.edge_of(y)] for y in results]


def test_a_step_runs_once_with_the_sum_of_all_gradients():
    x, middle, results = shared()
    seen, grads = [], {}
    middle.register_hook(lambda grad: seen.append(grad.tolist()))

    def leaf_is_done(found, given):
        seen.append("leaf")
        torch.autograd.Variable._execution_engine.queue_callback(lambda: seen.append("end"))
        doubled = resumed.grad_of(x) * 2
        resumed.set_grad(x, doubled)

    get_gradient_edge(x).node.register_hook(leaf_is_done)
    groups = groups_of([*results, x.sum()])
    task = resumed.ResumedPass(groups, grads, retain_graph=False)
    leaf = meta.edge_of(x)[0]
    task.resume(groups[1], [torch.ones(2)])
    task.resume(groups[2], [None])
    assert not seen and not task.is_done(leaf)
    task.resume(groups[0], [torch.ones(2)])
    assert seen == [[8.0, 8.0], "leaf", "end"] and task.is_done(leaf)
    assert grads[x].tolist() == [32.0, 64.0]
    assert x.grad is None


def test_gradients_are_added_to_those_that_are_kept():
    x, _, results = shared()
    grads = {x: torch.ones(2)}
    groups = groups_of(results)
    for _ in range(2):
        task = resumed.ResumedPass(groups, grads, retain_graph=True)
        for group in groups:
            task.resume(group, [torch.ones(2)])
    assert grads[x].tolist() == [33.0, 65.0]


def test_leaves_never_share_their_gradients():
    x, y = (torch.zeros(2, requires_grad=True) for _ in range(2))
    grads = {}
    group = [meta.edge_of((x + y).sum())]
    resumed.ResumedPass([group], grads, retain_graph=False).resume(group, [torch.tensor(1.0)])
    grads[x].mul_(3)
    assert (grads[x].tolist(), grads[y].tolist()) == ([3.0, 3.0], [1.0, 1.0])


def test_outside_of_such_passes_gradients_are_those_of_tensors():
    x, _, results = shared()
    seen = []
    get_gradient_edge(x).node.register_hook(lambda *_: seen.append(resumed.grad_of(x).tolist()))
    sum(results).sum().backward()
    assert seen == [x.grad.tolist()] == [resumed.grad_of(x).tolist()]
    resumed.set_grad(x, None)
    assert x.grad is None


def test_saved_tensors_are_released():
    _, _, results = shared()
    groups = groups_of(results[:1])
    for number in range(2):
        task = resumed.ResumedPass(groups, {}, retain_graph=False)
        if number:
            with pytest.raises(RuntimeError, match="a second time"):
                task.resume(groups[0], [torch.ones(2)])
        else:
            task.resume(groups[0], [torch.ones(2)])
