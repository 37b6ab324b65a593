"""Calls whose sizes vary, and how their results are made and compared."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.engine.core import state
from rushlight.engine.dispatch import call_cache
from rushlight.engine.dispatch.call_cache.classes import CallClass

CALLS = (Path(__file__).parent / "varying_calls.txt").read_text().splitlines()


@contextlib.contextmanager
def without_memory() -> Iterator[None]:
    """While this lasts, all calls are made in Python."""
    state.busy(+1)
    try:
        yield
    finally:
        state.busy(-1)


def put(x: Any, index: Any, value: Any) -> Any:
    x[index] = value
    return x


def arguments(sizes: Random, wants_grad: bool = False) -> dict[str, Any]:
    """Tensors of some sizes; few different ones, among them those that are special."""
    n, m = (sizes.choice([1, 2, 3, 4, 7, sizes.randrange(5, 40), 70]) for _ in range(2))
    found = of_size(n, m, sizes.randrange(1, 6), sizes.randrange(1, 6), sizes.randrange(n))
    if wants_grad:
        for name in "xyv":
            found[name].requires_grad_()
    return found


def of_size(n: int, m: int, some: int, others: int = 0, place: int = 0) -> dict[str, Any]:
    """Tensors of these sizes, and indices into them."""
    return {
        "x": torch.sin(torch.arange(n * m) * 1.7).reshape(n, m).float(),
        "y": torch.cos(torch.arange(n * m) * 0.9).reshape(n, m).float(),
        "v": torch.sin(torch.arange(n) * 2.3).float(),
        "i": torch.arange(some) * 5 % max(n, 1),
        "j": torch.arange(others or some) * 3 % max(m, 1),
        "k": torch.tensor(place),
        "here": torch.arange(n) * 3 % 5 > 1,
        "n": n, "m": m, "torch": torch, "F": F, "put": put,
    }  # fmt: skip


class Elements:
    """The elements of a tensor as they were, equal to those that read the same: NaN equals NaN.

    Most have equal bytes, and need not be read.
    """

    def __init__(self, elements: torch.Tensor) -> None:
        # The tensor's own storage stays unknown to numpy.
        self.array = elements.clone().numpy()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Elements):
            return NotImplemented
        return self.array.tobytes() == other.array.tobytes() or repr(self) == repr(other)

    def __repr__(self) -> str:
        return str(self.array.tolist())


def facts(found: Any) -> Any:
    """All that a result shows, for comparing."""
    if isinstance(found, torch.Tensor):
        elements = found.detach().resolve_conj()
        return (
            str(found.dtype), tuple(found.shape), found.stride(), found.storage_offset(),
            found.requires_grad, found.is_leaf, Elements(elements),
        )  # fmt: skip
    if isinstance(found, (tuple, list)):
        return type(found).__name__, [facts(x) for x in found]
    return type(found).__name__, str(found)


def outcome(call: Any, given: dict[str, Any]) -> Any:
    """What a call gives, or raises, and how often it has changed its arguments."""
    tensors = [t for t in given.values() if isinstance(t, torch.Tensor)]
    before = [t._version for t in tensors]
    try:
        found = facts(eval(call, given))
        return found, [t._version - b for t, b in zip(tensors, before, strict=True)]
    except Exception as error:
        return type(error).__name__, str(error)


def classes_of(name: str) -> list[CallClass]:
    """What is known of the calls of a binding."""
    bindings = [b for b in call_cache.bindings if b._name == name]
    return [known for b in bindings for known in b._known_classes.values()]
