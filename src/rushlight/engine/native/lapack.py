"""LAPACK from the library that numpy's wheel ships: one routine over a batch, in machine code.

A routine of LAPACK takes addresses only. A call here is a table with an address for each argument
and how far it moves from one matrix to the next and from one thread to the next; the loop over the
batch is compiled, so a batch costs one call from Python, and threads share it.

What a call looks like depends on sizes only, so it is prepared once and kept; a run fills in the
addresses of the matrices. How long work arrays should be, the routine is asked: when the call is
prepared, or before each run where a program fills in the sizes.

Fortran's hidden lengths of character arguments come after all others. Every routine is called with
`MOST` arguments, ones at the end: the callee ignores those that it doesn't know.
"""

from __future__ import annotations

import array
import ctypes
import ctypes.util
import functools
import glob
import os
from typing import Any, NamedTuple

from rushlight.engine.native import runtime, threads
from rushlight.engine.native.lowlevel import (
    Module,
    Words,
    invoke,
    load,
    load32,
    load_float,
    load_float32,
    stack,
    store,
    store32,
    to_integer,
)
from rushlight.engine.native.memory import allocate, free_block
from rushlight.engine.native.numpy_later import np
from rushlight.engine.native.python_api import restore_thread, save_thread
from rushlight.engine.native.records import dataclass

# Compiled when linear algebra is first used, after the run-time system.
module = Module("lapack")
MOST = 20
# The words of a call: the routine, how many matrices, whether others may run, and its arguments.
WORDS = 3 + 3 * MOST
# Batches with less work than this (in multiplications, roughly) stay on one thread.
WORTH_THREADS = 1 << 17
# Calls with more work than this let other Python threads run.
WORTH_RELEASE = 1 << 12


class CALL:
    """Positions of a call's words, in bytes."""

    routine = 0
    matrices = 8
    release = 16
    table = 24  # MOST times: address, step per matrix, step per thread


blas = Words("get_threads", "set_threads", "usual", "run_region")


@module.function
def lapack_part(context: int, part: int, parts: int) -> int:
    """One thread's share of the matrices."""
    routine = load(context + CALL.routine)
    matrices = load(context + CALL.matrices)
    table = context + CALL.table
    first = matrices * part // parts
    last = matrices * (part + 1) // parts
    a = stack(MOST)
    for k in range(MOST):
        entry = table + k * 24
        store(a + k * 8, load(entry) + first * load(entry + 8) + part * load(entry + 16))
    for _ in range(first, last):
        invoke(
            routine,
            load(a), load(a + 8), load(a + 16), load(a + 24), load(a + 32),
            load(a + 40), load(a + 48), load(a + 56), load(a + 64), load(a + 72),
            load(a + 80), load(a + 88), load(a + 96), load(a + 104), load(a + 112),
            load(a + 120), load(a + 128), load(a + 136), load(a + 144), load(a + 152),
        )  # fmt: skip
        for k in range(MOST):
            store(a + k * 8, load(a + k * 8) + load(table + k * 24 + 8))
    return 0


@module.function
def lapack_batch(context: int, job: int, parts: int, within: int) -> int:
    """Run a call on so many threads, each routine on ``within`` of the library's own."""
    saved = 0
    if load(context + CALL.release) != 0:
        saved = save_thread()
    changed = 0
    if blas.get_threads != 0 and (invoke(blas.get_threads) & 0xFFFFFFFF) != within:
        invoke(blas.set_threads, within)
        changed = 1
    invoke(blas.run_region, job, context, parts)
    if changed != 0:
        invoke(blas.set_threads, blas.usual)
    if saved != 0:
        restore_thread(saved)
    return 0


class BOUND:
    """Positions of the words of a call whose matrices are a loop's operands, in bytes."""

    job = 0
    parts = 8
    within = 16
    matrices = 24
    reports = 32  # which operand gets what the routine says of each matrix
    room = 40  # which operand is the memory for reports and work
    places = 48  # how many words of the call are addresses of operands
    rooms = 56  # how many are addresses in the room
    status = 64  # the address of a word that says whether memory was not to be had, or 0
    asked = 72  # how many work arrays are as long as the routine says before each run
    # Then for each place its word and its operand, for each room its word and where it is, for
    # each array that is asked about an `ASKED`, and the words of the call.
    table = 80


class ASKED:
    """Positions of the words that describe a work array whose length the routine is asked, in bytes."""

    word = 0  # of its address
    letter = 8  # the type that the answer has
    item = 16  # the bytes of an element
    length = 24  # the word of the address of its length, or 0
    bytes = 32


_FLOAT, _DOUBLE, _INTEGER = ord("f"), ord("d"), ord("q")
# The words of an answer, and of a work array's beginning.
_ANSWER = 8
MOST_WORKS = 4


@module.function
def answer_at(address: int, letter: int) -> int:
    """The length that a routine has written to a work array."""
    found = 1
    if letter == _FLOAT:
        found = to_integer(load_float32(address))
    elif letter == _DOUBLE:
        found = to_integer(load_float(address))
    else:
        found = load(address)
    return found if found > 1 else 1


@module.function
def words_of(length: int, item: int) -> int:
    """The words that a work array takes, with a cache line between it and the next."""
    return ((length * item + 7) >> 3) + 8


@module.function
def ask_lengths(words: int, asked: int, rows: int, lengths: int) -> None:
    """Let a routine say how long its work arrays should be: -1 for each length is the question."""
    question = stack(WORDS)
    answers = stack(_ANSWER * MOST_WORKS)
    minus_one = stack(1)
    store(minus_one, -1)
    for k in range(WORDS):
        store(question + k * 8, load(words + k * 8))
    store(question + CALL.matrices, 1)
    for k in range(MOST):
        # What the routine reads and writes of its own stays as it is.
        store(question + CALL.table + k * 24 + 8, 0)
    for k in range(_ANSWER * MOST_WORKS):
        store(answers + k * 8, 0)
    for k in range(asked):
        row = rows + k * ASKED.bytes
        store(question + load(row + ASKED.word) * 8, answers + k * _ANSWER * 8)
        if load(row + ASKED.length) != 0:
            store(question + load(row + ASKED.length) * 8, minus_one)
    lapack_part(question, 0, 1)
    for k in range(asked):
        row = rows + k * ASKED.bytes
        store(lengths + k * 8, answer_at(answers + k * _ANSWER * 8, load(row + ASKED.letter)))


@module.function
def place_works(words: int, asked: int, rows: int, lengths: int, parts: int) -> int:
    """Memory for the work arrays of all threads, with the words that say where; 0 if there is none."""
    total = 0
    for k in range(asked):
        total += words_of(load(lengths + k * 8), load(rows + k * ASKED.bytes + ASKED.item)) * parts
    memory = allocate(total * 8)
    if memory == -1:
        return 0
    at = memory
    for k in range(asked):
        row = rows + k * ASKED.bytes
        size = words_of(load(lengths + k * 8), load(row + ASKED.item)) * 8
        store(words + load(row + ASKED.word) * 8, at)
        store(words + (load(row + ASKED.word) + 2) * 8, size)
        if load(row + ASKED.length) != 0:
            store(words + load(row + ASKED.length) * 8, lengths + k * 8)
        at += size * parts
    return memory


@module.function
def lapack_loop(pointers: int, sizes: int, strides: int) -> int:
    """A kernel that makes one call; operand 0 is its words."""
    bound = load(pointers)
    places = load(bound + BOUND.places)
    rooms = load(bound + BOUND.rooms)
    asked = load(bound + BOUND.asked)
    table = bound + BOUND.table
    room = load(pointers + load(bound + BOUND.room) * 8)
    reports = load(pointers + load(bound + BOUND.reports) * 8)
    matrices = load(bound + BOUND.matrices)
    words = stack(WORDS)
    rows = table + (places + rooms) * 16
    given = rows + asked * ASKED.bytes
    for k in range(WORDS):
        store(words + k * 8, load(given + k * 8))
    for k in range(places):
        entry = table + k * 16
        store(words + load(entry) * 8, load(pointers + load(entry + 8) * 8))
    for k in range(rooms):
        entry = table + (places + k) * 16
        store(words + load(entry) * 8, room + load(entry + 8))
    for k in range(matrices):
        store(room + k * 8, 0)
    parts = load(bound + BOUND.parts)
    lengths = stack(MOST_WORKS)
    works = 0
    if asked != 0:
        ask_lengths(words, asked, rows, lengths)
        works = place_works(words, asked, rows, lengths, parts)
        if works == 0:
            store(load(bound + BOUND.status), 1)
            return 0
        for k in range(matrices):
            store(room + k * 8, 0)
    lapack_batch(words, load(bound + BOUND.job), parts, load(bound + BOUND.within))
    free_block(works)
    for k in range(matrices):
        store32(reports + k * 4, load32(room + k * 8))
    return 0


# -- the library --


@dataclass(frozen=True)
class Naming:
    """How a library writes a routine's name, and how many bytes its integers have."""

    pattern: str
    integer: int


NAMINGS = (
    Naming("scipy_{}_64_", 8),
    Naming("{}_64_", 8),
    Naming("{}$NEWLAPACK$ILP64", 8),
    Naming("{}_", 4),
)


def _candidates() -> list[str]:
    """Files that may hold LAPACK: numpy's own library first, then the system's."""
    beside = os.path.dirname(np.__file__)
    found: list[str] = []
    for folder in (
        beside + ".libs",
        os.path.join(beside, ".libs"),
        os.path.join(beside, ".dylibs"),
    ):
        found += sorted(glob.glob(os.path.join(folder, "*openblas*")))
    found.append("/System/Library/Frameworks/Accelerate.framework/Accelerate")
    found += filter(None, map(ctypes.util.find_library, ("openblas", "lapack")))
    return found


class Library:
    """A library with LAPACK's routines."""

    def __init__(self, handle: Any, naming: Naming) -> None:
        self.handle = handle
        self.naming = naming

    def address(self, name: str) -> int:
        """The address of a routine, such as ``dgetrf``."""
        function = getattr(self.handle, self.naming.pattern.format(name))
        return ctypes.cast(function, ctypes.c_void_p).value or 0


def _opened(path: str) -> Library | None:
    try:
        handle = ctypes.CDLL(path)
    except OSError:
        return None
    for naming in NAMINGS:
        if hasattr(handle, naming.pattern.format("zgetrf")):
            return Library(handle, naming)
    return None


@functools.cache
def library() -> Library:
    """The library in use."""
    for path in _candidates():
        found = _opened(path)
        if found is not None:
            _find_thread_switch(found.handle)
            return found
    raise NotImplementedError(
        "linear algebra needs LAPACK: neither numpy's package nor the system has a library with it"
    )


def _find_thread_switch(handle: Any) -> None:
    for pattern in ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads"):
        if hasattr(handle, pattern.format("get")):
            getter, setter = (getattr(handle, pattern.format(word)) for word in ("get", "set"))
            blas.usual = getter()
            blas.set_threads = ctypes.cast(setter, ctypes.c_void_p).value or 0
            blas.get_threads = ctypes.cast(getter, ctypes.c_void_p).value or 0
            return


@functools.cache
def routine(name: str) -> int:
    """The address of a routine."""
    return library().address(name)


def integer_bytes() -> int:
    """The size of the library's integers, pivots among them."""
    return library().naming.integer


# -- arguments --


class Step(NamedTuple):
    """Memory that moves on by so many bytes with every matrix; a run gives its address."""

    bytes: int


class Work(NamedTuple):
    """An array that only the routine uses, one for each thread.

    ``letter`` is a type code of `array`, and ``width`` how many of these an element has. Without a
    length, the routine is asked how long it should be; `LENGTH` follows where it takes that.
    """

    letter: str
    width: int = 1
    length: int = 0


class Number(NamedTuple):
    """A number of the matrices' own type; a complex one has two parts."""

    letter: str
    parts: tuple[float, ...]


class Length(NamedTuple):
    """The length of the work array before it."""

    name: str = "length"


LENGTH = Length()
_constants: dict[Any, tuple[Any, int]] = {}


def _constant(value: Any) -> int:
    """The address of an integer, a character or a number that is kept for ever."""
    key = type(value), value
    found = _constants.get(key)
    if found is None:
        held: Any
        if isinstance(value, bytes):
            held = ctypes.create_string_buffer(value)
        elif isinstance(value, Number):
            held = (ctypes.c_float if value.letter == "f" else ctypes.c_double) * len(value.parts)
            held = held(*value.parts)
        else:
            held = ctypes.c_int64(value)
        found = _constants[key] = held, ctypes.addressof(held)
    return found[1]


class Call:
    """A routine with all that depends on sizes filled in."""

    # Whether the loop asks how long work arrays should be, and not who prepares the call.
    asks_each_time = False

    def __init__(
        self, name: str, arguments: tuple[Any, ...], count: int, work: int, info: bool, most: int
    ) -> None:
        total = work * count
        many = count > 1 and total >= WORTH_THREADS
        self.job = _machine()[1]
        self.count = count
        self.parts = min(most, count) if many else 1
        self.within = most if total >= WORTH_THREADS and not many else 1
        lengths = [] if self.asks_each_time else _work_lengths(name, arguments)
        words: list[Any] = [routine(name), count, int(total >= WORTH_RELEASE)]
        self.places: list[int] = []
        self.rooms: list[tuple[int, Any]] = []
        # The words of each array that the loop asks about, as `ASKED` says.
        self.asked: list[list[int]] = []
        length: Any = 0
        # The room begins with the reports; work arrays follow, a cache line apart.
        room = count
        for argument in arguments:
            entry = [0, 0, 0]
            if isinstance(argument, Step):
                self.places.append(len(words))
                entry[1] = argument.bytes
            elif isinstance(argument, Work) and self.asks_each_time and not argument.length:
                letter, item = ord(argument.letter), _item_bytes(argument)
                self.asked.append([len(words), letter, item, 0])
                length = None
            elif isinstance(argument, Work):
                length = argument.length if self.asks_each_time else lengths.pop(0)
                size = (length * _item_bytes(argument) + 7) // 8 + 8
                self.rooms.append((len(words), room * 8))
                entry[2] = size * 8
                room += size * self.parts
            elif argument is LENGTH and length is None:
                self.asked[-1][3] = len(words)
            else:
                entry[0] = self.place_of(length if argument is LENGTH else argument)
            words.extend(entry)
        if info:
            self.rooms.append((len(words), 0))
            words.extend([0, 8, 0])
        while len(words) < WORDS:
            words.extend([1, 0, 0])
        self.words = words
        self.room = max(room, 1)
        # What callers have prepared for kinds of operands: see `bound`.
        self.known: dict[Any, Any] = {}
        if self.parts > 1:
            threads.ensure_started()

    def place_of(self, argument: Any) -> Any:
        """The address of an argument that is no array."""
        return _constant(argument)

    def bound(
        self, operands: tuple[int, ...], reports: int, room: int, status: int = 0
    ) -> list[Any]:
        """The words that `lapack_loop` reads.

        Args:
            operands: which operand of the loop each matrix is, in the order of the arguments
            reports: which operand gets the reports, one int32 each
            room: which operand is memory of `room` words
            status: the address of a word that says whether there was no memory for what is asked about
        """
        words: list[Any] = [self.job, self.parts, self.within, self.count, reports, room]
        words += [len(self.places), len(self.rooms), status, len(self.asked)]
        for place, operand in zip(self.places, operands, strict=True):
            words.extend([place, operand])
        for place, offset in self.rooms:
            words.extend([place, offset])
        for row in self.asked:
            words.extend(row)
        return words + self.words


def _item_bytes(work: Work) -> int:
    return array.array(work.letter).itemsize * work.width


@functools.cache
def _machine() -> tuple[Any, int]:
    blas.run_region = runtime.module.address(threads.run_region)
    return runtime.callable_from_python(lapack_batch, module), module.address(lapack_part)


def call(
    name: str, arguments: tuple[Any, ...], count: int, work: int = 0, info: bool = True
) -> Call:
    """A call of a routine for ``count`` matrices.

    Args:
        arguments: integers, characters, `Number`, `Step`, `Work` and `LENGTH`
        work: about how many multiplications one matrix takes, to decide about threads
        info: whether the routine's last argument is its report, which is added here
    """
    return _prepared(name, arguments, count, work, info, threads.get_size())


_prepared = functools.lru_cache(maxsize=4096)(Call)


def _work_lengths(name: str, arguments: tuple[Any, ...]) -> list[int]:
    """How long the work arrays are to be."""
    works = [a for a in arguments if isinstance(a, Work)]
    if all(w.length for w in works):
        return [w.length for w in works]
    return [
        w.length or max(int(answer[0]), 1) for w, answer in zip(works, _ask(name, arguments, works))
    ]


def _ask(name: str, arguments: tuple[Any, ...], works: list[Work]) -> list[Any]:
    """Call a routine with -1 for every length: it writes what it wants to the work arrays."""
    machine, job = _machine()
    answers = [array.array(w.letter, bytes(64)) for w in works]
    rooms = iter(answers)
    words = array.array("q", [routine(name), 1, 0])
    for argument in arguments:
        if isinstance(argument, Work):
            address = next(rooms).buffer_info()[0]
        elif isinstance(argument, Step):
            address = 0
        else:
            address = _constant(-1 if argument is LENGTH else argument)
        words.extend([address, 0, 0])
    report = array.array("q", [0])
    words.extend([report.buffer_info()[0], 0, 0])
    while len(words) < WORDS:
        words.extend([1, 0, 0])
    machine(words.buffer_info()[0], job, 1, 1)
    return answers
