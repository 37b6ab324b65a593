"""Calls as sequences: the steps that they boiled down to, one after the other by machine code.

A call of one step is that step. An operator that calls others is remembered as what these boiled
down to: plans, loops and views over the call's arguments and over what earlier steps made, each with
its history. That is sound if the steps say all that happened, so a call is refused

* if some step cannot be repeated, or works on a tensor of unknown origin;
* if a storage was written more often than the noted loops did;
* if an element was read, unless it is the answer to a yes-or-no question: then the answer must be
  the same when the call is repeated, or the call is made the long way; or unless it only says
  where a view begins;
* if something follows a step whose result may have another size next time;
* if a step that may fail follows one whose effect outlives the call, which would then be done twice.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import keys, objects, symbolic
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache.history import words as history_words
from rushlight.engine.dispatch.call_cache.key import MOST_FLAT_ARGS
from rushlight.engine.dispatch.call_cache.step import (
    MACHINE_ONLY,
    STEP,
    Encoded,
    Step,
    position_of,
    positions,
    run_step,
)
from rushlight.engine.dispatch.call_cache.steps import (
    Constant,
    Element,
    Index,
    Record,
    Same,
    View,
)
from rushlight.engine.dispatch.call_cache.subscripts import IndexShift
from rushlight.engine.dispatch.named_results import NamedResult
from rushlight.engine.native.lowlevel import load, stack, store
from rushlight.engine.native.python_api import (
    call_object,
    decref,
    incref,
    tuple_item,
    tuple_new,
    tuple_set,
)
from rushlight.engine.native.runtime import module

types_of = objects.types

_MOST_STEPS = 240
_NUMBERS = (bool, int, float, complex, symbolic.SymInt, symbolic.SymFloat)


class SEQUENCE:
    """Positions of the words that describe several steps, in bytes; then the steps."""

    given = 0  # how many flattened arguments the call has
    constants = 8  # address of the objects that follow them as slots
    constant_count = 16
    count = 24  # how many steps
    result = 32  # the slot that is the result, or -1 if it is several
    made = 40  # of several: the slots' address
    made_count = 48
    wrapper = 56  # of several: the class of named results, or 0
    first = 64


class AS_STEP:
    (address,) = positions("address")


@module.function
def tuple_of(slots: int, places: int, count: int, wrapper: int) -> int:
    """A tuple of what some slots hold, or what a class of named results makes of it."""
    made = tuple_new(count)
    if made == 0:
        return 0
    for k in range(count):
        item = load(slots + load(places + k * 8) * 8)
        incref(item)
        tuple_set(made, k, item)
    if wrapper == 0:
        return made
    wrapped = call_object(wrapper, made, 0)
    decref(made)
    return wrapped


class TUPLE:
    places, count, wrapper = positions("places", "count", "wrapper")


@module.entry
def repeat_tuple(step: int, slots: int) -> int:
    return tuple_of(
        slots, load(step + TUPLE.places), load(step + TUPLE.count), load(step + TUPLE.wrapper)
    )


@module.function
def clear_slot(slots: int, step: int) -> None:
    """Drop what a step made: from now on its slots hold None."""
    slot = slots + load(step + STEP.slot) * 8
    made = load(slot)
    for k in range(1 + load(step + STEP.spread)):
        store(slot + k * 8, types_of.none)
    if made != types_of.none:
        decref(made)


@module.function
def clear_slots(slots: int, sequence: int, done: int) -> None:
    """Drop whatever the first steps made."""
    for k in range(done):
        clear_slot(slots, sequence + SEQUENCE.first + k * STEP.bytes)


@module.function
def result_of_slots(slots: int, sequence: int) -> int:
    """A new reference to what a sequence gives; 0 with an error."""
    slot = load(sequence + SEQUENCE.result)
    if slot >= 0:
        incref(load(slots + slot * 8))
        return load(slots + slot * 8)
    return tuple_of(
        slots,
        load(sequence + SEQUENCE.made),
        load(sequence + SEQUENCE.made_count),
        load(sequence + SEQUENCE.wrapper),
    )


@module.entry
def repeat_sequence(whole: int, flat_args: int) -> int:
    """Do several steps, each over the call's flattened arguments and what the earlier ones made.

    The slots are the flattened arguments, then constants, then results.
    """
    sequence = load(whole + AS_STEP.address)
    slots = stack(MOST_FLAT_ARGS)
    count = load(sequence + SEQUENCE.given)
    for k in range(count):
        store(slots + k * 8, load(flat_args + k * 8))
    for k in range(load(sequence + SEQUENCE.constant_count)):
        store(slots + count * 8, load(load(sequence + SEQUENCE.constants) + k * 8))
        count += 1
    for k in range(load(sequence + SEQUENCE.count)):
        step = sequence + SEQUENCE.first + k * STEP.bytes
        made = run_step(step, slots, count)
        if made == 0 or made == -1:
            clear_slots(slots, sequence, k)
            return made
        store(slots + count * 8, made)
        count += 1
        for j in range(load(step + STEP.spread)):
            store(slots + count * 8, tuple_item(made, j))
            count += 1
        expected = load(step + STEP.expected)
        if expected != 0 and expected != made:
            clear_slots(slots, sequence, k + 1)
            return -1
        for j in range(load(step + STEP.last_use_count)):
            unused = load(load(step + STEP.last_uses) + j * 8)
            clear_slot(slots, sequence + SEQUENCE.first + unused * STEP.bytes)
    result = result_of_slots(slots, sequence)
    clear_slots(slots, sequence, load(sequence + SEQUENCE.count))
    return result


class _Tuple(Step):
    """What earlier steps have made, as one result of several parts."""

    run = repeat_tuple

    def __init__(self, made: tuple[Any, ...]) -> None:
        self.made = made

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        places = [position_of(x, flat_args) for x in self.made]
        if -1 in places:
            return None
        wrapper = id(type(self.made)) if isinstance(self.made, NamedResult) else 0
        table = symbolic.words(places)
        own = [ctypes.addressof(table), len(places), wrapper]
        return Encoded(_Tuple, own, (table, type(self.made)))


class _Several(Step):
    """A sequence of steps as one step."""

    run = repeat_sequence


def versions_of(values: Sequence[Any]) -> dict[int, int]:
    """How often each storage among the flattened arguments has been written, by its address.

    The storages themselves are not kept: who writes to one may count who knows it.
    """
    return {id(x._storage_): x._storage_._version for x in values if isinstance(x, Tensor)}


def encode_call(
    flat_args: list[Any],
    before: dict[int, int],
    steps: list[Step],
    result: Any,
    index_shift: IndexShift | None = None,
) -> Encoded | None:
    """The words of a step that does the whole call again; None if that cannot be.

    Args:
        flat_args: the arguments, lists opened
        before: the storages' versions before the call
        steps: what it was
        result: what it gave
        index_shift: the integers of its subscript, if they are not as they were when it is repeated
    """
    alone = _encode_alone(flat_args, steps, result, index_shift)
    return (
        _encode_several(flat_args, before, steps, result, index_shift) if alone is None else alone
    )


def _encode_alone(
    flat_args: list[Any], steps: list[Step], result: Any, index_shift: IndexShift | None
) -> Encoded | None:
    """The words of a call that was one step, perhaps with a history."""
    if len(steps) not in (1, 2):
        return None
    step, record = steps[0], steps[1] if len(steps) == 2 else None
    if record is not None and not (isinstance(record, Record) and record.made is result):
        return None
    if index_shift is not None and (
        not step.takes_index_shift or step.operands[0] is not flat_args[0]
    ):
        return None
    if index_shift is not None and any(
        sum(flat_arg is n for flat_arg in flat_args) > 1 for n in step.numbers
    ):
        # What is written is an integer of the subscript only by chance.
        if record is not None:
            return None
        flat_args = index_shift.passed_over(flat_args)
    encoded = step.encode(flat_args, result, index_shift)
    if encoded is None:
        return None
    encoded.numbers = step.numbers
    if record is not None:
        taken = step.numbers if index_shift is None else index_shift.numbers_in(record.operands)
        if taken is None:
            return None
        in_python = [] if index_shift is None and step.written else taken
        function = history_words.function_of(record, flat_args, in_python)
        words = history_words.words_of(record, flat_args, taken)
        if not step.written:
            function = history_words.left_to_machine(function, words)
        if function is None or (words is None and (index_shift or function is MACHINE_ONLY)):
            return None
        if function is MACHINE_ONLY and step.written:
            return None
        encoded.give_history(function, words, record.record)
    return encoded


def _encode_several(
    flat_args: list[Any],
    before: dict[int, int],
    steps: list[Step],
    result: Any,
    index_shift: IndexShift | None,
) -> Encoded | None:
    if any(isinstance(x, Tensor) and _counts_apart(x) for x in flat_args):
        return None
    held = [step.tensor for step in steps if isinstance(step, Constant)]
    steps = [step for step in steps if not isinstance(step, (Same, Constant))]
    if sum(not isinstance(step, Record) for step in steps) > _MOST_STEPS:
        # To look for the places of what thousands of steps take would be slow, and for nothing.
        return None
    numbers = _numbers_that_shift(steps, index_shift)
    if not _wrote_only(flat_args, before, steps) or numbers is None:
        return None
    ordered = _indices_first(steps)
    if ordered is None:
        return None
    steps = ordered
    numbers = [*numbers, *(step.made for step in steps if isinstance(step, Index))]
    constants = [*_constants(flat_args, steps, result), *held]
    free = [] if index_shift is not None else _operand_numbers(flat_args, steps)
    if free:
        sequence = _Sequence(flat_args, constants, [*numbers, *free])
        if sequence.add_all(steps, result, None):
            found = sequence.encoded(result)
            if found is not None:
                found.numbers = free
                return found
    sequence = _Sequence(flat_args, constants, numbers)
    return sequence.encoded(result) if sequence.add_all(steps, result, index_shift) else None


def _operand_numbers(flat_args: list[Any], steps: list[Step]) -> list[Any]:
    """The call's numbers that are operands of all its steps that compute, and so may be others next time.

    A step without them may have been chosen by their values, and a number that is no argument may follow
    from them.
    """
    computing = [step for step in steps if not (step.only_names or isinstance(step, Record))]
    if not computing:
        return []
    found = [step.numbers for step in computing]
    if any(position_of(n, flat_args) < 0 for numbers in found for n in numbers):
        return []
    first = found[0]
    same = all({id(n) for n in numbers} == {id(n) for n in first} for numbers in found)
    return first if same else []


def _counts_apart(tensor: Tensor) -> bool:
    """Whether a tensor has versions that are not those of its storage, or of the tensor it stands for."""
    return tensor._counter_ is not None and not tensor._keys_ & keys.WRAPPED


def _numbers_that_shift(steps: list[Step], index_shift: IndexShift | None) -> list[int] | None:
    """A subscript's integers, if all steps are views with histories that tell which of them each took."""
    if index_shift is None:
        return []
    views, records = steps[::2], steps[1::2]
    if len(views) != len(records) or not all(v.takes_index_shift and not v.written for v in views):
        return None
    if not all(isinstance(r, Record) and r.made is v.made for v, r in zip(views, records)):
        return None
    return index_shift.numbers_in([value for record in records for value in record.operands])


def _indices_first(steps: list[Step]) -> list[Step] | None:
    """The steps with each integer that was read before the view that it shifts; None without that view."""
    indices = {id(step.view): step for step in steps if isinstance(step, Index)}
    ordered: list[Step] = []
    for step in steps:
        if isinstance(step, Index):
            continue
        if isinstance(step, View) and id(step.made) in indices:
            ordered.append(indices.pop(id(step.made)))
        ordered.append(step)
    return None if indices else ordered


def _constants(flat_args: list[Any], steps: list[Step], result: Any) -> list[Any]:
    """Numbers that steps take and that the call's key decides, and None as a result or part of it."""
    shown = result if isinstance(result, (tuple, NamedResult)) else (result,)
    found: list[Any] = [None] if any(x is None for x in shown) else []
    for step in steps:
        for operand in () if isinstance(step, Record) else step.operands:
            if type(operand) in _NUMBERS and position_of(operand, [*flat_args, *found]) < 0:
                found.append(operand)
    return found


def _wrote_only(flat_args: list[Any], before: dict[int, int], steps: list[Step]) -> bool:
    """Whether the loops among the steps are all that wrote to storages the call knows."""
    known = {id(x._storage_): x._storage_ for x in flat_args if isinstance(x, Tensor)}
    expected = dict(before)
    for step in steps:
        if isinstance(step, Record):
            continue
        for item in step.tensors_made:
            known[id(item._storage_)] = item._storage_
            expected.setdefault(id(item._storage_), 0)
        for target in step.written:
            storage = target._storage_
            known[id(storage)] = storage
            expected[id(storage)] = expected.get(id(storage), 0) + 1
    return all(k in known and known[k]._version == n for k, n in expected.items())


def _is_of(result: Any, made: Any) -> bool:
    """Whether a result is what a step has made, or a tuple of some of that."""
    if result is made:
        return True
    return type(result) is tuple is type(made) and all(any(x is y for y in made) for x in result)


class _Sequence:
    """The steps of a sequence while they are found."""

    def __init__(self, flat_args: list[Any], constants: list[Any], numbers: list[Any]) -> None:
        self.flat_args, self.constants, self.numbers = flat_args, constants, numbers
        self.slots: list[Any] = [*flat_args, *constants]
        self.own = {id(x._storage_) for x in flat_args if isinstance(x, Tensor)}
        self.steps: list[Encoded] = []
        # For each step, the last one that uses what it made.
        self.last_use: list[int] = []
        self.origin = [-1] * len(self.slots)
        self.kept: list[Any] = []
        self.has_effect = False

    def add_all(self, steps: list[Step], result: Any, index_shift: IndexShift | None) -> bool:
        """Add all steps; whether that could be done."""
        for k, step in enumerate(steps):
            if isinstance(step, Record):
                if not self._add_history(step):
                    return False
            else:
                own = self._read_index_shift(steps[k - 1], step) if k else None
                if own is None and index_shift is not None:
                    own = index_shift.among(steps[k + 1].operands)
                if not self._add(step, k == len(steps) - 1, result, own):
                    return False
            if len(self.steps) > _MOST_STEPS or len(self.slots) > MOST_FLAT_ARGS:
                return False
        return bool(self.steps)

    def _read_index_shift(self, before: Step, step: Step) -> IndexShift | None:
        """How an integer that has just been read shifts this step's view, if it does."""
        if not isinstance(before, Index) or step.made is not before.view:
            return None
        row = (position_of(before.made, self.slots), 0, *before.dimension, 0)
        return IndexShift([row], before.shift)

    def _add(self, step: Step, is_last: bool, result: Any, index_shift: IndexShift | None) -> bool:
        made = step.made
        if not self._may_follow(step) or (step.is_last and not _is_of(result, made)):
            return False
        encoded = step.encode(self.slots, made, index_shift)
        if encoded is None:
            return False
        if isinstance(step, Element) and not (is_last and result is made):
            if type(made) is bool:
                encoded.put(STEP.expected, id(made))
            elif not isinstance(step, Index):
                return False
        self._add_encoded(encoded, made)
        self._note_uses(step.operands)
        return True

    def _add_encoded(self, encoded: Encoded, made: Any) -> None:
        """One more step, and slots for what it made."""
        items = list(made) if isinstance(made, tuple) else []
        encoded.put(STEP.slot, len(self.slots))
        encoded.put(STEP.spread, len(items))
        self.steps.append(encoded)
        self.last_use.append(len(self.steps) - 1)
        self.slots += [made, *items]
        self.origin += [len(self.steps) - 1] * (1 + len(items))

    def _may_follow(self, step: Step) -> bool:
        """Whether a step is safe to do after the earlier ones; notes what it does itself."""
        targets = [id(x._storage_) for x in step.written]
        outlives = any(t in self.own for t in targets)
        others = [x for x in step.operands if isinstance(x, Tensor)]
        others = [x for x in others if all(x is not t for t in step.written)]
        if not step.keeps_elements and any(id(x._storage_) in targets for x in others):
            return False
        if self.has_effect and (outlives or step.may_fail):
            return False
        self.has_effect = self.has_effect or outlives or step.outlives_call
        return True

    def _add_history(self, record: Record) -> bool:
        """Give what a step has made its history: the last one, or one that others wrote to since."""
        if not self.steps:
            return False
        if record.made is not self._last_made() and not self._add_again(record):
            return False
        slots = self.slots[: self._last_slot()]
        function = history_words.function_of(record, slots, self.numbers)
        words = history_words.words_of(record, slots, self.numbers)
        if not self.has_effect:
            function = history_words.left_to_machine(function, words)
        if function is None or (words is None and self.numbers):
            return False
        if function is MACHINE_ONLY and (words is None or self.has_effect):
            return False
        self.steps[-1].give_history(function, words, record.record)
        self._note_uses(record.operands)
        return True

    def _add_again(self, record: Record) -> bool:
        """A step that gives what earlier ones have made or changed: one thing, or a tuple of some."""
        made = record.made
        is_several = isinstance(made, tuple) and position_of(made, self.slots) < 0
        parts = made if is_several else (made,)
        places = [position_of(x, self.slots) for x in parts]
        if -1 in places:
            return False
        if not record.is_of_change and any(self.origin[place] < 0 for place in places):
            return False
        again = _Tuple(made) if is_several else Same(made)
        encoded = again.encode(self.slots, made)
        assert encoded is not None
        self._add_encoded(encoded, made)
        self._note_uses(parts)
        return True

    def _last_slot(self) -> int:
        return self.steps[-1].words[STEP.slot // 8]

    def _last_made(self) -> Any:
        return self.slots[self._last_slot()]

    def _note_uses(self, values: Sequence[Any]) -> None:
        """The present step uses these values."""
        for value in values:
            place = position_of(value, self.slots)
            if place >= 0 and self.origin[place] >= 0:
                self.last_use[self.origin[place]] = len(self.steps) - 1
            elif type(value) in (list, tuple):
                self._note_uses(value)

    def encoded(self, result: Any) -> Encoded | None:
        """The whole as one step; None if the result is no slot."""
        shown = self._shown(result)
        if shown is None:
            return None
        places, several = shown
        for place in places:
            if self.origin[place] >= 0:
                self.last_use[self.origin[place]] = len(self.steps)
        self._drop_unused()
        made = symbolic.words(places)
        constants = symbolic.words(map(symbolic.address, self.constants))
        head = {
            SEQUENCE.given: len(self.flat_args),
            SEQUENCE.constants: ctypes.addressof(constants),
            SEQUENCE.constant_count: len(self.constants),
            SEQUENCE.count: len(self.steps),
            SEQUENCE.result: -1 if several else places[0],
            SEQUENCE.made: ctypes.addressof(made),
            SEQUENCE.made_count: len(places),
            SEQUENCE.wrapper: id(type(result)) if isinstance(result, NamedResult) else 0,
        }
        words = [head[position] for position in sorted(head)]
        words += [word for step in self.steps for word in step.words]
        table = symbolic.words(words)
        keep = (table, made, constants, self.constants, self.kept, self.steps, type(result))
        return Encoded(_Several, [ctypes.addressof(table)], keep)

    def _shown(self, result: Any) -> tuple[list[int], bool] | None:
        """The slots that are the result, and whether they are a tuple's items."""
        if type(result) in _NUMBERS:
            # Only what was read last: the same number may be an argument by chance.
            return ([len(self.slots) - 1], False) if result is self.slots[-1] else None
        place = position_of(result, self.slots)
        if place >= 0:
            return [place], False
        if type(result) is not tuple and not isinstance(result, NamedResult):
            return None
        places = [position_of(x, self.slots) for x in result]
        is_whole = all(x is None or isinstance(x, Tensor) for x in result) and -1 not in places
        return (places, True) if is_whole else None

    def _drop_unused(self) -> None:
        for k, step in enumerate(self.steps):
            unused = [made for made, last in enumerate(self.last_use) if last == k]
            if unused:
                table = symbolic.words(unused)
                self.kept.append(table)
                step.put(STEP.last_uses, ctypes.addressof(table))
                step.put(STEP.last_use_count, len(unused))
