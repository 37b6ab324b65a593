"""Geometry as a program: what a plan decides from sizes and strides, for other sizes of its class.

A `core.symbolic.Trace` of the planner becomes a straight list of steps over slots, which `prepare`
runs: arithmetic, guards, and the words that go to the tables which the remembered call reads. So a
class of calls costs no compilation, and a new size of it a fraction of a microsecond.
"""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight.engine.core import size, symbolic
from rushlight.engine.core.expressions import (
    CEILING,
    FLOAT_ADD,
    FLOAT_AT_MOST,
    FLOAT_DIV,
    FLOAT_EQUAL,
    FLOAT_LESS,
    FLOAT_MUL,
    FLOAT_NUMBER,
    FLOAT_SUB,
    LARGEST_EXACT,
    SIZE,
    TO_FLOAT,
    TO_SINGLE,
)
from rushlight.engine.core.symbolic import (
    ADD,
    AT_MOST,
    CONSTANT,
    DIFFERENT,
    EQUAL,
    FLOORDIV,
    FOUND,
    INPUT,
    LESS,
    MAX,
    MIN,
    MUL,
    NUMBER,
    STRIDE,
    SUB,
    SymInt,
    SymObject,
    Table,
    Trace,
)  # fmt: skip
from rushlight.engine.native.lowlevel import (
    load,
    load_float,
    stack,
    store,
    store_float,
    store_float32,
    to_float,
    to_integer,
)
from rushlight.engine.native.python_api import (
    decref,
    dict_get,
    float_from_double,
    incref,
    long_from_word,
    tuple_new,
    tuple_set,
    vectorcall,
)
from rushlight.engine.native.runtime import module

Step = tuple[int, int, int, int]

# Steps that a trace has no name for: fetch an input, check one, and write a word.
FETCH, CHECK, WRITE = 16, 17, 18

# Factors are so small that no product and no sum of a few of them leaves a word.
_LARGEST_FACTOR = 1 << 30
# What makes numbers, in place of a function that makes tuples unique.
_AN_INTEGER, _A_FLOAT = 0, 1
# What no item of an object is.
_NO_ITEM = -(1 << 62)


class PROGRAM:
    """Positions of a program's words, in bytes."""

    next = 0  # the program to try when a guard of this one fails, or 0
    busy = 8  # whether a call is reading the tables
    steps = 16
    count = 24
    slots = 32
    step = 40  # the remembered call whose tables the program fills in
    bytes = 48


class STEP:
    """Positions of a step's words, in bytes."""

    operation, a, b, target, bytes = 0, 8, 16, 24, 32


class MADE:
    """Positions of the words about an object that a program makes, in bytes."""

    object = 0  # the present one
    table = 8  # of unique objects
    unique = 16  # the function that makes one unique; of numbers, `_AN_INTEGER` or `_A_FLOAT`
    count = 24
    slots = 32  # of its items; then the present items' values


class SIZED:
    """Positions of the words about a result whose length is found at run time, in bytes."""

    count = 0  # address of the word where its loop leaves the length
    filling = 8  # the loop that writes it
    outputs = 16  # how many tensors it is
    is_tuple = 24  # whether even one of them is in a tuple
    slots = 32  # of the program
    choices = 40  # address of what to do for the length, if the guards hold; see `CHOICE`
    choice_count = 48
    busy = 56  # whether a call is reading the templates
    bytes = 64


class CHOICE:
    """Positions of the words about a found length, in bytes."""

    slot, steps, count, templates, bytes = 0, 8, 16, 24, 32


READY, ELSEWHERE, FAILED = 1, 0, -1


@module.function
def same_items(made: int, slots: int) -> int:
    """Whether an object's items are what they were the last time."""
    count = load(made + MADE.count)
    last = made + MADE.slots + count * 8
    for k in range(count):
        if load(slots + load(made + MADE.slots + k * 8) * 8) != load(last + k * 8):
            return 0
    return 1


@module.function
def make_object(made: int, slots: int) -> int:
    """Let the words hold the number or the unique tuple with the items' present values; 0 on success."""
    if same_items(made, slots) != 0:
        return 0
    count = load(made + MADE.count)
    found = 0
    if load(made + MADE.unique) == _AN_INTEGER:
        found = long_from_word(load(slots + load(made + MADE.slots) * 8))
    elif load(made + MADE.unique) == _A_FLOAT:
        found = float_from_double(load_float(slots + load(made + MADE.slots) * 8))
    else:
        items = tuple_new(count)
        if items == 0:
            return -1
        for k in range(count):
            value = load(slots + load(made + MADE.slots + k * 8) * 8)
            tuple_set(items, k, long_from_word(value))
        found = dict_get(load(made + MADE.table), items)
        if found != 0:
            incref(found)
        else:
            given = stack(1)
            store(given, items)
            found = vectorcall(load(made + MADE.unique), given, 1, 0)
        decref(items)
    if found == 0:
        return -1
    decref(load(made + MADE.object))
    store(made + MADE.object, found)
    last = made + MADE.slots + count * 8
    for k in range(count):
        store(last + k * 8, load(slots + load(made + MADE.slots + k * 8) * 8))
    return 0


@module.function
def floor_quotient(x: int, y: int) -> int:
    quotient = x // y
    if x % y != 0 and (x < 0) != (y < 0):
        quotient -= 1
    return quotient


@module.function
def is_factor(x: int) -> int:
    return 1 if x <= _LARGEST_FACTOR and x >= 0 - _LARGEST_FACTOR else 0


@module.function
def compute_float(operation: int, a: int, b: int, target: int) -> int:
    """Take a step of doubles, from and to these places; whether programs go on with what it gives."""
    if operation == TO_FLOAT:
        whole = load(a)
        store_float(target, to_float(whole))
        return 1 if whole <= LARGEST_EXACT and whole >= 0 - LARGEST_EXACT else 0
    x = load_float(a)
    y = load_float(b)
    if operation == TO_SINGLE:
        store(target, 0)
        store_float32(target, x)
        return 1
    if operation == CEILING:
        if x <= LARGEST_EXACT * 1.0 and x >= LARGEST_EXACT * -1.0:
            below = to_integer(x)
            store(target, below + 1 if to_float(below) < x else below)
            return 1
        return 0
    if operation == FLOAT_LESS:
        store(target, 1 if x < y else 0)
    elif operation == FLOAT_AT_MOST:
        store(target, 1 if x <= y else 0)
    elif operation == FLOAT_EQUAL:
        store(target, 1 if x == y else 0)
    elif operation == FLOAT_ADD:
        store_float(target, x + y)
    elif operation == FLOAT_SUB:
        store_float(target, x - y)
    elif operation == FLOAT_MUL:
        store_float(target, x * y)
    elif operation == FLOAT_DIV:
        store_float(target, x / y)
        return 0 if y == 0.0 else 1
    return 1


@module.function
def prepare(program: int, inputs: int) -> int:
    """Fill in the tables of a program's step: `READY`, `ELSEWHERE` if a guard fails, or `FAILED`.

    A program that is ready is busy until its caller says otherwise.
    """
    if load(program + PROGRAM.busy) != 0:
        return ELSEWHERE
    store(program + PROGRAM.busy, 1)
    ended = run_steps(
        load(program + PROGRAM.steps),
        load(program + PROGRAM.count),
        load(program + PROGRAM.slots),
        inputs,
    )
    if ended != READY:
        store(program + PROGRAM.busy, 0)
    return ended


@module.function
def templates_for(sized: int, length: int) -> int:
    """The templates of a result of a length that was found; `ELSEWHERE` or `FAILED` without any."""
    if length < 0:
        return ELSEWHERE
    slots = load(sized + SIZED.slots)
    for k in range(load(sized + SIZED.choice_count)):
        choice = load(sized + SIZED.choices) + k * CHOICE.bytes
        store(slots + load(choice + CHOICE.slot) * 8, length)
        ended = run_steps(load(choice + CHOICE.steps), load(choice + CHOICE.count), slots, 0)
        if ended == READY:
            return load(choice + CHOICE.templates)
        if ended == FAILED:
            return FAILED
    return ELSEWHERE


@module.function
def run_steps(steps: int, count: int, slots: int, inputs: int) -> int:
    """Take a program's steps in order: `READY`, `ELSEWHERE` if a guard fails, or `FAILED`."""
    step = steps
    end = step + count * STEP.bytes
    while step < end:
        operation = load(step + STEP.operation)
        a = load(step + STEP.a)
        b = load(step + STEP.b)
        target = load(step + STEP.target)
        if operation == FETCH:
            store(slots + target * 8, load(inputs + a * 8))
        elif operation == WRITE:
            store(target, load(slots + a * 8))
        elif operation == CHECK:
            if load(inputs + a * 8) != b:
                return ELSEWHERE
        elif operation == SIZE:
            if make_object(a, slots) != 0:
                return FAILED
            store(target, load(a + MADE.object))
        else:
            x = load(slots + a * 8)
            y = load(slots + b * 8)
            holds = 1
            if operation == EQUAL:
                holds = 1 if x == y else 0
            elif operation == LESS:
                holds = 1 if x < y else 0
            elif operation == AT_MOST:
                holds = 1 if x <= y else 0
            elif operation == DIFFERENT:
                holds = 1 if x != y else 0
            elif operation == MUL:
                holds = is_factor(x) & is_factor(y)
                store(slots + target * 8, x * y)
            elif operation == ADD:
                store(slots + target * 8, x + y)
            elif operation == SUB:
                store(slots + target * 8, x - y)
            elif operation == MIN:
                store(slots + target * 8, x if x < y else y)
            elif operation == MAX:
                store(slots + target * 8, x if x > y else y)
            elif operation >= TO_FLOAT:
                holds = compute_float(operation, slots + a * 8, slots + b * 8, slots + target * 8)
            elif y == 0:
                holds = 0
            elif operation == FLOORDIV:
                store(slots + target * 8, floor_quotient(x, y))
            else:
                store(slots + target * 8, x - floor_quotient(x, y) * y)
            if holds == 0:
                return ELSEWHERE
        step += STEP.bytes
    return READY


class Program:
    """A trace as words for `prepare`, for the step at an address, whose tables the trace knows."""

    def __init__(self, trace: Trace, address: int) -> None:
        self._made: list[Any] = []
        self._made_tables: list[Any] = []
        used: set[int] = set()
        writes = [s for table in trace.tables for s in self._writes(table, used)]
        follows = _what_follows(trace)
        steps: dict[int, list[Step]] = {0: []}
        steps[0] += [(CHECK, k, n, 0) for k, n in enumerate(trace.values) if not trace.varies[k]]
        for length, step in _arithmetic(trace, used, follows):
            steps.setdefault(length, []).append(step)
        for nodes, write in writes:
            steps.setdefault(max((follows[n] for n in nodes), default=0), []).append(write)
        known = [node[1] if node[0] == CONSTANT else 0 for node in trace.nodes]
        self._slots = (ctypes.c_int64 * max(len(known), 1))(*known)
        self.words = (ctypes.c_int64 * (PROGRAM.bytes // 8))(
            0, 0, *self._in_memory(steps[0]), ctypes.addressof(self._slots), address
        )
        for words, lengths in trace.sized:
            table = []
            for found, templates in lengths:
                own = steps.get(trace.nodes[found.place][1], [])
                table += [found.place, *self._in_memory(own), templates]
            choices = (ctypes.c_int64 * len(table))(*table)
            self._made_tables.append(choices)
            words[SIZED.slots // 8] = ctypes.addressof(self._slots)
            words[SIZED.choices // 8] = ctypes.addressof(choices)
            words[SIZED.choice_count // 8] = len(lengths)
        self.address = ctypes.addressof(self.words)
        self.trace = trace
        # What the tables point to.
        self.keep: Any = None

    def _in_memory(self, steps: list[Step]) -> tuple[int, int]:
        """Steps as words: where they are, and how many."""
        flat = [word for step in steps for word in step]
        table = (ctypes.c_int64 * max(len(flat), 1))(*flat)
        self._made_tables.append(table)
        return ctypes.addressof(table), len(steps)

    def _writes(self, table: Table, used: set[int]) -> list[tuple[list[int], Step]]:
        """The steps that fill in a table; the nodes that they need are added to ``used``."""
        start = table.address
        found: list[tuple[list[int], Step]] = []
        for k, word in enumerate(table.words):
            if type(word) in (SymInt, SymObject) and table.buffer._type_ is not ctypes.c_int64:
                raise symbolic.Untraceable("a table of short words holds a size")
            if type(word) is SymInt:
                used.add(word.place)
                found.append(([word.place], (WRITE, word.place, 0, start + 8 * k)))
            elif type(word) is SymObject:
                used.update(word.nodes)
                made = ctypes.addressof(self._object(word))
                found.append((word.nodes, (SIZE, made, 0, start + 8 * k)))
        return found

    def _object(self, word: SymObject) -> Any:
        """The words about an object that the program makes."""
        known, unique = _UNIQUE[word.kind]
        count = len(word.nodes)
        first = [id(None), id(known), unique if type(unique) is int else id(unique), count]
        made = (ctypes.c_int64 * (len(first) + 2 * count))(*first, *word.nodes, *[_NO_ITEM] * count)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(None))
        self._made.append(made)
        return made

    def __del__(self) -> None:
        for made in self._made:
            ctypes.pythonapi.Py_DecRef(ctypes.cast(made[0], ctypes.py_object))


_UNIQUE: dict[int, tuple[Any, Any]] = {
    SIZE: (size._sizes, size.intern),
    STRIDE: (size._strides, size.intern_strides),
    NUMBER: (None, _AN_INTEGER),
    FLOAT_NUMBER: (None, _A_FLOAT),
}


def _what_follows(trace: Trace) -> list[int]:
    """For each node, the number of the length found at run time that it follows from, or 0."""
    follows: list[int] = []
    for operation, *operands in trace.nodes:
        if operation == FOUND:
            follows.append(operands[0])
        elif operation in (INPUT, CONSTANT):
            follows.append(0)
        else:
            follows.append(max(follows[n] for n in operands))
    return follows


def _arithmetic(trace: Trace, used: set[int], follows: list[int]) -> list[tuple[int, Step]]:
    """The steps that compute nodes, in order, with each guard as soon as both its sides are known.

    Each comes with the length found at run time that it follows from, or 0.
    """
    guards: dict[int, list[Step]] = {}
    for operation, a, b in trace.guards:
        guards.setdefault(max(a, b), []).append((operation, a, b, 0))
        used |= {a, b}
    for number in range(len(trace.nodes) - 1, -1, -1):
        operation, *operands = trace.nodes[number]
        if number in used and operation not in (INPUT, CONSTANT, FOUND):
            used.update(operands)
    steps: list[tuple[int, Step]] = []
    for number, (operation, *operands) in enumerate(trace.nodes):
        if number not in used:
            continue
        if operation == INPUT:
            steps.append((0, (FETCH, operands[0], 0, number)))
        elif operation not in (CONSTANT, FOUND):
            steps.append((follows[number], (operation, *operands, number)))
        for guard in guards.get(number, []):
            steps.append((max(follows[guard[1]], follows[guard[2]]), guard))
    return steps
