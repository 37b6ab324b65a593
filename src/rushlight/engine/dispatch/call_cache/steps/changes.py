"""Steps before elements are changed while gradients are recorded."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import objects, symbolic
from rushlight.engine.core.objects import TENSOR
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache.history import changes, edges
from rushlight.engine.dispatch.call_cache.step import (
    Encoded,
    Step,
    order_operands,
    positions,
    positions_of,
)
from rushlight.engine.dispatch.call_cache.subscripts import (
    OUTSIDE,
    IndexShift,
    address_of,
    shift_of,
)
from rushlight.engine.native.launch import MOST_OPERANDS
from rushlight.engine.native.lowlevel import load, stack
from rushlight.engine.native.python_api import incref
from rushlight.engine.native.runtime import module

types_of = objects.types


class CHANGED:
    operands, indices = positions("operands", "indices")


@module.function
def repeat_change(step: int, flat_args: int) -> int:
    """None if the first operand may be changed: nobody has to be told, asked or warned; else -1."""
    ordered = stack(MOST_OPERANDS)
    operands = load(step + CHANGED.operands)
    order_operands(ordered, operands, load(step + CHANGED.indices), flat_args)
    target = load(ordered)
    if changes.may_be_changed(target) == 0:
        return -1
    for k in range(1, operands):
        other = load(ordered + k * 8)
        if load(other + TENSOR.storage) == load(target + TENSOR.storage):
            return -1
        if load(other + TENSOR.counter) != types_of.none or edges.has_certain_edge(other) == 0:
            return -1
    incref(types_of.none)
    return types_of.none


class Changed(Step):
    """The elements of a tensor are about to be changed in a step that is recorded.

    The others are tensors that this step may keep.
    """

    __slots__ = ("operands",)
    run = repeat_change
    takes_sizes = True
    may_fail = True

    def __init__(self, target: Tensor, others: Sequence[Tensor]) -> None:
        self.operands = (target, *others)

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        places = positions_of(self.operands, flat_args)
        if places is None or len(places) > MOST_OPERANDS:
            return None
        indices = symbolic.words(places, ctypes.c_uint8)
        return Encoded(Changed, [len(places), ctypes.addressof(indices)], indices)


class KEPT:
    target, source, offset, places, is_recorded = positions(
        "target", "source", "offset", "places", "is_recorded"
    )


@module.function
def repeat_keeping(step: int, flat_args: int) -> int:
    """Count a write of elements to where they are already; -1 if they are not, or have another history."""
    target = load(flat_args + load(step + KEPT.target) * 8)
    source = load(flat_args + load(step + KEPT.source) * 8)
    shift = shift_of(load(step + KEPT.places), flat_args)
    if shift == OUTSIDE or load(source + TENSOR.storage) != load(target + TENSOR.storage):
        return -1
    offset = load(target + TENSOR.offset) + load(step + KEPT.offset) + shift
    if load(source + TENSOR.offset) != offset or load(source + TENSOR.dtype) != load(
        target + TENSOR.dtype
    ):
        return -1
    if load(target + TENSOR.counter) != load(source + TENSOR.counter):
        return -1
    if load(step + KEPT.is_recorded) != 0 and changes.is_part_of(source, target) == 0:
        return -1
    objects.bump_version(target)
    incref(types_of.none)
    return types_of.none


class Kept(Step):
    """Elements were written to where they are already: what ``x[i] += 1`` ends with.

    If that is recorded, both have one history.
    """

    __slots__ = ("is_recorded", "offset", "operands")
    run = repeat_keeping
    takes_sizes = True
    may_fail = True
    takes_index_shift = True
    keeps_elements = True

    def __init__(self, is_recorded: bool, target: Tensor, source: Tensor) -> None:
        self.operands, self.offset = (target, source), source._offset_ - target._offset_
        self.is_recorded = is_recorded

    @property
    def written(self) -> tuple[Any, ...]:  # type: ignore[override]
        return self.operands[:1]

    def encode(
        self, flat_args: list[Any], result: Any, index_shift: IndexShift | None = None
    ) -> Encoded | None:
        places = positions_of(self.operands, flat_args)
        if places is None or result is not None:
            return None
        table = None if index_shift is None else index_shift.table()
        offset = self.offset - (0 if index_shift is None else index_shift.shift)
        return Encoded(Kept, [*places, offset, address_of(table), int(self.is_recorded)], table)
