"""Calls of one class: with sizes that vary, repeated, and without the memory, they are the same."""

from __future__ import annotations

from random import Random

import pytest
from varying_calls import CALLS, arguments, facts, outcome, without_memory

import rushlight as torch
from rushlight.engine.dispatch import call_cache
from rushlight.nn import functional as F


@pytest.mark.parametrize("call", CALLS)
def test_calls_with_ever_new_sizes(call: str) -> None:
    sizes = Random(call)
    code = compile(call, call, "eval")
    for _ in range(30):
        given = arguments(sizes)
        found = outcome(code, given)
        with without_memory():
            assert found == outcome(code, given), f"{given['n']}, {given['m']}"


@pytest.mark.parametrize("call", CALLS)
def test_gradients_with_ever_new_sizes(call: str) -> None:
    sizes = Random(call + "!")
    code = compile(call, call, "eval")

    def gradients(given):
        try:
            found = eval(code, given)
            found = found if isinstance(found, (tuple, list)) else [found]
            total = sum((f * f).sum() for f in found if getattr(f, "requires_grad", False))
            if not torch.is_tensor(total):
                return None
            leaves = [given[name] for name in "xyv"]
            return facts(torch.autograd.grad(total, leaves, allow_unused=True))
        except Exception as error:
            return type(error).__name__, str(error)

    for _ in range(16):
        given = arguments(sizes, True)
        found = gradients(given)
        with without_memory():
            assert found == gradients(given), f"{given['n']}, {given['m']}"


def ones(*size: int) -> torch.Tensor:
    return torch.ones(*size, requires_grad=True)


HAVE_PROGRAMS = {
    "avg_pool2d": lambda n: F.avg_pool2d(torch.ones(1, 4, n), 2),
    "max_pool2d": lambda n: F.max_pool2d(torch.ones(1, 4, n), 2),
    "_unique2": lambda n: torch.unique(torch.arange(n) % 5, return_counts=True),
    "unique_consecutive": lambda n: torch.unique_consecutive(torch.arange(n) // 2),
    "bincount": lambda n: torch.bincount(torch.arange(n) % 7),
    "repeat_interleave": lambda n: torch.ones(n).repeat_interleave(torch.arange(n) % 3),
    "aten::nll_loss_forward gradient 0": lambda n: F.nll_loss(
        ones(n, 3), torch.arange(n) % 3
    ).backward(),
    "aten::_batch_norm_of_batch gradient 0": lambda n: F.batch_norm(
        ones(n, 3), torch.zeros(3), torch.ones(3), ones(3), ones(3), training=True
    ).sum().backward(),
}  # fmt: skip


@pytest.mark.parametrize("name", HAVE_PROGRAMS)
def test_classes_have_programs(name: str) -> None:
    for n in (21, 26, 33, 38, 45, 50, 57, 62, 69, 74):
        HAVE_PROGRAMS[name](n)
    classes = [
        known
        for binding in call_cache.bindings
        if binding._name == name
        for known in binding._known_classes.values()
    ]
    assert any(known.programs for known in classes), [known.refusal for known in classes]
