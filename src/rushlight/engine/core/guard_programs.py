"""Guards of captured programs, and the calls of their graphs, as programs that machine code runs.

A program's *slots* hold objects: first the arguments of a call, then what its instructions find. An instruction
finds an object or tests one; where all tests hold, a function is called with some of the slots, and the result is put
together. Neither Python code nor an object's own methods run before that, so what is found needs no references.
"""

from __future__ import annotations

import ctypes
import functools
import types as python_types
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import state
from rushlight.engine.core.tensor_guards import Expected, is_expected, words_of
from rushlight.engine.native import heap_types, runtime
from rushlight.engine.native.lowlevel import Function, Words, invoke, load, stack, store
from rushlight.engine.native.python_api import (
    decref,
    dict_get,
    dict_next,
    dict_size,
    error_matches,
    fetch_error,
    generic_dict,
    incref,
    list_item,
    list_size,
    normalise_error,
    rich_compare_bool,
    sequence_item,
    set_size,
    set_traceback,
    tuple_item,
    tuple_new,
    tuple_set,
    tuple_size,
    type_slot,
    vectorcall,
)
from rushlight.engine.native.python_functions import CELL
from rushlight.engine.native.runtime import module

MOST_SLOTS = 512
MOST_DISTINCT = 64
# How a call or a test ended that did not fail.
MISSED, HOLDS = 0, 1
_FAILED = -1

_OWNER_WORDS = ("_program",)


class OWNER:
    """Offsets of the fields of who has a program."""

    program = heap_types.HEADER


class PROGRAM:
    """Positions of a program's words, in bytes; then come its instructions."""

    keep = 0  # the object that holds all memory that the program points to
    given = 8  # how many arguments its calls have
    count = 16  # how many instructions
    function = 24  # what is called then
    inputs = 32  # address of the slots that it gets
    input_count = 40
    parts = 48  # address of what the result is made of
    part_count = 56  # -1 if the only part is the result
    failed = 64  # called with an error of the function, to raise it
    first = 72


class INSTRUCTION:
    """Positions of an instruction's words, in bytes."""

    run = 0  # the function of its kind: from the instruction and the slots to `HOLDS`, `MISSED` or `_FAILED`
    slot = 8  # the slot that it works on
    operand = 16
    target = 24  # the slot that it fills
    bytes = 32


class PART:
    """Positions of the words of a part of a result; what it is, and which."""

    kind, which = 0, 8
    bytes = 16


# An item of what the function gave; an argument; an object that is always the same.
ITEM, ARGUMENT, OBJECT = 0, 1, 2

_missed = object()
_kinds = Words(
    "tuple", "list", "dict", "length_of_dict", "set", "function", "cell", "int", "float", "str", "none", "false",
    "missed", "exception",
)  # fmt: skip
_kinds.tuple, _kinds.list, _kinds.dict, _kinds.set = map(id, (tuple, list, dict, set))
_kinds.float = id(float)
_kinds.function, _kinds.cell = id(python_types.FunctionType), id(python_types.CellType)
_kinds.int, _kinds.str, _kinds.exception = id(int), id(str), id(Exception)
_kinds.none, _kinds.false, _kinds.missed = id(None), id(False), id(_missed)
_EQUAL = 2
# Slots of types, by their numbers in Python's C interface.
_LENGTH, _TRUTH = 4, 9


def _slot(kind: type, number: int) -> int:
    find = ctypes.pythonapi.PyType_GetSlot
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_int]
    return find(kind, number) or 0


_kinds.length_of_dict = _slot(dict, _LENGTH)


@module.function
def slot_of(instruction: int, slots: int) -> int:
    """The object that an instruction works on."""
    return load(slots + load(instruction + INSTRUCTION.slot) * 8)


@module.function
def kind_of(item: int) -> int:
    return load(item + heap_types.TYPE_OFFSET)


@module.function
def fill(instruction: int, slots: int, found: int) -> int:
    """Put what an instruction has found into its slot; nothing is found where the address is 0."""
    if found == 0:
        return MISSED
    store(slots + load(instruction + INSTRUCTION.target) * 8, found)
    return HOLDS


@module.function
def count_in(item: int) -> int:
    """How many items a container of Python's own types, or a kind of dictionary, has; -1 for other objects."""
    kind = kind_of(item)
    if kind == _kinds.tuple:
        return tuple_size(item)
    if kind == _kinds.list:
        return list_size(item)
    if kind == _kinds.dict:
        return dict_size(item)
    if kind == _kinds.set:
        return set_size(item)
    # Classes made of dictionaries that leave their length, and so their truth, as it is.
    is_dict = type_slot(kind, _LENGTH) == _kinds.length_of_dict and type_slot(kind, _TRUTH) == 0
    return dict_size(item) if is_dict else -1


# -- what finds objects --


@module.entry
def take_object(instruction: int, slots: int) -> int:
    """An object that is always the same."""
    return fill(instruction, slots, load(instruction + INSTRUCTION.operand))


@module.entry
def take_item(instruction: int, slots: int) -> int:
    """An item of a tuple or a list, by its number."""
    whole, place = slot_of(instruction, slots), load(instruction + INSTRUCTION.operand)
    kind = kind_of(whole)
    if kind == _kinds.tuple and place < tuple_size(whole):
        return fill(instruction, slots, tuple_item(whole, place))
    if kind == _kinds.list and place < list_size(whole):
        return fill(instruction, slots, list_item(whole, place))
    return MISSED


@module.entry
def take_value(instruction: int, slots: int) -> int:
    """A value of a dictionary, by its key, which is a text or a number."""
    whole = slot_of(instruction, slots)
    if kind_of(whole) != _kinds.dict:
        return MISSED
    return fill(instruction, slots, dict_get(whole, load(instruction + INSTRUCTION.operand)))


@module.entry
def take_attributes(instruction: int, slots: int) -> int:
    """The dictionary of an object whose class says that it has one; the object keeps it."""
    found = generic_dict(slot_of(instruction, slots), 0)
    if found == 0:
        return _FAILED
    decref(found)
    return fill(instruction, slots, found)


@module.entry
def take_contents(instruction: int, slots: int) -> int:
    """What a cell holds."""
    cell = slot_of(instruction, slots)
    return (
        fill(instruction, slots, load(cell + CELL.contents))
        if kind_of(cell) == _kinds.cell
        else MISSED
    )


@module.entry
def take_field(instruction: int, slots: int) -> int:
    """A field of a function, by its offset."""
    function = slot_of(instruction, slots)
    if kind_of(function) != _kinds.function:
        return MISSED
    found = load(function + load(instruction + INSTRUCTION.operand))
    return fill(instruction, slots, _kinds.none if found == 0 else found)


# -- what tests them --


@module.entry
def is_that(instruction: int, slots: int) -> int:
    """Whether an object is a certain one."""
    return (
        HOLDS if slot_of(instruction, slots) == load(instruction + INSTRUCTION.operand) else MISSED
    )


@module.entry
def is_of_type(instruction: int, slots: int) -> int:
    """Whether an object's type is a certain one."""
    kind = kind_of(slot_of(instruction, slots))
    return HOLDS if kind == load(instruction + INSTRUCTION.operand) else MISSED


@module.entry
def is_same(instruction: int, slots: int) -> int:
    """Whether two slots hold one object."""
    other = load(slots + load(instruction + INSTRUCTION.operand) * 8)
    return HOLDS if slot_of(instruction, slots) == other else MISSED


@module.entry
def is_equal(instruction: int, slots: int) -> int:
    """Whether a text or an integer equals a certain one."""
    found = slot_of(instruction, slots)
    kind = kind_of(found)
    if kind != _kinds.int and kind != _kinds.str:
        return MISSED
    equal = rich_compare_bool(found, load(instruction + INSTRUCTION.operand), _EQUAL)
    return HOLDS if equal == 1 else MISSED


@module.entry
def is_float(instruction: int, slots: int) -> int:
    """Whether an object is a real number with the bits of a certain one."""
    found, expected = slot_of(instruction, slots), load(instruction + INSTRUCTION.operand)
    if found == expected:
        return HOLDS
    if kind_of(found) != _kinds.float:
        return MISSED
    same = load(found + heap_types.HEADER) == load(expected + heap_types.HEADER)
    return HOLDS if same else MISSED


@module.entry
def lacks_key(instruction: int, slots: int) -> int:
    """Whether a dictionary has no value for a key, which is a text."""
    whole = slot_of(instruction, slots)
    if kind_of(whole) != _kinds.dict:
        return MISSED
    return HOLDS if dict_get(whole, load(instruction + INSTRUCTION.operand)) == 0 else MISSED


@module.entry
def has_keys(instruction: int, slots: int) -> int:
    """Whether a dictionary's keys are those of a tuple, which are texts, in this order."""
    whole, expected = slot_of(instruction, slots), load(instruction + INSTRUCTION.operand)
    count = tuple_size(expected)
    if kind_of(whole) != _kinds.dict or dict_size(whole) != count:
        return MISSED
    place = stack(2)
    store(place, 0)
    for k in range(count):
        key = tuple_item(expected, k)
        if dict_next(whole, place, place + 8, 0) == 0:
            return MISSED
        found = load(place + 8)
        if found != key and kind_of(found) != _kinds.str:
            return MISSED
        if found != key and rich_compare_bool(found, key, _EQUAL) != 1:
            return MISSED
    return HOLDS


@module.entry
def has_length(instruction: int, slots: int) -> int:
    """Whether a container has so many items."""
    length = count_in(slot_of(instruction, slots))
    return HOLDS if length == load(instruction + INSTRUCTION.operand) else MISSED


@module.entry
def is_false(instruction: int, slots: int) -> int:
    """Whether an object is False, None or an empty container."""
    found = slot_of(instruction, slots)
    if found == _kinds.false or found == _kinds.none:
        return HOLDS
    return HOLDS if count_in(found) == 0 else MISSED


@module.entry
def is_tensor_as_expected(instruction: int, slots: int) -> int:
    """Whether an object is a tensor of a certain kind."""
    return is_expected(slot_of(instruction, slots), load(instruction + INSTRUCTION.operand))


@module.entry
def has_no_attributes(instruction: int, slots: int) -> int:
    """Whether a tensor has no attributes of a program's."""
    attributes = generic_dict(slot_of(instruction, slots), 0)
    if attributes == 0:
        return _FAILED
    size = dict_size(attributes)
    decref(attributes)
    return HOLDS if size == 0 else MISSED


@module.entry
def are_distinct(instruction: int, slots: int) -> int:
    """Whether no two of some slots, a table of which begins with their number, hold one object."""
    table = load(instruction + INSTRUCTION.operand)
    count = load(table)
    for k in range(count):
        one = load(slots + load(table + 8 + k * 8) * 8)
        for j in range(k):
            if load(slots + load(table + 8 + j * 8) * 8) == one:
                return MISSED
    return HOLDS


@module.entry
def is_recording(instruction: int, slots: int) -> int:
    """Whether it is certain that this thread records gradients (operand 1) or does not (0)."""
    return HOLDS if state.records() == load(instruction + INSTRUCTION.operand) else MISSED


# -- calls --


@module.function
def part_of(part: int, found: int, slots: int) -> int:
    """A new reference to a part of a result; 0 with an error."""
    kind, which = load(part + PART.kind), load(part + PART.which)
    if kind == ITEM:
        return sequence_item(found, which)
    item = load(slots + which * 8) if kind == ARGUMENT else which
    incref(item)
    return item


@module.function
def result_of(program: int, found: int, slots: int) -> int:
    """What a program gives for what its function gave; 0 with an error."""
    parts, count = load(program + PROGRAM.parts), load(program + PROGRAM.part_count)
    if count < 0:
        return part_of(parts, found, slots)
    made = tuple_new(count)
    for k in range(count):
        part = 0 if made == 0 else part_of(parts + k * PART.bytes, found, slots)
        if part == 0:
            if made != 0:
                decref(made)
            return 0
        tuple_set(made, k, part)
    return made


@module.function
def raise_in_program(program: int) -> None:
    """Let a program raise the error of its function as one of its own."""
    if error_matches(_kinds.exception) == 0:
        return
    error = stack(3)
    fetch_error(error, error + 8, error + 16)
    normalise_error(error, error + 8, error + 16)
    if load(error + 16) != 0:
        set_traceback(load(error + 8), load(error + 16))
    vectorcall(load(program + PROGRAM.failed), error + 8, 1, 0)
    for k in range(3):
        if load(error + k * 8) != 0:
            decref(load(error + k * 8))


@module.function
def guards_hold(program: int, slots: int) -> int:
    """`HOLDS`, `MISSED`, or `_FAILED` with an error."""
    for k in range(load(program + PROGRAM.count)):
        instruction = program + PROGRAM.first + k * INSTRUCTION.bytes
        ended = invoke(load(instruction + INSTRUCTION.run), instruction, slots)
        if ended != HOLDS:
            return ended
    return HOLDS


@module.function
def run_program(program: int, arguments: int, count: int) -> int:
    """What a program gives; -1 where it is not for these arguments; 0 with an error."""
    if count != load(program + PROGRAM.given):
        return -1
    slots = stack(MOST_SLOTS)
    for k in range(count):
        store(slots + k * 8, load(arguments + k * 8))
    ended = guards_hold(program, slots)
    if ended != HOLDS:
        return -1 if ended == MISSED else 0
    inputs, input_count = load(program + PROGRAM.inputs), load(program + PROGRAM.input_count)
    given = stack(MOST_SLOTS)
    for k in range(input_count):
        store(given + k * 8, load(slots + load(inputs + k * 8) * 8))
        # From here on Python code may run.
        incref(load(given + k * 8))
    found = vectorcall(load(program + PROGRAM.function), given, input_count, 0)
    for k in range(input_count):
        decref(load(given + k * 8))
    if found == 0:
        raise_in_program(program)
        return 0
    result = result_of(program, found, slots)
    decref(found)
    return result


@module.entry
def call_program(owner: int, arguments: int, count: int) -> int:
    """A call as the owner's program makes it; `ANOTHER_WAY` where there is none for it."""
    program = load(owner + OWNER.program)
    result = -1
    if program != 0 and state.switches.busy == 0:
        # Another thread may have another program made meanwhile.
        keep = load(program + PROGRAM.keep)
        incref(keep)
        result = run_program(program, arguments, count)
        decref(keep)
    if result == -1:
        incref(_kinds.missed)
        return _kinds.missed
    return result


# What is given for a call that has to be made in another way.
ANOTHER_WAY = _missed


class Program:
    """A program while it is written.

    Args:
        given: how many arguments its calls have
    """

    def __init__(self, given: int) -> None:
        self.given, self.slots = given, given
        self._instructions: list[int] = []
        self._keep: list[Any] = []
        self.address = 0

    def find(self, kind: Function, slot: int, operand: Any) -> int:
        """Add an instruction that finds an object; its slot."""
        self.slots += 1
        self._add(kind, slot, operand, self.slots - 1)
        return self.slots - 1

    def test(self, kind: Function, slot: int, operand: Any = 0) -> None:
        """Add an instruction that tests an object."""
        self._add(kind, slot, operand, 0)

    def expect(self, slot: int, expected: Expected) -> None:
        """Test a tensor."""
        self.test(is_tensor_as_expected, slot, _Table(words_of(expected), expected))

    def distinct(self, slots: Sequence[int]) -> None:
        """Let no two slots hold one object."""
        self.test(are_distinct, 0, _Table([len(slots), *slots], None))

    def _add(self, kind: Function, slot: int, operand: Any, target: int) -> None:
        word = operand
        if isinstance(operand, _Table):
            word = operand.address
        elif isinstance(operand, Held):
            word = id(operand.value)
        self._keep.append(operand)
        self._instructions += [module.address(kind), slot, word, target]

    def complete(
        self, function: Callable[..., Any], inputs: Sequence[int], parts: Sequence[tuple[int, Any]],
        is_tuple: bool, failed: Callable[[Exception], None],
    ) -> None:  # fmt: skip
        """Say what is done where all tests hold.

        Args:
            function: what is called
            inputs: the slots that it gets
            parts: what the result is made of: its kind, and the number or the object
            is_tuple: whether the result is a tuple of its parts
            failed: raises an error of the function
        """
        taken = _Table(list(inputs), None)
        made = [
            word for kind, what in parts for word in (kind, id(what) if kind == OBJECT else what)
        ]
        put = _Table(made, parts)
        head = {
            PROGRAM.keep: id(self), PROGRAM.given: self.given, PROGRAM.count: len(self._instructions) // 4,
            PROGRAM.function: id(function), PROGRAM.inputs: taken.address, PROGRAM.input_count: len(inputs),
            PROGRAM.parts: put.address, PROGRAM.part_count: len(parts) if is_tuple else -1,
            PROGRAM.failed: id(failed),
        }  # fmt: skip
        whole = _Table([head[k] for k in sorted(head)] + self._instructions, None)
        self._keep += [function, taken, put, failed, whole]
        self.address = whole.address


class Held:
    """An object as an operand: its address, while it is kept."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _Table:
    """Words in memory, and what they point to."""

    def __init__(self, words: Sequence[int], keep: Any) -> None:
        self.words = (ctypes.c_int64 * max(len(words), 1))(*words)
        self.address = ctypes.addressof(self.words)
        self.keep = keep


_Base: Any = (
    heap_types.make_base("rushlight.ProgramOwner", _OWNER_WORDS)
    if heap_types.supported()
    else type("ProgramOwner", (), {"_program": 0})
)


class ProgramOwner(_Base):  # type: ignore[misc]
    """Who has a program, which may be exchanged: `call` runs it, or gives `ANOTHER_WAY`."""

    def __init__(self) -> None:
        self._kept: Program | None = None
        self.call: Callable[..., Any] = _call_without_program

    def show(self, program: Program | None) -> None:
        """Let calls run a program from now on, or none."""
        if program is not None and self.call is _call_without_program:
            self.call = runtime.function_of(_definition(), self)
        self._program = 0 if program is None else program.address
        self._kept = program


@functools.cache
def _definition() -> runtime.MethodDefinition:
    """That of all calls of programs."""
    return runtime.definition_of("call", call_program)


def _call_without_program(*args: Any) -> Any:
    return ANOTHER_WAY
