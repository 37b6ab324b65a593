"""Calls of several steps, repeated one after the other by machine code.

An operator that calls others is remembered as what these boiled down to: plans, loops and views
over the call's arguments and over what earlier steps made, each with its history. That is sound if
the steps say all that happened, so a call is refused

* if some step cannot be repeated, or works on a tensor of unknown origin;
* if a storage was written more often than the noted loops did;
* if an element was read, unless it is the answer to a yes-or-no question: then the answer must be
  the same when the call is repeated, or the call is made the long way;
* if something follows a step whose result may have another size next time;
* if a step that may fail follows one whose effect outlives the call, which would then be done twice.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import symbolic
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.named_results import NamedResult
from rushlight.engine.dispatch.replay import (
    ENTRY,
    IDENTITY_ACTION,
    MOST_LEAVES,
    NO_ACTION,
    PART,
    SEQUENCE,
)
from rushlight.engine.dispatch.steps import (
    MACHINE_ONLY,
    address_of,
    addressed,
    describe,
    id_of,
    left_to_machine,
    position_of,
    recorder_of,
    step_words,
)
from rushlight.engine.loops import plans

_MOST_PARTS = 240
_NUMBERS = (bool, int, float, complex, symbolic.SymInt)
# The steps that make something, and where they say what.
_PLACE_OF_RESULT = {
    "plan": 3, "checked": 3, "sized": 3, "rows": 3, "place": 3, "view": 2, "views": 2, "element": 2, "adopt": 2,
    "array": 2,
}  # fmt: skip
# Nothing may follow these: what they make has another size next time, or can be written unseen.
_ENDS = {"sized", "array"}
_REPEATABLE = {*_PLACE_OF_RESULT, "loop"}


def versions_of(values: Sequence[Any]) -> dict[int, int]:
    """How often each storage among the leaves has been written, by its address.

    The storages themselves are not kept: who writes to one may count who knows it.
    """
    return {id(x._storage): x._storage._version for x in values if isinstance(x, Tensor)}


def describe_sequence(
    leaves: list[Any], before: dict[int, int], steps: list[tuple[Any, ...]], result: Any
) -> tuple[list[int], Any] | None:
    """The words of an entry that does these steps, and what they point to; None if it cannot be.

    Args:
        leaves: the arguments, lists opened
        before: the storages' versions before the call
        steps: what it was
        result: what it gave
    """
    if any(isinstance(x, Tensor) and x._counter is not None for x in leaves):
        return None
    held = [s[1] for s in steps if s[0] == "constant"]
    steps = [s for s in steps if s[0] not in ("same", "constant")]
    sequence = _Sequence(leaves, [*_constants(leaves, steps, result), *held])
    if not _wrote_only(leaves, before, steps) or not sequence.add_all(steps, result):
        return None
    return sequence.words(result)


def _operands(step: tuple[Any, ...]) -> tuple[Any, ...]:
    return step[2] if step[0] in ("plan", "checked", "loop") else ()


def _constants(leaves: list[Any], steps: list[tuple[Any, ...]], result: Any) -> list[Any]:
    """Numbers that steps take and that the call's key decides, and None as a result or part of it."""
    shown = result if isinstance(result, (tuple, NamedResult)) else (result,)
    found: list[Any] = [None] if any(x is None for x in shown) else []
    for step in steps:
        for operand in _operands(step):
            if type(operand) in _NUMBERS and position_of(operand, [*leaves, *found]) < 0:
                found.append(operand)
    return found


def _written(step: tuple[Any, ...]) -> list[Any]:
    """The storages that a step writes and did not make."""
    return [t._storage for t in step[2][: step[3]]] if step[0] == "loop" else []


def _wrote_only(leaves: list[Any], before: dict[int, int], steps: list[tuple[Any, ...]]) -> bool:
    """Whether the loops among the steps are all that wrote to storages the call knows."""
    known = {id(x._storage): x._storage for x in leaves if isinstance(x, Tensor)}
    expected = dict(before)
    for step in steps:
        for item in [] if step[0] == "sized" else _tensors_made(step):
            known[id(item._storage)] = item._storage
            expected.setdefault(id(item._storage), 0)
        for storage in _written(step):
            known[id(storage)] = storage
            expected[id(storage)] = expected.get(id(storage), 0) + 1
    return all(k in known and known[k]._version == n for k, n in expected.items())


def _result_of(step: tuple[Any, ...]) -> Any:
    """What a step gave: a tensor, a tuple of them, a number, or nothing."""
    place = _PLACE_OF_RESULT.get(step[0])
    return None if place is None else step[place]


def _tensors_made(step: tuple[Any, ...]) -> list[Tensor]:
    made = _result_of(step)
    return [x for x in (made if isinstance(made, tuple) else (made,)) if isinstance(x, Tensor)]


class _Sequence:
    """The parts of a sequence while they are found."""

    def __init__(self, leaves: list[Any], constants: list[Any]) -> None:
        self.leaves, self.constants = leaves, constants
        self.slots: list[Any] = [*leaves, *constants]
        self.own = {id(x._storage) for x in leaves if isinstance(x, Tensor)}
        self.parts: list[list[int]] = []
        self.results: list[Any] = []
        # For each part, the last one that uses what it made.
        self.last_use: list[int] = []
        self.origin = [-1] * len(self.slots)
        self.kept: list[Any] = []
        self.has_effect = False

    def add_all(self, steps: list[tuple[Any, ...]], result: Any) -> bool:
        """Add a part for each step; whether all could be."""
        for k, step in enumerate(steps):
            if step[0] == "record":
                if not self._add_history(step):
                    return False
            elif step[0] not in _REPEATABLE or not self._add(step, k == len(steps) - 1, result):
                return False
        return 0 < len(self.parts) <= _MOST_PARTS and len(self.slots) <= MOST_LEAVES

    def _add(self, step: tuple[Any, ...], is_last: bool, result: Any) -> bool:
        made = _result_of(step)
        if not self._may_follow(step) or (step[0] in _ENDS and result is not made):
            return False
        described = describe(step, self.slots, made)
        if described is None or described[0] == NO_ACTION:
            return False
        action, words, keep = described
        expected = 0
        if step[0] == "element" and not (is_last and result is made):
            if type(made) is not bool:
                return False
            expected = id(made)
        self._add_part(action, words, keep, made, expected)
        self._note_uses([step[1], *(step[2] if type(step[2]) is tuple else [step[2]])])
        return True

    def _add_part(self, action: int, words: list[int], keep: Any, made: Any, expected: int) -> None:
        """One more part, and slots for what it made."""
        items = list(made) if isinstance(made, tuple) else []
        entry = [0, 0, 0, action, *words]
        entry += [0] * (ENTRY.bytes // 8 - len(entry))
        self.parts.append([*entry, len(self.slots), len(items), expected, 0, 0])
        self.kept.append(keep)
        self.last_use.append(len(self.parts) - 1)
        self.slots += [made, *items]
        self.origin += [len(self.parts) - 1] * (1 + len(items))

    def _may_follow(self, step: tuple[Any, ...]) -> bool:
        """Whether a step is safe to do after the earlier ones; notes what it does itself."""
        targets = [id(storage) for storage in _written(step)]
        outlives = any(t in self.own for t in targets)
        if step[0] == "loop":
            others = [x for x in step[2][step[3] :] if isinstance(x, Tensor)]
            written = step[2][: step[3]]
            if any(id(x._storage) in targets and all(x is not t for t in written) for x in others):
                return False
        may_fail = outlives or (step[0] == "loop" and step[4]) or step[0] in (
            "checked", "rows", "place", "element", "sized",
        )  # fmt: skip
        if may_fail and self.has_effect:
            return False
        self.has_effect = self.has_effect or outlives or plans.outlives_call(step)
        return True

    def _add_history(self, step: tuple[Any, ...]) -> bool:
        """Give what a part has made its history: the last one, or one that others wrote to since."""
        if not self.parts:
            return False
        if step[3] is not self._last_made():
            place = position_of(step[3], self.slots)
            if place < 0 or self.origin[place] < 0:
                return False
            self._add_part(IDENTITY_ACTION, [place], None, step[3], 0)
            self.last_use[self.origin[place]] = len(self.parts) - 1
        slots = self.slots[: self.parts[-1][PART.slot // 8]]
        record, words = recorder_of(step, slots, []), step_words(step, slots, [])
        if not self.has_effect:
            record = left_to_machine(record, words)
        if record is None or (record is MACHINE_ONLY and (words is None or self.has_effect)):
            return False
        part = self.parts[-1]
        part[ENTRY.record // 8], part[ENTRY.step // 8] = id_of(record), address_of(words)
        self.kept.append((record, words))
        self._note_uses(list(step[2]))
        return True

    def _last_made(self) -> Any:
        return self.slots[self.parts[-1][PART.slot // 8]]

    def _note_uses(self, values: Sequence[Any]) -> None:
        """The present part uses these values."""
        for value in values:
            place = position_of(value, self.slots)
            if place >= 0 and self.origin[place] >= 0:
                self.last_use[self.origin[place]] = len(self.parts) - 1
            elif type(value) in (list, tuple):
                self._note_uses(value)

    def words(self, result: Any) -> tuple[list[int], Any] | None:
        """The whole as words, and what they point to; None if the result is no slot."""
        shown = self._shown(result)
        if shown is None:
            return None
        places, several = shown
        for place in places:
            if self.origin[place] >= 0:
                self.last_use[self.origin[place]] = len(self.parts)
        self._drop_unused()
        made = symbolic.words(places)
        constants = symbolic.words(map(symbolic.address, self.constants))
        head = [0] * (SEQUENCE.first // 8)
        head[SEQUENCE.given // 8] = len(self.leaves)
        head[SEQUENCE.constants // 8] = ctypes.addressof(constants)
        head[SEQUENCE.constant_count // 8] = len(self.constants)
        head[SEQUENCE.parts // 8] = len(self.parts)
        head[SEQUENCE.result // 8] = -1 if several else places[0]
        head[SEQUENCE.made // 8] = ctypes.addressof(made)
        head[SEQUENCE.made_count // 8] = len(places)
        head[SEQUENCE.wrapper // 8] = id(type(result)) if isinstance(result, NamedResult) else 0
        every = [*head, *(word for part in self.parts for word in part)]
        words = symbolic.words(every)
        keep = (words, made, constants, self.constants, self.kept, type(result))
        return [0, ctypes.addressof(words)], (keep, [addressed(x) for x in self.leaves])

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
        for k, part in enumerate(self.parts):
            unused = [made for made, last in enumerate(self.last_use) if last == k]
            if unused:
                table = symbolic.words(unused)
                self.kept.append(table)
                part[PART.last_uses // 8] = ctypes.addressof(table)
                part[PART.last_use_count // 8] = len(unused)
