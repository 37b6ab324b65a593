"""Calls repeated by machine code: an inline cache in front of every public function.

A public function or method is a built-in function whose context is a `Binding`. Compiled code
looks at the arguments (types, tensor metadata, values of small things), finds what the same call
boiled down to last time, and does that: run one plan, write one loop, make one view, or give an
argument back. Anything else goes to the binding's ordinary Python function, which is recorded:
if it turns out to be one such step over its own arguments, the step is remembered.

Only tensors of the exact class, on the CPU, without any other dispatch key take part, and only
while no thread has modes or key sets of its own.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import sys
import types as python_types
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout, objects, state, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.size import Size
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import classes, overrides_hook, registry
from rushlight.engine.dispatch.classes import CallClass
from rushlight.engine.dispatch.named_results import NamedResult
from rushlight.engine.dispatch.public_names import Place, documented, place_of
from rushlight.engine.dispatch.replay import (
    BINDING_OBJECTS,
    BINDING_WORDS,
    CHAIN_ACTION,
    ENTRY,
    HAS_SUBSCRIPT,
    MOST_INPUTS,
    MOST_KEY_WORDS,
    NO_ACTION,
    PROBES,
    SEQUENCE_ACTION,
    TAKES_ARRAYS,
    call_binding,
    class_key,
    hash_call,
    hash_key,
    remember_key,
)
from rushlight.engine.dispatch.sequences import describe_sequence, versions_of
from rushlight.engine.dispatch.steps import (
    MACHINE_ONLY,
    address_of,
    addressed,
    describe,
    id_of,
    leaves_of,
    left_to_machine,
    moves_of_places,
    numbers_of,
    recorder_of,
    step_words,
)
from rushlight.engine.loops import plans
from rushlight.engine.loops.plan import Loop
from rushlight.engine.native import array_objects, heap_types, runtime, subscripts
from rushlight.engine.native.springboard import Springboard

_SLOTS = 64
_MOST_SLOTS = 1024
# After so many kinds of calls that were made once, calls hardly repeat either.
_MOST_MET = 1024
# Once a table of that size has been full, calls hardly repeat: one in so many is remembered.
_SELDOM = 8

_BY_IDENTITY = (
    type(None), bool, str, dtypes.dtype, devices.device, layout.layout, layout.memory_format,
    type(Ellipsis), Size,
)  # fmt: skip

_Base = (
    heap_types.make_base("rushlight.BindingBase", BINDING_WORDS, BINDING_OBJECTS)
    if heap_types.supported()
    else object
)


class Binding(_Base):  # type: ignore[misc, valid-type]
    """What stands behind one public function: its Python form and the calls it remembers."""

    _table: int
    _mask: int
    _numbers: int
    _habits: int
    _slow: Callable[..., Any]
    _miss: Callable[..., Any]

    def __init__(
        self,
        name: str,
        slow: Callable[..., Any],
        numbers: Callable[[], int],
        sizes: Callable[[], int],
    ) -> None:
        self._name = name
        self._find_sizes = sizes
        self._slow = slow
        self._miss = self.miss
        self._find_numbers: Callable[[], int] | None = numbers
        self._habits = 0
        self._varies = False
        self._misses = 0
        self._forget()
        _bindings.append(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._slow(*args, **kwargs)

    def __reduce__(self) -> Any:
        # Python pickles a built-in function as an attribute of what it is bound to.
        return Place, place_of(self, self._name)

    def _forget(self) -> None:
        if self._table != ctypes.addressof(_no_entries):
            # Another thread may look between the two: it must stay inside the smaller table.
            self._mask = 0
            self._table = ctypes.addressof(_no_entries)
            self._entries = _no_entries
        self._class_mask = 0
        # Only now may what the tables point to go.
        self._kept: list[Any] = []
        self._known_classes: dict[Any, CallClass] = {}
        self._met: set[int] = set()
        self._failed: set[int] = set()

    def _make_room(self) -> None:
        """Twice the table, or an empty one if it is large already."""
        if self._mask + 1 >= _MOST_SLOTS:
            self._varies = True
            self._forget()
        times, before, kept = _times_forgotten, self._entries, self._kept
        slots = max(2 * _slots_of(before), _SLOTS)
        row = ENTRY.bytes // 8
        entries: Any = (ctypes.c_int64 * ((slots + PROBES) * row))()
        for place in range(0, len(before), row):
            if before[place]:
                position = _free_row(entries, before[place])
                entries[position : position + row] = before[place : place + row]
        for held in kept:
            held.append(entries)
        if times != _times_forgotten:
            return
        self._entries = entries
        self._table = ctypes.addressof(entries)
        self._mask = slots - 1

    def miss(self, *args: Any, **kwargs: Any) -> Any:
        """Make the call in Python, and remember it if it is the second of its kind.

        The first builds plans, and may stay the only one: shapes come and go.
        """
        if self._find_numbers is not None:
            self._numbers = self._find_numbers()
            self._sizes = self._find_sizes()
            self._find_numbers = None
        if not self._has_met(args, kwargs):
            return classes.call(self, args, kwargs)
        if self._varies:
            self._misses += 1
            if self._misses % _SELDOM:
                return self._slow(*args, **kwargs)
        result, recorded = self.record(args, kwargs)
        if recorded is not None:
            self._remember(args, kwargs, recorded[0], result, recorded[1])
        return result

    def record(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, tuple[list[Any], dict[int, int]] | None]:
        """Make a call in Python: its result, and its steps with the storages' versions before.

        Nothing is known of the steps if what calls do has changed meanwhile.
        """
        outer = plans.recording.steps
        steps: list[Any] = []
        times = _times_forgotten
        before = versions_of(leaves_of([*args, *kwargs.values()]))
        plans.recording.steps = steps
        state.busy(+1)
        try:
            result = self._slow(*args, **kwargs)
        finally:
            state.busy(-1)
            plans.recording.steps = outer
            if outer is not None:
                outer.extend(steps)
        # Inference mode is one reason for being busy, and no hindrance.
        is_sure = state.switches.busy == state.thread.inference and times == _times_forgotten
        return result, (steps, before) if is_sure else None

    def _remember(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        steps: list[Any],
        result: Any,
        before: dict[int, int],
    ) -> None:
        """Remember what the call was; also that it was nothing that can be repeated."""
        steps = self._shown_steps(args, steps)
        has_subscript = self._habits & HAS_SUBSCRIPT and not kwargs
        if (
            has_subscript
            and all(map(_is_stable, args))
            and self._remember_moving(args, steps, result)
        ):
            return
        found = self.describe(args, kwargs, steps, result, before)
        if found is not None:
            self._insert(args, kwargs, *found)

    def describe(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        steps: list[Any],
        result: Any,
        before: dict[int, int],
    ) -> tuple[int, list[int], Any] | None:
        """A call's action, its words and what they point to; None if it is not to be remembered."""
        if state.thread.inference and isinstance(result, NamedResult):
            # Machine code marks what is in plain tuples.
            return None
        steps = self._shown_steps(args, steps)
        given = [*args, *kwargs.values()]
        takes_arrays = self._habits & TAKES_ARRAYS and array_objects.usable()
        if not all(_is_stable(a) or (takes_arrays and type(a) is np.ndarray) for a in given):
            return None
        leaves = leaves_of(given)
        if len(steps) > 2 and args and not kwargs:
            chain = _chain(args, steps, result, [], [])
            if chain is not None:
                return (CHAIN_ACTION, *chain)
        described, record, words_of_step = None, None, None
        if len(steps) == 2 and steps[1][0] == "record" and steps[1][3] is result:
            numbers = numbers_of(steps[0])
            record = recorder_of(steps[1], leaves, numbers if steps[0][0] == "plan" else [])
            words_of_step = step_words(steps[1], leaves, numbers)
            if steps[0][0] != "loop":
                record = left_to_machine(record, words_of_step)
            if record is not None and (record is not MACHINE_ONLY or words_of_step is not None):
                described = describe(steps[0], leaves, result)
            if record is MACHINE_ONLY and steps[0][0] == "loop":
                described = None
        elif len(steps) == 1:
            described = describe(steps[0], leaves, result)
        if described is not None and not self._numbers_are_told_apart(args, leaves, steps[0]):
            return None
        if described is None and steps:
            found = describe_sequence(leaves, before, steps, result)
            if found is not None:
                self._count_by_value(args)
                return (SEQUENCE_ACTION, *found)
        action, words, keep = described or (NO_ACTION, [], None)
        held = (keep, record, words_of_step, [addressed(x) for x in leaves_of(given)])
        words = [*words, *[0] * (8 - len(words)), id_of(record), address_of(words_of_step)]
        return action, words, held

    def _shown_steps(self, args: tuple[Any, ...], steps: list[Any]) -> list[Any]:
        """The steps over the arguments themselves, without notes that are no steps."""
        steps = plans.without_shadows(steps)
        # What metadata alone decide is the same each time, so a call may look at it on its way.
        steps = [s for s in steps if s[0] != "known"] or steps
        if ("by_value",) in steps:
            steps = [s for s in steps if s[0] != "by_value"]
            self._count_by_value(args)
        return steps

    def _remember_moving(self, args: tuple[Any, ...], steps: list[Any], result: Any) -> bool:
        """Remember a call with a subscript for all integers that it may have; whether that was done."""
        if len(steps) > 2:
            return self._remember_moving_chain(args, steps, result)
        step = _moving_step(args, steps, result)
        if step is None:
            return False
        action, words, places, keep = step
        leaves = leaves_of(list(args))
        if any(sum(leaf is n for leaf in leaves) > 1 for n in numbers_of(steps[0])):
            # What is written may be an integer of the subscript only by chance.
            return False
        record = words_of_step = None
        if len(steps) == 2:
            numbers = _moving_numbers(args[1], steps[1][2])
            if numbers is None:
                return False
            record = recorder_of(steps[1], leaves, numbers)
            words_of_step = step_words(steps[1], leaves, numbers)
            if record is None or words_of_step is None:
                return False
        words = [*words, *[0] * (7 - len(words)), ctypes.addressof(places)]
        words += [id_of(record), address_of(words_of_step)]
        held = (keep, places, record, words_of_step, [addressed(x) for x in leaves])
        self._insert(args, {}, action, words, held, True)
        return True

    def _remember_moving_chain(self, args: tuple[Any, ...], steps: list[Any], result: Any) -> bool:
        """The same for a view of a view of what has a subscript."""
        found = _moves(args[0], args[1])
        every = [value for step in steps if step[0] == "record" for value in step[2]]
        numbers = None if found is None else _moving_numbers(args[1], tuple(every))
        if found is None or numbers is None:
            return False
        chain = _chain(args, steps, result, numbers, found[0])
        if chain is not None:
            self._insert(args, {}, CHAIN_ACTION, *chain, True)
        return chain is not None

    def _numbers_are_told_apart(
        self, args: tuple[Any, ...], leaves: list[Any], step: tuple[Any, ...]
    ) -> bool:
        """Whether it is clear which arguments are the step's plain numbers.

        A number that is no operand of the step, such as the end of a range, shaped the step: from
        now on such an argument counts by value.
        """
        numbers = numbers_of(step)
        if self._numbers and any(sum(leaf is x for leaf in leaves) > 1 for x in numbers):
            return False
        for position, item in enumerate(args):
            free = self._numbers >> position & 1 and type(item) in (int, float)
            if free and not any(item is x for x in numbers):
                self._numbers &= ~(1 << position)
                self._forget()
        return True

    def _count_by_value(self, args: tuple[Any, ...]) -> None:
        """Let all numbers count by value from now on."""
        free = [k for k, x in enumerate(args) if type(x) in (int, float) and self._numbers >> k & 1]
        for position in free:
            self._numbers &= ~(1 << position)
        if free:
            self._forget()

    def _has_met(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether there was such a call before; if not, there was one now."""
        given, names = _as_words(args, kwargs)
        moves = self._habits & HAS_SUBSCRIPT if not kwargs else 0
        mixed = _hash_call(
            id(self), ctypes.addressof(given), len(args), id(names) if names else 0, moves
        )
        if mixed == 0:
            return False
        if mixed in self._met:
            return True
        if len(self._met) >= _MOST_MET:
            self._met.clear()
            self._failed.clear()
            self._varies = True
        self._met.add(mixed)
        return False

    def _key(self, args: tuple[Any, ...], kwargs: dict[str, Any], moves: bool) -> Any:
        """The words that say what is alike in calls of one kind; None if there are none."""
        given, names = _as_words(args, kwargs)
        buffer = (ctypes.c_int64 * MOST_KEY_WORDS)()
        length = _make_key(
            id(self),
            ctypes.addressof(given),
            len(args),
            id(names) if names else 0,
            ctypes.addressof(buffer),
            int(moves),
        )
        return None if length < 0 else (ctypes.c_int64 * length)(*buffer[:length])

    def class_of(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[bytes, list[int]] | None:
        """The key of a call's class, and the integers that the class leaves open; None if it has none."""
        given, names = _as_words(args, kwargs)
        key = (ctypes.c_int64 * MOST_KEY_WORDS)()
        inputs = (ctypes.c_int64 * (MOST_INPUTS + 2))()
        length = make_class_key(
            id(self),
            ctypes.addressof(given),
            len(args),
            id(names) if names else 0,
            ctypes.addressof(key),
            ctypes.addressof(inputs),
        )
        if length < 0:
            return None
        return bytes(key)[: 8 * length], list(inputs[2 : 2 + inputs[0]])

    def install_class(self, known: CallClass) -> None:
        """Let machine code find the programs of a class."""
        for earlier, later in itertools.pairwise(known.programs):
            earlier.words[0] = later.address
        ready = [c for c in self._known_classes.values() if c.programs]
        if known not in ready:
            return
        slots = max(_SLOTS, 1 << (4 * len(ready)).bit_length())
        row = ENTRY.bytes // 8
        entries: Any = (ctypes.c_int64 * ((slots + PROBES) * row))()
        kept = []
        for one in ready:
            key = (ctypes.c_int64 * (len(one.key) // 8)).from_buffer_copy(one.key)
            mixed = _hash_key(ctypes.addressof(key), len(key))
            position = _free_row(entries, mixed)
            held = [key, one]
            kept.append(held)
            words = {
                ENTRY.hash: mixed, ENTRY.key: ctypes.addressof(key), ENTRY.length: len(key),
                ENTRY.templates: one.programs[0].address, ENTRY.keep: id(held),
            }  # fmt: skip
            for place, word in words.items():
                entries[position + place // 8] = word
        self._class_mask = 0
        self._classes = ctypes.addressof(entries)
        self._class_mask = slots - 1
        self._class_entries = entries, kept

    def _insert(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        action: int,
        words: list[int],
        keep: Any,
        moves: bool = False,
    ) -> None:
        key = self._key(args, kwargs, moves)
        if key is None:
            return
        mixed = _hash_key(ctypes.addressof(key), len(key))
        if action == NO_ACTION and mixed not in self._failed:
            # A call may still have built plans, for another number than the one before; once more.
            self._failed.add(mixed)
            return
        if 2 * len(self._kept) >= self._mask:
            self._make_room()
        row, entries, kept = ENTRY.bytes // 8, self._entries, self._kept
        if entries is _no_entries:
            # All was forgotten meanwhile.
            return
        position = _free_row(entries, mixed)
        entry = [0, ctypes.addressof(key), len(key), action, *words]
        # Whoever runs an entry keeps the tables that it is in.
        held = [key, keep, entries]
        entry += [0] * (row - 1 - len(entry)) + [id(held)]
        kept.append(held)
        for place, word in enumerate(entry[1:], 1):
            entries[position + place] = word
        entries[position] = mixed


def _slots_of(entries: Any) -> int:
    """How many places a table has."""
    return len(entries) * 8 // ENTRY.bytes - PROBES


def _free_row(entries: Any, mixed: int) -> int:
    """Where an entry goes: the first free place of its own, or the last one, which is given up."""
    row, mask = ENTRY.bytes // 8, _slots_of(entries) - 1
    position = 0
    for probe in range(PROBES):
        position = (((mixed >> 8) + probe) & mask) * row
        if entries[position] == 0:
            break
    return position


Made = TypeVar("Made", bound=Callable[..., Any])


def _as_words(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """A call's arguments as machine code gets them: their addresses, and the names of the last."""
    arguments = [*args, *kwargs.values()]
    given = (ctypes.c_int64 * max(len(arguments), 1))(*map(id, arguments))
    return given, tuple(map(sys.intern, kwargs))


# What bindings without a remembered call look through.
_no_entries = (ctypes.c_int64 * ((1 + PROBES) * ENTRY.bytes // 8))()
_bindings: list[Binding] = []
# A call that was made while calls were forgotten may have been the old or the new one.
_times_forgotten = 0
_functions: dict[str, Any] = {}


def _make_key(*words: int) -> int:
    if "key" not in _functions:
        _functions["key"] = runtime.callable_from_python(remember_key)
    return int(_functions["key"](*words))


def _hash_call(*words: int) -> int:
    if "call" not in _functions:
        _functions["call"] = runtime.callable_from_python(hash_call)
    return int(_functions["call"](*words))


def make_class_key(*words: int) -> int:
    if "class" not in _functions:
        _functions["class"] = runtime.callable_from_python(class_key)
    return int(_functions["class"](*words))


def _hash_key(*words: int) -> int:
    if "hash" not in _functions:
        _functions["hash"] = runtime.callable_from_python(hash_key)
    return int(_functions["hash"](*words))


_plain_types = {Tensor, int, float, symbolic.SymInt}


def count_as_plain(parameter: type) -> None:
    """Let calls with tensors of this class be repeated as if they were plain ones."""
    _plain_types.add(parameter)
    tensors.plain_types.add(parameter)
    objects.types.parameter = id(parameter)


def _is_stable(item: Any) -> bool:
    """Whether an argument's part of the key says all about it."""
    if type(item) in (tuple, list):
        return all(_is_stable(x) and type(x) not in (tuple, list) for x in item)
    if type(item) is slice:
        return all(_is_stable(x) for x in (item.start, item.stop, item.step))
    return type(item) in _plain_types or isinstance(item, _BY_IDENTITY)


# -- subscripts --


def _moving_step(args: tuple[Any, ...], steps: list[Any], result: Any) -> Any:
    """A view or a write whose place follows from the integers of a subscript; None for others.

    Given are the action, its words without the integers' part, where the integers are, and what the
    words point to.
    """
    step: tuple[Any, ...] = steps[0] if steps else ("none",)
    if len(steps) != (2 if steps[1:] and steps[1][0] == "record" else 1) or step[0] not in (
        "view",
        "loop",
        "place",
    ):
        return None
    if step[0] == "place" and type(args[1]) is not Tensor:
        return None
    if step[0] == "place":
        found = moves_of_places(step[2], leaves_of(list(args)))
        step = ("view", step[1], step[3])
    else:
        found = _moves(args[0], args[1])
    if found is None:
        return None
    rows, shift = found
    table = [len(rows), *(word for row in rows for word in row)]
    places = symbolic.words(table)
    leaves = leaves_of(list(args))
    if step[0] == "view":
        described = describe(step, leaves, result)
        if described is None or step[1] is not args[0]:
            return None
        action, words, keep = described
        words[3] -= shift
        return action, words, places, keep
    _, loop, operands, outputs, status = step
    if status or outputs != 1 or operands[0] is not args[0] or not isinstance(loop, Loop):
        return None
    if args[0]._counter is not None:
        return None
    storage = args[0]._storage
    if any(isinstance(x, Tensor) and x._storage is storage for x in operands[1:]):
        return None
    back = [-shift * args[0]._dtype.itemsize, *[0] * (len(loop.kinds) - 1)]
    moved = loop.moved(back)
    described = describe(("loop", moved, operands, outputs, 0), leaves, result)
    return None if described is None else (*described[:2], places, described[2])


def _chain(
    args: tuple[Any, ...], steps: list[Any], result: Any, numbers: list[int],
    moves: Sequence[tuple[int, ...]],
) -> tuple[list[int], Any] | None:  # fmt: skip
    """The words of views of views with their histories, and what these point to; None for others.

    Args:
        args: those of the call
        steps: what it was
        result: what it gave
        numbers: the integers of its subscript that move a view, if any may be others next time
        moves: for each of them, the words that say so
    """
    leaves = leaves_of(list(args))
    current, kept, words = args[0], [], []
    for view, record in itertools.zip_longest(steps[::2], steps[1::2]):
        whole = record is not None and (view[0], record[0]) == ("view", "record")
        if not whole or view[1] is not current or record[3] is not view[2]:
            return None
        made = view[2]
        if made._dtype is not current._dtype or made._base is None:
            return None
        own = [move for n, move in zip(numbers, moves) if any(a is n for a in record[2])]
        table = symbolic.words([len(own), *(w for m in own for w in m)])
        step = step_words((*record[:2], (args[0], *record[2][1:]), made), leaves, numbers)
        if step is None or record[2][0] is not current:
            return None
        shift = sum((n + m[2] if n < 0 else n) * m[3] for n, m in zip(numbers, moves) if m in own)
        words += [symbolic.address(made._size), symbolic.address(made._stride)]
        words.append(made._offset - current._offset - shift)
        words += [made._numel, made._flags, ctypes.addressof(step)]
        words.append(ctypes.addressof(table) if own else 0)
        kept.append((made._size, made._stride, step, table, record[2][1:]))
        current = made
    if current is not result or type(args[0]) not in _plain_types:
        return None
    links = symbolic.words(words)
    entry = [0, ctypes.addressof(links), len(kept), len(leaves)]
    held = (links, kept, [addressed(x) for x in leaves])
    return entry + [0] * (10 - len(entry)), held


def _moves(tensor: Any, index: Any) -> tuple[list[tuple[int, ...]], int] | None:
    """The words of a subscript's integers, as `replay.MOVE` says, and by how much they move now."""
    items = index if type(index) is tuple else (index,)
    kinds = (int, slice, type(None), type(Ellipsis))
    if type(tensor) not in _plain_types or any(type(item) not in kinds for item in items):
        return None
    dims = len(tensor._size)
    unnamed = dims - sum(type(item) in (int, slice) for item in items)
    rows: list[tuple[int, ...]] = []
    shift = d = 0
    for leaf, item in enumerate(items, 1):
        if item is Ellipsis:
            d += unnamed
        if type(item) not in (int, slice):
            continue
        size, stride = tensor._size[d], tensor._stride[d]
        d += 1
        if type(item) is int:
            rows.append((leaf, 0, size, stride, 0))
            shift += (item + size if item < 0 else item) * stride
        elif type(item.start) is int and type(item.stop) is int and 0 <= item.start <= item.stop:
            if item.stop > size:
                return None
            rows.append((leaf, 1, size, stride, item.stop - item.start))
            shift += item.start * stride
    return (rows, shift) if rows else None


def _moving_numbers(index: Any, arguments: tuple[Any, ...]) -> list[int] | None:
    """A subscript's integers, if each is exactly one argument of the recorded step."""
    items = index if type(index) is tuple else (index,)
    numbers = [item for item in items if type(item) is int]
    if any(type(item) is slice and item != slice(None) for item in items):
        return None
    once = all(sum(a is n for a in arguments) == 1 for n in numbers)
    return numbers if once and len(set(map(id, numbers))) == len(numbers) else None


def forget_calls() -> None:
    """Drop every remembered call, after a change of something that they depend on."""
    global _times_forgotten
    _times_forgotten += 1
    for binding in _bindings:
        binding._forget()


registry.when_changed.append(forget_calls)


# -- built-in functions over bindings --

_definitions: list[runtime.MethodDefinition] = []
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_definitions))
_active = False


def _entry_address() -> int:
    """What the functions run: before anything is compiled, a call of the binding itself."""
    if _active:
        return runtime.module.address(call_binding)
    address = ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value
    assert address is not None
    return address


@functools.cache
def _springboard() -> Springboard:
    """The one address of all functions, so that their hashes stay."""
    return Springboard(_entry_address())


def no_numbers() -> int:
    return 0


def public_function(
    name: str,
    slow: Callable[..., Any],
    numbers: Callable[[], int] = no_numbers,
    habits: int = 0,
    sizes: Callable[[], int] = no_numbers,
) -> Any:
    """A built-in function that runs ``slow`` through the cache.

    Args:
        name: its name
        slow: the Python function
        numbers: says which arguments may be numbers that plans take at each run, as bits; asked
            at the first call
        habits: bits of `replay.HAS_SUBSCRIPT` and its kin
        sizes: says which arguments' integers are sizes, as bits; asked at the first call
    """
    if not heap_types.supported():
        return slow
    binding = Binding(name, slow, numbers, sizes)
    binding._habits = habits
    address = _springboard().address or _entry_address()
    made, definition = runtime.keyword_function(name, address, binding, documented(name, slow))
    _definitions.append(definition)
    return made


def let_overrides_answer(public: Any) -> Any:
    """A function of the cache, written in Python, that asks `__torch_function__` when it is missed."""
    binding = getattr(public, "__self__", None)
    if not isinstance(binding, Binding):
        return overrides_hook.asking(public)
    binding._slow = overrides_hook.asking(binding._slow, lambda: public)
    return public


def overridable_function(name: str, slow: Callable[..., Any]) -> Any:
    """A function of the cache, written in Python, that asks `__torch_function__`."""
    return let_overrides_answer(public_function(name, slow))


def remembered(function: Made) -> Made:
    """`overridable_function` as a decorator."""
    made: Made = overridable_function(function.__name__, function)
    return made


def public_method(
    name: str,
    slow: Callable[..., Any],
    numbers: Callable[[], int] = no_numbers,
    habits: int = 0,
    sizes: Callable[[], int] = no_numbers,
) -> Any:
    """Like `public_function`, for an attribute of a class: it binds its instance."""
    function = public_function(name, slow, numbers, habits, sizes)
    return (
        runtime.instance_method(function)
        if isinstance(function, python_types.BuiltinFunctionType)
        else function
    )


def is_wanted() -> bool:
    """Whether calls are to be remembered: `RUSHLIGHT_MEMORY=0` makes each of them in Python."""
    return os.environ.get("RUSHLIGHT_MEMORY", "1") != "0"


def activate() -> None:
    """From now on public functions run compiled code."""
    global _active
    if not _active and heap_types.supported() and is_wanted():
        _active = True
        subscripts.quicken(Size)
        _springboard().redirect(_entry_address())
        if _springboard().address is None:
            for definition in _definitions:
                definition.function = _entry_address()


objects.when_started.append(activate)
