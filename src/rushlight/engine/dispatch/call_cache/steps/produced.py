"""Steps that make tensors with a plan."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import objects, symbolic
from rushlight.engine.core.objects import TEMPLATE
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache.step import (
    Encoded,
    Step,
    order_operands,
    positions,
    positions_of,
)
from rushlight.engine.dispatch.named_results import NamedResult
from rushlight.engine.native import row_copies
from rushlight.engine.native.launch import MOST_OPERANDS
from rushlight.engine.native.lowlevel import load, stack, store
from rushlight.engine.native.python_api import call_object, decref
from rushlight.engine.native.runtime import module

# What makes words for a plan for a device of those for the host, by the type of the device.
for_devices: dict[str, Callable[[Encoded, Any], Encoded | None]] = {}
# Where the status of a loop that may fail says that it is running.
_BUSY = 24


@module.function
def may_begin(status: int) -> int:
    """Whether a loop that may fail, if it is one, runs nowhere; from now on it does.

    Long loops let other threads run.
    """
    if status == 0:
        return 1
    if load(status + _BUSY) != 0:
        return 0
    store(status + _BUSY, 1)
    return 1


@module.function
def has_failed(status: int) -> int:
    """Whether a loop that is over has failed; from now on another call may run it."""
    if status == 0:
        return 0
    failed = load(status)
    store(status, 0)
    store(status + _BUSY, 0)
    return failed


class PRODUCED:
    loop, templates, outputs, operands, indices, wrapper, status = positions(
        "loop", "templates", "outputs", "operands", "indices", "wrapper", "status"
    )


@module.function
def begin(step: int, flat_args: int, ordered: int) -> int:
    """Put the operands of a plan in order, and say whether it may run now."""
    if may_begin(load(step + PRODUCED.status)) == 0:
        return 0
    order_operands(
        ordered, load(step + PRODUCED.operands), load(step + PRODUCED.indices), flat_args
    )
    return 1


@module.function
def end(step: int, made: int) -> int:
    """What a plan has made; -1 if its loop has failed."""
    if has_failed(load(step + PRODUCED.status)) != 0 and made != 0:
        decref(made)
        return -1
    return made


@module.entry
def repeat_plan(step: int, flat_args: int) -> int:
    ordered = stack(MOST_OPERANDS)
    if begin(step, flat_args, ordered) == 0:
        return -1
    made = end(
        step,
        objects.produce_into(
            load(step + PRODUCED.loop),
            load(step + PRODUCED.templates),
            load(step + PRODUCED.outputs),
            ordered,
        ),
    )
    wrapper = load(step + PRODUCED.wrapper)
    if made == 0 or made == -1 or wrapper == 0:
        return made
    wrapped = call_object(wrapper, made, 0)
    decref(made)
    return wrapped


class Produced(Step):
    """A plan gave new tensors: one, or a tuple."""

    __slots__ = ("made", "operands", "plan")
    run = repeat_plan
    takes_sizes = True

    def __init__(self, plan: Any, inputs: Sequence[Any], made: Any) -> None:
        self.plan, self.operands, self.made = plan, tuple(inputs), made

    @property
    def outlives_call(self) -> bool:  # type: ignore[override]
        return getattr(self.plan.loop, "draws", False)

    @property
    def _status(self) -> int:
        """The word that tells whether the loop failed, if it may."""
        return getattr(self.plan.loop, "status", 0)

    @property
    def may_fail(self) -> bool:  # type: ignore[override]
        return self._status != 0

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        plan, made = self.plan, self.made
        inputs = positions_of(self.operands, flat_args)
        is_named = type(result) is not type(made) and isinstance(result, NamedResult)
        # The others of several results are like scratch to a call that gives only the first.
        is_first = type(made) is tuple and made[0] is result
        is_whole = made is result or (is_named and _same_items(made, result))
        if inputs is None or not (is_whole or is_first):
            return None
        indices = symbolic.words(inputs, ctypes.c_uint8)
        shown = 1 if is_first else plan.outputs
        counts = shown | (plan.outputs + plan.scratch - shown) << 16
        own = [0 if plan.loop is None else plan.loop.address, plan.templates_address, counts]
        own += [len(inputs), ctypes.addressof(indices), id(type(result)) if is_named else 0]
        encoded = Encoded(type(self), [*own, self._status], (plan, indices, type(result)))
        return encoded if plan.is_for_host else self._on_device(encoded)

    def _on_device(self, encoded: Encoded) -> Encoded | None:
        """The same for a plan whose tensors are on a GPU; None for results with names of their own."""
        found = for_devices.get(self.plan.device.type)
        if found is None or type(self) is not Produced or encoded.words[PRODUCED.wrapper // 8]:
            return None
        return found(encoded, self.plan)


class StatusChecked(Produced):
    """The same, unless the word at ``status`` is not 0 after the plan ran."""

    __slots__ = ("status",)
    may_fail = True

    def __init__(self, plan: Any, inputs: Sequence[Any], status: int, made: Any) -> None:
        super().__init__(plan, inputs, made)
        self.status = status

    @property
    def numbers(self) -> list[Any]:
        return []

    @property
    def _status(self) -> int:
        return self.status


def _same_items(a: Any, b: Any) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b))


class ROWS:
    source, words, index = positions("source", "words", "index")


@module.entry
def repeat_rows(step: int, flat_args: int) -> int:
    words = load(step + ROWS.words)
    source = load(flat_args + load(step + ROWS.source) * 8)
    index = load(flat_args + load(step + ROWS.index) * 8)
    made = objects.new_tensor(words)
    if made == 0:
        return 0
    row = words + TEMPLATE.length
    itemsize = load(row + 40)
    wrong = row_copies.gather_rows(
        objects.first_byte(made, itemsize),
        objects.first_byte(source, itemsize),
        objects.first_byte(index, 8),
        load(row),
        load(row + 8),
        load(row + 16),
        load(row + 24),
        load(row + 32),
    )
    if wrong >= 0:
        decref(made)
        return -1
    return made


class Rows(Step):
    """Rows of a tensor, named by an index, as a new one; ``plan`` has the words that describe it."""

    __slots__ = ("made", "operands", "plan")
    run = repeat_rows
    takes_sizes = True
    may_fail = True

    def __init__(self, source: Tensor, index: Tensor, plan: Any, made: Tensor) -> None:
        self.operands, self.plan, self.made = (source, index), plan, made

    @property
    def numbers(self) -> list[Any]:
        return []

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        places = positions_of(self.operands, flat_args)
        if self.made is not result or places is None or type(self.operands[0]) is not Tensor:
            return None
        own = [places[0], ctypes.addressof(self.plan.words), places[1]]
        return Encoded(Rows, own, self.plan)
