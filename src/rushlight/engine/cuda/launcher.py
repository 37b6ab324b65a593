"""Launches from machine code: the kernel of a host's loop that queues a kernel on a GPU.

A `Loop` whose kernel is `queue_kernel` and whose first operand is a *launch*, a table of words, does what
`DeviceLoop.run` does in Python. So a call on a device is remembered by the same steps as one on the CPU.

A launch needs the driver's context and the current stream of the thread that asks for it. A thread that
launches from Python writes both into its *place*, one of a few that threads share. Machine code that finds
another thread's name there, or another device, says that the loop has failed: the call is made in Python, which
writes the place again.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from rushlight.engine.core import symbolic
from rushlight.engine.native.lowlevel import Words, invoke, lasting, load, stack, store
from rushlight.engine.native.python_api import restore_thread, save_thread, thread_ident
from rushlight.engine.native.runtime import module

# The driver takes 4 KiB of parameters.
MOST_PARAMETERS = 512
_PLACES = 64


class PLACE:
    """Positions of the words of a thread's place, in bytes."""

    thread = 0  # whose place it is; 0: nobody's
    device = 8  # the device whose context the thread is in
    stream = 16  # the thread's current stream there
    bytes = 24


class HEADER:
    """Positions of the first words of every table that such kernels read, in bytes."""

    device = 0
    status = 8  # address of the word that says that it has failed
    label = 16  # what messages call it, as a number
    first = 24


class LAUNCH(HEADER):
    """Positions of the words of a launch, in bytes.

    Then come two words for each parameter: an operand's position and what is added to its address, or `WORD` and a
    word. The first parameters are addresses of operands in the device's memory; of an operand that is a number, the
    number is the parameter. A kernel that draws gets the generator's `SEED` and `BEGIN`, too.
    """

    function = HEADER.first  # the driver's `cuLaunchKernel`
    kernel = 32
    blocks = 40
    width = 48
    wide = 56  # a kernel for operands that lie at multiples of some bytes; or 0
    wide_blocks = 64
    wide_width = 72
    aligned = 80  # address of one word per address among the parameters: of how many bytes it is a multiple
    addresses = 88  # how many of the parameters are addresses, which come first
    parameters = 96
    generator = 104  # address of the words of the generator that the kernel draws from, or 0
    taken = 112  # how many numbers each thread's stream gives
    first = 120


class GENERATOR:
    """Positions of the words of a generator, in bytes."""

    seed = 0
    offset = 8  # how many numbers each thread's stream has given
    captured = 16  # whether a graph is recorded, which is given the numbers


# Kernels begin to draw at multiples of what Philox gives at once.
UNIT = 4
# What stands for an operand's position: a word of the launch's own, and what a generator says.
WORD, SEED, BEGIN = -1, -2, -3

_places = lasting(_PLACES * PLACE.bytes // 8)
# The labels of the last kernels that were asked for, as numbers, in turn.
_RECENT = 8
_recent = lasting(_RECENT)
words = Words("table", "recent", "asked")
words.table, words.recent = ctypes.addressof(_places), ctypes.addressof(_recent)


@module.function
def place_of_thread(thread: int) -> int:
    """Where a thread's place is. Threads' names are addresses, some pages apart."""
    return words.table + ((thread >> 12) & (_PLACES - 1)) * PLACE.bytes


@module.function
def place_on(device: int, status: int) -> int:
    """The place of this thread, if it is its own and in the context of a device; else the loop has failed, and 0."""
    place = place_of_thread(thread_ident())
    if load(place + PLACE.thread) != thread_ident():
        store(status, 1)
        return 0
    if load(place + PLACE.device) != device:
        store(status, 1)
        return 0
    return place


@module.function
def note(label: int) -> None:
    """Remember what was asked for, by its number."""
    store(words.recent + (words.asked & (_RECENT - 1)) * 8, label)
    words.asked += 1


@module.function
def place_for(table: int) -> int:
    """The place of this thread for what a table says, whose label is noted; 0 if the loop has failed."""
    place = place_on(load(table + HEADER.device), load(table + HEADER.status))
    if place != 0:
        note(load(table + HEADER.label))
    return place


@module.function
def report(table: int, code: int) -> int:
    """Say that a loop has failed if a library reports something; 0."""
    if code & 0xFFFFFFFF != 0:
        store(load(table + HEADER.status), 1)
    return 0


@module.function
def are_aligned(pointers: int, count: int, aligned: int) -> int:
    """Whether all addresses are multiples of their numbers of bytes."""
    for k in range(count):
        if load(pointers + k * 8) % load(aligned + k * 8) != 0:
            return 0
    return 1


@module.function
def advance(generator: int, count: int) -> None:
    """Let a generator go on behind the numbers that a kernel takes, if it draws."""
    if generator != 0:
        store(generator + GENERATOR.offset, load(generator + GENERATOR.offset) + count)


@module.entry
def queue_kernel(data: int, sizes: int, strides: int) -> int:
    """A kernel of the host's loops that queues one on a device; operand 0 is the launch."""
    launch = load(data)
    if load(launch + LAUNCH.blocks) == 0:
        return 0
    generator = load(launch + LAUNCH.generator)
    # Numbers of a graph are given out by Python.
    if generator != 0 and load(generator + GENERATOR.captured) != 0:
        return report(launch, 1)
    place = place_for(launch)
    if place == 0:
        return 0
    content = stack(MOST_PARAMETERS)
    parameters = stack(MOST_PARAMETERS)
    addresses = load(launch + LAUNCH.addresses)
    said = launch + LAUNCH.first
    for k in range(load(launch + LAUNCH.parameters)):
        operand = load(said)
        if operand == WORD:
            store(parameters + k * 8, said + 8)
        elif operand == SEED:
            store(content + k * 8, load(generator + GENERATOR.seed))
            store(parameters + k * 8, content + k * 8)
        elif operand == BEGIN:
            store(content + k * 8, load(generator + GENERATOR.offset) // UNIT)
            store(parameters + k * 8, content + k * 8)
        elif k < addresses:
            store(content + k * 8, load(data + operand * 8) + load(said + 8))
            store(parameters + k * 8, content + k * 8)
        else:
            store(parameters + k * 8, load(data + operand * 8) + load(said + 8))
        said += 16
    chosen = launch + LAUNCH.kernel
    wide = load(launch + LAUNCH.wide)
    if wide != 0 and are_aligned(content, addresses, load(launch + LAUNCH.aligned)) != 0:
        chosen = launch + LAUNCH.wide
    stream = load(place + PLACE.stream)
    # A full queue makes the driver wait: other threads may run until then, and draw from where this kernel ends.
    advance(generator, load(launch + LAUNCH.taken))
    saved = save_thread()
    code = invoke(
        load(launch + LAUNCH.function), load(chosen), load(chosen + 8), 1, 1, load(chosen + 16), 1, 1,
        0, stream, parameters, 0,
    )  # fmt: skip
    restore_thread(saved)
    if code & 0xFFFFFFFF != 0:
        advance(generator, -load(launch + LAUNCH.taken))
    return report(launch, code)


class Kernel(NamedTuple):
    """A kernel of the driver and its grid."""

    handle: int
    blocks: int
    width: int


class Status:
    """The four words in which a loop says that it has failed, which steps look at."""

    def __init__(self) -> None:
        self._words = symbolic.words([0] * 4)

    @property
    def address(self) -> int:
        return ctypes.addressof(self._words)


class Table:
    """Words that machine code reads, and where it says that it has failed.

    Args:
        device: the device's number
        label: what messages call it
        content: the words behind the `HEADER`
        status: where it says that it has failed
    """

    def __init__(self, device: int, label: str, content: Iterable[int], status: Status) -> None:
        whole = [device, status.address, recent.number_of(label), *content]
        # Words of a class of calls are no larger than sizes.
        signed = [w - (1 << 64) if type(w) is int and w >= 1 << 63 else w for w in whole]
        self._words, self._status = symbolic.words(signed), status

    @property
    def address(self) -> int:
        return ctypes.addressof(self._words)

    @property
    def status(self) -> int:
        return self._status.address


class Launch(Table):
    """The words of a launch.

    Args:
        function: the address of `cuLaunchKernel`
        device: the device's number
        label: what messages call it
        kernel: what is launched
        wide: the same for addresses that are multiples of some bytes, and these numbers
        addresses: operands' positions and the bytes added to each
        others: the parameters after them: operands that are numbers as addresses are, or `WORD` and a word
        status: where it says that it has failed
        generator: the address of the words of the generator that it draws from; 0 for none
        taken: how many numbers each thread's stream gives
    """

    def __init__(
        self, function: int, device: int, label: str, kernel: Kernel,
        wide: tuple[Kernel, Iterable[int]] | None, addresses: list[tuple[int, int]],
        others: list[tuple[int, int]], status: Status, generator: int = 0, taken: int = 0,
    ) -> None:  # fmt: skip
        said = [*addresses, *others]
        second, multiples = (Kernel(0, 0, 0), []) if wide is None else (wide[0], list(wide[1]))
        self._aligned = symbolic.words(multiples)
        content = [
            function, *kernel, *second,
            ctypes.addressof(self._aligned), len(addresses), len(said), generator, taken,
            *(word for pair in said for word in pair),
        ]  # fmt: skip
        super().__init__(device, label, content, status)


class Recent:
    """The labels of the last kernels that were asked for."""

    def __init__(self) -> None:
        self._labels: list[str] = []
        self._numbers: dict[str, int] = {}

    def number_of(self, label: str) -> int:
        found = self._numbers.get(label)
        if found is None:
            found = self._numbers[label] = len(self._labels)
            self._labels.append(label)
        return found

    def append(self, label: str) -> None:
        _recent[words.asked % _RECENT] = self.number_of(label)
        words.asked += 1

    def clear(self) -> None:
        words.asked = 0

    def __len__(self) -> int:
        return int(min(words.asked, _RECENT))

    def __iter__(self) -> Iterator[str]:
        for k in range(words.asked - len(self), words.asked):
            yield self._labels[_recent[k % _RECENT]]


recent = Recent()


class _Place:
    """This thread's place; given up when the thread ends, for another one may get its name."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.at = ((self.thread >> 12) & (_PLACES - 1)) * PLACE.bytes // 8

    def write(self, device: int, stream: int) -> None:
        _places[self.at : self.at + 3] = [self.thread, device, stream]

    def leave(self) -> None:
        if _places[self.at] == self.thread:
            _places[self.at] = 0

    def __del__(self, is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        # A default, because modules may be gone when the interpreter ends.
        if not is_over():
            self.leave()


class _Here(threading.local):
    """A thread's place, which goes with the thread."""

    def __init__(self) -> None:
        self.place = _Place()


_here = _Here()
# How many want machine code to launch nothing.
_holds = 0


def hold() -> None:
    """Let machine code launch nothing at all: somebody looks at what Python launches."""
    global _holds
    _holds += 1
    leave_all()


def let_go() -> None:
    """Let machine code launch again, when nobody else looks."""
    global _holds
    _holds -= 1


def enter(device: int, stream: int) -> None:
    """Let machine code of this thread launch on a device, in whose context it is, and on a stream."""
    if not _holds:
        _here.place.write(device, stream)


def leave() -> None:
    """Let machine code of this thread launch nothing before Python has done so: its context or stream changes."""
    _here.place.leave()


def leave_all() -> None:
    """The same of all threads: the driver is gone."""
    ctypes.memset(_places, 0, ctypes.sizeof(_places))
