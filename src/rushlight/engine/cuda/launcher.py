"""Launches from machine code: the kernel of a host's loop that queues a kernel on a GPU.

A `Loop` whose kernel is `queue_kernel` and whose first operand is a *launch*, a table of words, does what
`DeviceLoop.run` does in Python. So a call on a device is remembered by the same steps as one on the CPU.

A launch needs the driver's context and the current stream of the thread that asks for it. Both are in the thread's *place*,
one of a few that threads share: the context that the thread is in, and its stream on each device for which it has
launched from Python. Machine code goes to the context of another device by itself. Where it finds another
thread's name, or no stream, it says that the loop has failed: the call is made in Python, which writes the place again.
"""

from __future__ import annotations

import ctypes
import os
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


# Machine code knows the contexts and streams of so many devices.
MOST_DEVICES = 16


class PLACE:
    """Positions of the words of a thread's place, in bytes."""

    thread = 0  # whose place it is; 0: nobody's
    device = 8  # the device whose context the thread is in, or `UNKNOWN`
    streams = 16  # the thread's current stream on each device, or `UNKNOWN`
    bytes = streams + 8 * MOST_DEVICES


UNKNOWN = -1


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
    number is the parameter. A kernel that draws gets the generator's `SEED` and `BEGIN`, too: while a graph is recorded, another
    kernel gets the address of both instead, and what is added to the place there.
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
    held = 120  # the kernel that draws for a graph; 0 if it was not loaded yet
    is_capturing = 128  # the driver's `cuStreamIsCapturing`
    first = 136


class GENERATOR:
    """Positions of the words of a generator, in bytes."""

    seed = 0
    offset = 8  # how many numbers each thread's stream has given
    held = 16  # the address of a seed and a place in the device's memory while a graph is recorded, or 0
    given = 24  # how many numbers that graph takes of each thread's stream so far
    length = 4


# Kernels begin to draw at multiples of what Philox gives at once.
UNIT = 4
# What stands for an operand's position: a word of the launch's own, and what a generator says.
WORD, SEED, BEGIN = -1, -2, -3

_places = lasting(_PLACES * PLACE.bytes // 8)
# The contexts of devices, as far as they are made.
_contexts = lasting(MOST_DEVICES)
# The labels of the last kernels that were asked for, as numbers, in turn.
_RECENT = 8
_recent = lasting(_RECENT)
# `set_context`: the driver's `cuCtxSetCurrent`; `holds`: how many want machine code to launch nothing.
words = Words("table", "recent", "asked", "contexts", "set_context", "holds")
words.table, words.recent = ctypes.addressof(_places), ctypes.addressof(_recent)
words.contexts = ctypes.addressof(_contexts)


@module.function
def place_of_thread(thread: int) -> int:
    """Where a thread's place is. Threads' names are addresses, some pages apart."""
    return words.table + ((thread >> 12) & (_PLACES - 1)) * PLACE.bytes


@module.function
def own_place() -> int:
    """The place of this thread, if it is its own and machine code may launch; or 0."""
    place = place_of_thread(thread_ident())
    if words.holds != 0 or load(place + PLACE.thread) != thread_ident():
        return 0
    return place


@module.function
def stream_on(place: int, device: int) -> int:
    """The current stream on a device; `UNKNOWN` if the place has none."""
    if device >= MOST_DEVICES:
        return UNKNOWN
    return load(place + PLACE.streams + device * 8)


@module.function
def go_to(place: int, device: int) -> int:
    """Let the thread be in the context of a device, on which it has a stream; what the driver reports, or 1."""
    if stream_on(place, device) == UNKNOWN:
        return 1
    if load(place + PLACE.device) == device:
        return 0
    context = load(words.contexts + device * 8)
    if context == 0:
        return 1
    code = invoke(words.set_context, context) & 0xFFFFFFFF
    if code == 0:
        store(place + PLACE.device, device)
    return code


@module.function
def place_on(device: int, status: int) -> int:
    """The place of this thread, which is in the context of a device now; else the loop has failed, and 0."""
    place = own_place()
    failed = 1
    if place != 0:
        failed = go_to(place, device)
    if failed != 0:
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
def stream_of(place: int, table: int) -> int:
    """The stream for what a table says, whose place was found."""
    return stream_on(place, load(table + HEADER.device))


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
def advance(count: int, numbers: int) -> None:
    """Let a generator go on behind the numbers that a kernel takes; `count` is the address of its count, or 0."""
    if count != 0:
        store(count, load(count) + numbers)


@module.function
def graph_of(launch: int, stream: int) -> int:
    """Whether a kernel that draws becomes a part of a graph; -1 if the generator and the stream do not agree."""
    captures = stack(1)
    store(captures, 0)
    code = invoke(load(launch + LAUNCH.is_capturing), stream, captures)
    held = load(load(launch + LAUNCH.generator) + GENERATOR.held)
    is_captured = 1 if load(captures) & 0xFFFFFFFF != 0 else 0
    is_held = 1 if held != 0 else 0
    if code & 0xFFFFFFFF != 0 or is_captured != is_held:
        return -1
    if is_held != 0 and load(launch + LAUNCH.held) == 0:
        return -1
    return is_held


@module.entry
def queue_kernel(data: int, sizes: int, strides: int) -> int:
    """A kernel of the host's loops that queues one on a device; operand 0 is the launch."""
    launch = load(data)
    if load(launch + LAUNCH.blocks) == 0:
        return 0
    place = place_for(launch)
    if place == 0:
        return 0
    stream = stream_of(place, launch)
    chosen = launch + LAUNCH.kernel
    function = load(chosen)
    generator = load(launch + LAUNCH.generator)
    # The generator's count of numbers, and what stands for its seed.
    count = 0
    seed = 0
    if generator != 0:
        drawn_for = graph_of(launch, stream)
        if drawn_for < 0:
            return report(launch, 1)
        count = generator + GENERATOR.offset
        seed = load(generator + GENERATOR.seed)
        if drawn_for != 0:
            count = generator + GENERATOR.given
            seed = load(generator + GENERATOR.held)
            function = load(launch + LAUNCH.held)
    content = stack(MOST_PARAMETERS)
    parameters = stack(MOST_PARAMETERS)
    addresses = load(launch + LAUNCH.addresses)
    said = launch + LAUNCH.first
    for k in range(load(launch + LAUNCH.parameters)):
        operand = load(said)
        if operand == WORD:
            store(parameters + k * 8, said + 8)
        elif operand == SEED:
            store(content + k * 8, seed)
            store(parameters + k * 8, content + k * 8)
        elif operand == BEGIN:
            store(content + k * 8, load(count) // UNIT)
            store(parameters + k * 8, content + k * 8)
        elif k < addresses:
            store(content + k * 8, load(data + operand * 8) + load(said + 8))
            store(parameters + k * 8, content + k * 8)
        else:
            store(parameters + k * 8, load(data + operand * 8) + load(said + 8))
        said += 16
    wide = load(launch + LAUNCH.wide)
    if wide != 0 and are_aligned(content, addresses, load(launch + LAUNCH.aligned)) != 0:
        chosen = launch + LAUNCH.wide
        function = wide
    # A full queue makes the driver wait: other threads may run until then, and draw from where this kernel ends.
    advance(count, load(launch + LAUNCH.taken))
    saved = save_thread()
    code = invoke(
        load(launch + LAUNCH.function), function, load(chosen + 8), 1, 1, load(chosen + 16), 1, 1,
        0, stream, parameters, 0,
    )  # fmt: skip
    restore_thread(saved)
    if code & 0xFFFFFFFF != 0:
        advance(count, -load(launch + LAUNCH.taken))
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

    def change(self, position: int, word: int) -> None:
        """Let machine code read another word from now on."""
        self._words[position // 8] = word


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
        is_capturing: the address of `cuStreamIsCapturing`, where it draws
    """

    def __init__(
        self, function: int, device: int, label: str, kernel: Kernel,
        wide: tuple[Kernel, Iterable[int]] | None, addresses: list[tuple[int, int]],
        others: list[tuple[int, int]], status: Status, generator: int = 0, taken: int = 0, is_capturing: int = 0,
    ) -> None:  # fmt: skip
        said = [*addresses, *others]
        second, multiples = (Kernel(0, 0, 0), []) if wide is None else (wide[0], list(wide[1]))
        self._aligned = symbolic.words(multiples)
        content = [
            function, *kernel, *second,
            ctypes.addressof(self._aligned), len(addresses), len(said), generator, taken,
            0, is_capturing, *(word for pair in said for word in pair),
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

    @property
    def is_own(self) -> bool:
        return bool(_places[self.at] == self.thread)

    @property
    def device(self) -> int:
        """The device whose context the thread is in, or `UNKNOWN`."""
        return int(_places[self.at + PLACE.device // 8]) if self.is_own else UNKNOWN

    def take(self) -> None:
        """Make it this thread's, if it is another one's."""
        if not self.is_own:
            nothing = [UNKNOWN] * (PLACE.bytes // 8 - 1)
            _places[self.at : self.at + PLACE.bytes // 8] = [self.thread, *nothing]

    def write(self, position: int, word: int) -> None:
        self.take()
        _places[self.at + position // 8] = word

    def leave(self) -> None:
        if self.is_own:
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


def hold() -> None:
    """Let machine code launch nothing at all: somebody looks at what Python launches."""
    words.holds += 1


def let_go() -> None:
    """Let machine code launch again, when nobody else looks."""
    words.holds -= 1


def entered() -> int:
    """The device whose context this thread is in, as far as that is known."""
    return _here.place.device


def enter(device: int) -> None:
    """Note that this thread is in the context of a device."""
    _here.place.write(PLACE.device, device)


def use_stream(device: int, stream: int) -> None:
    """Let machine code of this thread launch on a stream of a device."""
    if device < MOST_DEVICES:
        _here.place.write(PLACE.streams + 8 * device, stream)


def know_context(device: int, context: int, set_context: int) -> None:
    """Let machine code go to the context of a device."""
    words.set_context = set_context
    if device < MOST_DEVICES:
        _contexts[device] = context


def forget() -> None:
    """Let machine code of all threads launch nothing before Python has: the driver is gone."""
    for memory in (_places, _contexts):
        ctypes.memset(memory, 0, ctypes.sizeof(memory))


if hasattr(os, "register_at_fork"):
    # A child has no driver, and Python says so.
    os.register_at_fork(after_in_child=forget)
