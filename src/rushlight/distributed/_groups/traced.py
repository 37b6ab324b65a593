"""Collectives on tensors without elements: operators that a trace sees, whose results are copied to where they belong."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.distributed._groups.world import world
from rushlight.engine.core import keys

__all__ = ["all_gather", "all_reduce", "all_to_all", "is_traced", "reduce_scatter"]

Tensor = torch.Tensor


def is_traced(*tensors: Any) -> bool:
    """Whether a tensor has no elements that could be sent."""
    if not any(tensor._keys_ & keys.PYTHON for tensor in tensors):
        return False
    from rushlight._subclasses.fake_tensor import FakeTensor

    return any(isinstance(tensor, FakeTensor) for tensor in tensors)


def _group(group: Any, async_op: bool) -> Any:
    if async_op:
        raise NotImplementedError(
            "a collective with async_op=True cannot be traced: its result is there at once, or not at all"
        )
    return world.member(group).group


def _named(op: Any) -> str:
    """The name of a way to combine elements."""
    from rushlight.distributed._functional_collectives import _NAMES

    found = next((name for name, known in _NAMES.items() if known == op), None)
    if found is None:
        raise NotImplementedError(f"{op} cannot be traced; known are {', '.join(_NAMES)}")
    return found


def all_reduce(tensor: Tensor, op: Any, group: Any, async_op: bool) -> None:
    """`all_reduce` in place."""
    from rushlight.distributed import _functional_collectives as functional

    tensor.copy_(functional.all_reduce(tensor, _named(op), _group(group, async_op)))


def all_gather(output: Tensor, input: Tensor, group: Any, async_op: bool) -> None:
    """`all_gather_into_tensor`."""
    from rushlight.distributed import _functional_collectives as functional

    found = functional.all_gather_tensor(input, 0, _group(group, async_op))
    output.copy_(found.view(output.shape))


def reduce_scatter(output: Tensor, input: Tensor, op: Any, group: Any, async_op: bool) -> None:
    """`reduce_scatter_tensor`."""
    from rushlight.distributed import _functional_collectives as functional

    asked = _group(group, async_op)
    output.copy_(functional.reduce_scatter_tensor(input, _named(op), 0, asked).view(output.shape))


def all_to_all(
    output: Tensor, input: Tensor, received: Any, sent: Any, group: Any, async_op: bool
) -> None:
    """`all_to_all_single`."""
    from rushlight.distributed import _functional_collectives as functional

    asked = _group(group, async_op)
    output.copy_(functional.all_to_all_single(input, received, sent, asked).view(output.shape))
