"""Calls of one class: with sizes that vary, repeated, and without the memory, they are the same."""

from __future__ import annotations

from random import Random

import pytest
from varying_calls import CALLS, arguments, facts, outcome, without_memory

import rushlight as torch


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
