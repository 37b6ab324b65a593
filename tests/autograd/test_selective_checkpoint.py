"""Checkpoints that keep some results."""

from functools import partial

import pytest

import rushlight as torch
from rushlight.utils._python_dispatch import TorchDispatchMode
from rushlight.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)

MM = torch.ops.aten.mm.default
SIN = torch.ops.aten.sin.default


class Counted(TorchDispatchMode):
    def __init__(self):
        self.calls = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.calls.append(func)
        return func(*args, **(kwargs or {}))


def layer(x, w):
    return torch.sin(x @ w) @ w


def run(policy, function=layer, **settings):
    """Counts of products and sines in the backward pass, and whether the gradients are right."""
    torch.manual_seed(0)
    x, w = (torch.randn(3, 3, requires_grad=True) for _ in range(2))
    contexts = partial(create_selective_checkpoint_contexts, policy, **settings)
    result = checkpoint(function, x, w, use_reentrant=False, context_fn=contexts)
    with Counted() as counted:
        result.sum().backward()
    right = torch.autograd.grad(function(x, w).sum(), (x, w))
    equal = torch.equal(right[0], x.grad) and torch.equal(right[1], w.grad)
    return counted.calls.count(MM), counted.calls.count(SIN), equal


def test_listed_operators_are_not_called_again():
    products, sines, equal = run([MM])
    assert (products, sines, equal) == (4, 1, True)
    everything = run([])
    assert everything[0] > 4 and everything[1:] == (1, True)
    assert run([MM, SIN]) == (4, 0, True)


def test_policies_are_asked_once_for_every_call():
    asked = []

    def policy(context, op, *args, **kwargs):
        asked.append((context.is_recompute, op))
        return CheckpointPolicy.PREFER_SAVE if op is MM else CheckpointPolicy.MUST_RECOMPUTE

    assert run(policy) == (4, 1, True)
    assert asked == [(False, MM), (False, SIN), (False, MM)]
    assert run(lambda context, op, *args, **kwargs: op is MM) == (4, 1, True)


def test_views_and_keywords():
    def function(x, w):
        return torch.addmm(x, x.t(), w, beta=2).sum(0, keepdim=True).exp()

    ops = [torch.ops.aten.addmm.default, torch.ops.aten.sum.dim_IntList, torch.ops.aten.t.default]
    assert run(ops, function)[2]


def test_several_results():
    def function(x, w):
        values = torch.sort(x @ w, dim=1)[0]
        return values * torch.max(w, 0)[0]

    ops = [torch.ops.aten.sort.default, torch.ops.aten.max.dim]
    assert run(ops, function)[2]


def changing(x, w):
    y = x @ w
    y.add_(1)
    return torch.sin(y) @ w


def test_results_that_were_changed():
    with pytest.raises(RuntimeError, match="has been mutated"):
        run([MM], changing)
    assert run([MM], changing, allow_cache_entry_mutation=True)[:2] == (4, 1)


def test_a_second_pass():
    x, w = (torch.randn(3, 3, requires_grad=True) for _ in range(2))
    contexts = partial(create_selective_checkpoint_contexts, [MM])
    result = checkpoint(layer, x, w, use_reentrant=False, context_fn=contexts).sum()
    result.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="Trying to backward an extra time"):
        result.backward()


def test_what_is_no_policy():
    with pytest.raises(ValueError, match=r"change it to `torch\.ops\.aten\.mm\.default`"):
        create_selective_checkpoint_contexts([torch.ops.aten.mm])
    with pytest.raises(TypeError, match="either a function or a list of ops"):
        create_selective_checkpoint_contexts(3)
