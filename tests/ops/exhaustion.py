"""Calls whose n-th request for memory fails: how they end, and what comes after.

As a program, this tries every request of every operator's sample:

    python tests/ops/exhaustion.py [--most N] [NAME ...]
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rushlight as torch
from rushlight.engine.dispatch import call_cache
from rushlight.engine.loops import plans
from rushlight.engine.native import memory

sys.path.insert(0, str(Path(__file__).parent))
import gradient_samples

# How often a call has been made before: by the third call it is remembered.
FIRST, RECORDED, REMEMBERED = 0, 1, 2


def forward_and_backward(sample: Any) -> Callable[[], list[Any]]:
    """The call, and the gradients of its results."""

    def run() -> list[Any]:
        made = sample.call(*sample.tensors)
        results = list(made) if isinstance(made, (tuple, list)) else [made]
        results = [r for r in results if isinstance(r, torch.Tensor)]
        wanted = [r for r in results if r.requires_grad and r.numel()]
        if not wanted:
            return results
        grads = torch.autograd.grad(
            [r.real.sum() if r.is_complex() else r.sum() for r in wanted],
            sample.tensors,
            allow_unused=True,
        )
        return [r.detach() for r in results] + [g for g in grads if g is not None]

    return run


def equal(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(
        x.shape == y.shape and torch.allclose(x, y, equal_nan=True) if x.is_floating_point() or x.is_complex()
        else x.equal(y) if x.layout is torch.strided else True
        for x, y in zip(a, b)
    )  # fmt: skip


def forget() -> None:
    call_cache.forget_calls()
    plans.forget_all()


def trouble(name: str, kind: str, most: int, before: int) -> tuple[list[str], int]:
    """`trouble_of` an operator's sample and its gradients."""
    torch.manual_seed(0)
    run = forward_and_backward(gradient_samples.make(name, kind))
    return trouble_of(name, run, most, before, bool(gradient_samples.RANDOM.match(name)))


def trouble_of(
    name: str, run: Callable[[], list[Any]], most: int, before: int, is_random: bool = False
) -> tuple[list[str], int]:
    """What goes wrong when requests fail, one after the other, and how many were let fail."""
    expected = run()
    found: list[str] = []
    for number in range(1, most + 1):
        if before != REMEMBERED or number == 1:
            forget()
            for _ in range(before):
                run()
        where = f"{name}, request {number} after {before} calls"
        gc.collect(0)
        held = torch.cpu.memory_allocated()
        with memory.failing_request(number):
            try:
                run()
            except torch.OutOfMemoryError:
                pass
            except Exception as error:
                found.append(f"{where}: {type(error).__name__}: {error}")
            came = memory.has_failed()
        if not came:
            return found, number - 1
        if before == REMEMBERED and torch.cpu.memory_allocated() > held:
            gc.collect()
            if torch.cpu.memory_allocated() > held:
                found.append(f"{where}: some memory is not given back")
        for _ in range(3):
            if not is_random and not equal(run(), expected):
                found.append(f"{where}: the next call gives something else")
                break
    return found, most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--most", type=int, default=1000, help="how many requests of a call fail")
    options = parser.parse_args()
    tried = 0
    for name in options.names or gradient_samples.names():
        for before in (FIRST, RECORDED, REMEMBERED):
            found, count = trouble(name, "float64", options.most, before)
            tried += count
            for line in found:
                print(line, flush=True)
    print(f"{tried} requests failed")


if __name__ == "__main__":
    main()
