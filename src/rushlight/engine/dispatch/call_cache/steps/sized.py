"""Steps that make tensors whose length is found at run time."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import geometry_program, objects, symbolic
from rushlight.engine.core.geometry_program import SIZED
from rushlight.engine.dispatch.call_cache.step import (
    Encoded,
    Step,
    order_operands,
    positions,
    positions_of,
)
from rushlight.engine.native.launch import MOST_OPERANDS
from rushlight.engine.native.lowlevel import load, stack, store
from rushlight.engine.native.python_api import decref, tuple_new, tuple_set
from rushlight.engine.native.runtime import module


class FOUND:
    counting, sized, operands, indices = positions("counting", "sized", "operands", "indices")


@module.function
def make_sized(words: int, counting: int, inputs: int) -> int:
    """A result's tensors: one, or a tuple."""
    if objects.run_operands(counting, inputs) != 0:
        return 0
    templates = geometry_program.templates_for(words, load(load(words + SIZED.count)))
    if templates == geometry_program.ELSEWHERE:
        return -1
    if templates == geometry_program.FAILED:
        return 0
    outputs = load(words + SIZED.outputs)
    return objects.produce_into(load(words + SIZED.filling), templates, outputs, inputs)


@module.entry
def repeat_sized(step: int, flat_args: int) -> int:
    """Find a result's length, then make the result; -1 if its templates are in use or do not fit."""
    words = load(step + FOUND.sized)
    if load(words + SIZED.busy) != 0:
        return -1
    ordered = stack(MOST_OPERANDS)
    order_operands(ordered, load(step + FOUND.operands), load(step + FOUND.indices), flat_args)
    store(words + SIZED.busy, 1)
    made = make_sized(words, load(step + FOUND.counting), ordered)
    store(words + SIZED.busy, 0)
    if made == 0 or made == -1:
        return made
    if load(words + SIZED.outputs) != 1 or load(words + SIZED.is_tuple) == 0:
        return made
    whole = tuple_new(1)
    if whole == 0:
        decref(made)
        return 0
    tuple_set(whole, 0, made)
    return whole


class Sized(Step):
    """What a `loops.plan.Sized` gave, whose length the inputs' elements decide."""

    __slots__ = ("made", "operands", "sized")
    run = repeat_sized
    takes_sizes = True
    may_fail = True
    is_last = True

    def __init__(self, sized: Any, inputs: Sequence[Any], made: Any) -> None:
        self.sized, self.operands, self.made = sized, tuple(inputs), made

    @property
    def numbers(self) -> list[Any]:
        return []

    @property
    def tensors_made(self) -> list[Any]:
        # Another time they are others.
        return []

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        places = positions_of(self.operands, flat_args)
        if places is None or self.made is not result:
            return None
        indices = symbolic.words(places, ctypes.c_uint8)
        own = [self.sized.counting.address, self.sized.address, len(places)]
        return Encoded(Sized, [*own, ctypes.addressof(indices)], (self.sized, indices))
