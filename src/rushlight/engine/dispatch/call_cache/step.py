"""A step: what a call, or a part of one, boiled down to, so that machine code can do it again.

Each kind is a class in `steps/`. It says what was noted, what of it other steps may depend on, and
how it becomes words; its machine code does the step again from these. All that the rest of the
memory knows of a kind is written here.
"""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable
from typing import Any, ClassVar

from rushlight.engine.core import objects, symbolic
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache.history import DONE, FAILED
from rushlight.engine.dispatch.call_cache.history.record import record_step
from rushlight.engine.dispatch.call_cache.key import MOST_FLAT_ARGS
from rushlight.engine.dispatch.call_cache.recorder import recording
from rushlight.engine.native.lowlevel import Function, invoke, load, load8, stack, store
from rushlight.engine.native.python_api import decref, vectorcall
from rushlight.engine.native.runtime import module

types_of = objects.types

_OWN_WORDS = 8


class STEP:
    """Positions of a step's words, in bytes."""

    # The function of its kind: from the step and a call's flattened arguments, a new reference to what the step makes;
    # 0 with an error, -1 if it cannot be done this time.
    run = 0
    words = 8  # the kind's own
    record = (
        words + 8 * _OWN_WORDS
    )  # what gives the result its history: called with it and the flattened arguments; or 0
    history = record + 8  # the same as words for `record_step`; or 0
    # Within a sequence:
    slot = history + 8  # the slot that the result becomes
    spread = slot + 8  # into how many more slots its items go, if it is a tuple
    expected = spread + 8  # the object that the result must be, or 0
    last_uses = expected + 8  # address of the steps whose results nothing needs any more
    last_use_count = last_uses + 8
    bytes = last_use_count + 8


@module.function
def run_step(step: int, flat_args: int, count: int) -> int:
    """Do a step with its history; -1 if it cannot be done this time."""
    result = invoke(load(step + STEP.run), step, flat_args)
    record = load(step + STEP.record)
    if record == 0 or result == -1 or result == 0:
        return result
    if load(step + STEP.history) != 0:
        recorded = record_step(result, flat_args, load(step + STEP.history))
        if recorded == DONE:
            return result
        if recorded == FAILED or record == types_of.none:
            decref(result)
            return 0 if recorded == FAILED else -1
    given = stack(MOST_FLAT_ARGS + 1)
    store(given, result)
    for k in range(count):
        store(given + 8 + k * 8, load(flat_args + k * 8))
    made = vectorcall(record, given, count + 1, 0)
    decref(result)
    return made


@module.function
def order_operands(ordered: int, count: int, indices: int, flat_args: int) -> None:
    """Put the flattened arguments that a table of bytes names into the order that a loop takes them in."""
    for k in range(count):
        store(ordered + k * 8, load(flat_args + load8(indices + k) * 8))


def positions(*names: str) -> tuple[int, ...]:
    """Positions of a kind's own words, in bytes."""
    assert len(names) <= _OWN_WORDS
    return tuple(STEP.words + 8 * k for k in range(len(names)))


class Step:
    """A step as it was noted."""

    __slots__: tuple[str, ...] = ()

    # Does the step again.
    run: ClassVar[Function]
    # Whether a program can fill in the words for other sizes.
    takes_sizes: ClassVar[bool] = False
    # Whether a repeated step may find that it cannot be done.
    may_fail: bool = False
    # Whether integers of a subscript may shift what it is about.
    takes_index_shift: ClassVar[bool] = False
    # Whether what it writes is what is there already.
    keeps_elements: ClassVar[bool] = False
    # Whether nothing may follow: what is made has another size next time, or can be written unseen.
    is_last: ClassVar[bool] = False
    # Whether it only gives a name to what is there: a view, a wrapper.
    only_names: ClassVar[bool] = False
    # Whether something besides the operands changes.
    outlives_call: bool = False
    # What the step was done with.
    operands: tuple[Any, ...] = ()
    # Existing tensors that it wrote.
    written: tuple[Any, ...] = ()
    # What it gave: a tensor, a tuple of them, a number, an array, or nothing.
    made: Any = None

    @classmethod
    def note(cls, *values: Any) -> Any:
        """Note a step of the call that this thread is recording, if any; gives the last value."""
        if recording.steps is not None:
            recording.steps.append(cls(*values))
        return values[-1] if values else None

    def over(self, owner: Callable[[Any], Any]) -> Step:
        """The same step over other tensors."""
        made = copy.copy(self)
        for kind in type(self).__mro__:
            for name in getattr(kind, "__slots__", ()):
                setattr(made, name, owner(getattr(self, name)))
        return made

    @property
    def numbers(self) -> list[Any]:
        """The plain numbers that are operands; all others are decided by the key."""
        return [x for x in self.operands if type(x) in (int, float)]

    @property
    def tensors_made(self) -> list[Tensor]:
        made = self.made if isinstance(self.made, tuple) else (self.made,)
        return [x for x in made if isinstance(x, Tensor)]

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        """The step as words; None if it did not make the result from the flattened arguments, or is none to repeat.

        Args:
            flat_args: what there is to work on
            result: what the step is to give
            index_shift: a subscript whose integers are not as they were when the step is repeated
        """
        return None


# In place of a function that gives a history, where what it keeps are sizes of one call: what machine
# code cannot record is then done the long way.
MACHINE_ONLY = object()


class Encoded:
    """A step's words and what they point to.

    Args:
        kind: the class of the step; None for a call that is never repeated
        own: the kind's own words
        keep: what they point to
    """

    __slots__ = ("history", "keep", "numbers", "words")

    def __init__(self, kind: type[Step] | None, own: list[Any], keep: Any) -> None:
        self.words = [0] * (STEP.bytes // 8)
        self.words[0] = 0 if kind is None else module.address(kind.run)
        self.words[1 : 1 + len(own)] = own
        self.keep = keep
        self.history: Any = None
        # The plain numbers that are taken anew each time; None if all count by value.
        self.numbers: list[Any] | None = None

    @property
    def is_repeatable(self) -> bool:
        return self.words[0] != 0

    def put(self, position: int, word: Any) -> None:
        self.words[position // 8] = word

    def give_history(self, record: Any, words: Any, owner: Any) -> None:
        """Let the result have a history: a function of it and the flattened arguments, or the same as words, or both.

        The words name classes of nodes, which belong to their owner.
        """
        self.history = record, words, owner
        self.put(STEP.record, id(None) if record is MACHINE_ONLY else symbolic.own(record))
        self.put(STEP.history, 0 if words is None else ctypes.addressof(words))

    def in_memory(self) -> tuple[int, Any]:
        """The step's address, or 0 if it is none, and what has to stay alive while it is used."""
        if not self.is_repeatable:
            return 0, None
        table = symbolic.words(self.words)
        return ctypes.addressof(table), (table, self.keep, self.history)


UNREPEATABLE = Encoded(None, [], None)


def position_of(item: Any, flat_args: list[Any]) -> int:
    """Which of the flattened arguments an object is; -1 if it is none."""
    for place, other in enumerate(flat_args):
        if other is item:
            return place
    return -1


def positions_of(items: Any, flat_args: list[Any]) -> list[int] | None:
    """Which flattened arguments these are; None if some are not among them."""
    found = [position_of(x, flat_args) for x in items]
    return None if -1 in found else found
