"""Steps that write existing tensors with a loop."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import objects, symbolic
from rushlight.engine.core.objects import TENSOR
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache.key import is_tensor
from rushlight.engine.dispatch.call_cache.step import (
    Encoded,
    Step,
    order_operands,
    position_of,
    positions,
    positions_of,
)
from rushlight.engine.dispatch.call_cache.steps.produced import has_failed, may_begin
from rushlight.engine.dispatch.call_cache.subscripts import OUTSIDE, address_of, shift_of
from rushlight.engine.loops.plan import Loop
from rushlight.engine.native.launch import MOST_OPERANDS
from rushlight.engine.native.lowlevel import load, stack, store
from rushlight.engine.native.python_api import decref, incref
from rushlight.engine.native.runtime import module

types_of = objects.types


class WRITTEN:
    loop, outputs, operands, indices, result, status, places, is_map = positions(
        "loop", "outputs", "operands", "indices", "result", "status", "places", "is_map"
    )


@module.function
def are_same_elements(a: int, b: int) -> int:
    """Whether two tensors over one storage are the same elements in the same order."""
    if load(a + TENSOR.offset) != load(b + TENSOR.offset):
        return 0
    if load(a + TENSOR.size) != load(b + TENSOR.size):
        return 0
    if load(a + TENSOR.stride) != load(b + TENSOR.stride):
        return 0
    return 1 if load(a + TENSOR.dtype) == load(b + TENSOR.dtype) else 0


@module.function
def writes_safely(target: int, ordered: int, operands: int, outputs: int, is_map: int) -> int:
    """Whether writing ``target`` cannot disturb another operand.

    They share no storage, or are the same elements in a map.
    """
    storage = load(target + TENSOR.storage)
    for k in range(outputs, operands):
        other = load(ordered + k * 8)
        if is_tensor(other) == 0 or other == target or load(other + TENSOR.storage) != storage:
            continue
        if is_map == 0 or are_same_elements(target, other) == 0:
            return 0
    return 1


@module.function
def shifted(tensor: int, shift: int) -> int:
    """The same tensor so many elements further on, as an operand."""
    return objects.new_view(
        tensor,
        load(tensor + TENSOR.size),
        load(tensor + TENSOR.stride),
        load(tensor + TENSOR.offset) + shift,
        load(tensor + TENSOR.numel),
        load(tensor + TENSOR.flags),
    )


@module.entry
def repeat_loop(step: int, flat_args: int) -> int:
    shift = shift_of(load(step + WRITTEN.places), flat_args)
    if shift == OUTSIDE:
        return -1
    ordered = stack(MOST_OPERANDS)
    operands = load(step + WRITTEN.operands)
    order_operands(ordered, operands, load(step + WRITTEN.indices), flat_args)
    outputs = load(step + WRITTEN.outputs)
    for k in range(outputs):
        target = load(ordered + k * 8)
        # Which storages the operands share is no part of the key of a call, so that it is asked
        # each time.
        if writes_safely(target, ordered, operands, outputs, load(step + WRITTEN.is_map)) == 0:
            return -1
    status = load(step + WRITTEN.status)
    if may_begin(status) == 0:
        return -1
    target = load(ordered)
    if load(step + WRITTEN.places) != 0:
        part = shifted(target, shift)
        if part == 0:
            has_failed(status)
            return 0
        store(ordered, part)
    failed = objects.run_operands(load(step + WRITTEN.loop), ordered)
    if load(step + WRITTEN.places) != 0:
        decref(load(ordered))
        store(ordered, target)
    if has_failed(status) != 0 and failed == 0:
        return -1
    if failed != 0:
        return 0
    for k in range(outputs):
        # After the loop: a version says what the elements are, and a failed loop is made again by
        # Python.
        objects.bump_version(load(ordered + k * 8))
    result = types_of.none
    if load(step + WRITTEN.result) >= 0:
        result = load(flat_args + load(step + WRITTEN.result) * 8)
    incref(result)
    return result


class Written(Step):
    """A loop wrote its first operands, unless the word at ``status`` is not 0 afterwards."""

    __slots__ = ("loop", "operands", "outputs", "status")
    run = repeat_loop
    takes_sizes = True
    takes_index_shift = True
    # Whether every element written follows from those at its own place alone.
    is_map = False

    def __init__(self, loop: Any, operands: Sequence[Any], outputs: int, status: int = 0) -> None:
        self.loop, self.operands, self.outputs = loop, tuple(operands), outputs
        self.status = status or getattr(loop, "status", 0)

    @property
    def may_fail(self) -> bool:  # type: ignore[override]
        return self.status != 0

    @property
    def outlives_call(self) -> bool:  # type: ignore[override]
        return getattr(self.loop, "draws", False)

    @property
    def written(self) -> tuple[Any, ...]:  # type: ignore[override]
        return self.operands[: self.outputs]

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        places = positions_of(self.operands, flat_args)
        given = -1 if result is None else position_of(result, flat_args)
        if not self.loop.address:
            # A device has loops that machine code cannot run.
            return None
        if places is None or (result is not None and given == -1):
            return None
        loop, table = self.loop, None
        if index_shift is not None:
            if not self._writes_apart():
                return None
            itemsize = self.operands[0]._dtype_.itemsize
            loop = loop.shifted([-index_shift.shift * itemsize, *[0] * (len(loop.kinds) - 1)])
            table = index_shift.table()
        indices = symbolic.words(places, ctypes.c_uint8)
        own = [loop.address, self.outputs, len(places), ctypes.addressof(indices), given]
        own += [self.status, address_of(table), int(self.is_map)]
        return Encoded(Written, own, (loop, indices, table))

    def _writes_apart(self) -> bool:
        """Whether one operand is written whose storage no other one has."""
        target = self.operands[0]
        if self.status or self.outputs != 1:
            return False
        if not isinstance(self.loop, Loop) or target._counter_ is not None:
            return False
        others = [x for x in self.operands[1:] if isinstance(x, Tensor)]
        return all(x._storage_ is not target._storage_ for x in others)


class Mapped(Written):
    """The same, where every element written follows from those at its own place alone."""

    __slots__ = ()
    is_map = True
