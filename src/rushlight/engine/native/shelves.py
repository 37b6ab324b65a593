"""Shelves: objects that own memory, kept when their storage ends for the next one of the same size.

An allocator that is written in Python gives each request an object that owns its memory. Machine code that ends
a storage puts the object on its shelf instead of letting it go, and machine code that makes a storage takes it
from there; so neither runs Python. The allocator counts what lies here as given out: before it looks at
anything, it takes all of it back (`drain`).
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.engine.native import heap_types
from rushlight.engine.native.forks import hold_over_fork
from rushlight.engine.native.lowlevel import Words, lasting, load, load32, store
from rushlight.engine.native.python_api import long_as_signed
from rushlight.engine.native.runtime import module

# More are the allocator's again: programs that free much at once free it for others, too.
MOST = 16


class SHELF:
    """Positions of a shelf's words, in bytes."""

    next = 0  # the shelf of the same size for another stream, or 0
    stream = 8
    count = 16  # how many objects lie on it
    reused = 24  # how often one was taken from it
    asked = 32  # for how many bytes in all
    first = 40
    bytes = first + 8 * MOST


# `is_open`: whether anything is put here; `kind`: the type of the owners; `shelf` and `place`: where they have the
# addresses of their shelf, or 0, and of their memory, as integers of Python.
words = Words("is_open", "kind", "shelf", "place", "table")


# The shelves of a size on a device: two words each, `key` and the address of the first; the place follows from the key.
# Sizes are multiples of more than there are devices.
_PLACES = 1 << 12
_MOST_KNOWN = _PLACES // 2
_table = lasting(2 * _PLACES)
words.table = ctypes.addressof(_table)


@module.function
def place_of_key(key: int) -> int:
    """Where the table has a key, or would have it."""
    place = (key >> 9) * 0x9E3779B1 + key & (_PLACES - 1)
    while load(words.table + place * 16) != key and load(words.table + place * 16) != 0:
        place = (place + 1) & (_PLACES - 1)
    return words.table + place * 16


@module.function
def of_size(device: int, size: int) -> int:
    """The address of a device's shelves for blocks of a size; 0 if there are none that machine code knows."""
    return load(place_of_key(size | device) + 8)


@module.function
def put(owner: int) -> int:
    """Put an owner on its shelf if the caller's reference, which is then taken over, is the last; whether it was."""
    if words.is_open == 0 or load(owner + heap_types.TYPE_OFFSET) != words.kind:
        return 0
    if load32(owner) != 1:
        return 0
    shelf = long_as_signed(load(owner + words.shelf))
    if shelf == 0:
        return 0
    count = load(shelf + SHELF.count)
    if count >= MOST:
        return 0
    store(shelf + SHELF.first + count * 8, owner)
    store(shelf + SHELF.count, count + 1)
    return 1


@module.function
def take(shelves: int, stream: int, nbytes: int) -> int:
    """An owner of so much memory that a stream has left, with its reference; 0 if there is none."""
    if words.is_open == 0 or shelves == 0:
        return 0
    shelf = load(shelves)
    while shelf != 0 and load(shelf + SHELF.stream) != stream:
        shelf = load(shelf + SHELF.next)
    if shelf == 0:
        return 0
    count = load(shelf + SHELF.count)
    if count == 0:
        return 0
    store(shelf + SHELF.count, count - 1)
    store(shelf + SHELF.reused, load(shelf + SHELF.reused) + 1)
    store(shelf + SHELF.asked, load(shelf + SHELF.asked) + nbytes)
    return load(shelf + SHELF.first + (count - 1) * 8)


class Shelf(NamedTuple):
    """A shelf, and the words that it is."""

    address: int
    content: Any


class Shelves:
    """The shelves of one size on one device; `address` is where machine code finds the first."""

    def __init__(self) -> None:
        self.content = lasting(1)
        self.address = ctypes.addressof(self.content)
        self.by_stream: dict[int, Shelf] = {}

    def of(self, stream: int) -> Shelf:
        """The shelf of a stream."""
        found = self.by_stream.get(stream)
        if found is None:
            content = lasting(SHELF.bytes // 8)
            content[0], content[1] = self.content[0], stream
            found = self.by_stream[stream] = Shelf(ctypes.addressof(content), content)
            self.content[0] = found.address
        return found


@functools.cache
def _place_by_address() -> Any:
    return ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(module.address(place_of_key))


@functools.cache
def _take_by_address() -> Any:
    # With the interpreter's lock: nobody else may take from a shelf meanwhile.
    kind = ctypes.PYFUNCTYPE(*[ctypes.c_int64] * 4)
    return kind(module.address(take))


def taken(shelves: Shelves, stream: int, nbytes: int) -> Any:
    """What `take` gives, for Python; None if there is nothing."""
    if not words.is_open:
        return None
    found = _take_by_address()(shelves.address, stream, nbytes)
    if not found:
        return None
    owner = ctypes.cast(found, ctypes.py_object).value
    ctypes.pythonapi.Py_DecRef(ctypes.c_void_p(found))
    return owner


_by_size: dict[tuple[int, int], Shelves] = {}
_lock = threading.Lock()
hold_over_fork(_lock)


def of(device: int, size: int) -> Shelves:
    """The shelves of a device for blocks of a size. Sizes are rounded: shelves stay for good."""
    found = _by_size.get((device, size))
    return _new(device, size) if found is None else found


def _new(device: int, size: int) -> Shelves:
    # Two sizes must not take one place of the table.
    with _lock:
        found = _by_size.get((device, size))
        if found is not None:
            return found
        made = _by_size[device, size] = Shelves()
        if len(_by_size) <= _MOST_KNOWN:
            place = (_place_by_address()(size | device) - words.table) // 8
            # The address first: machine code of other threads looks for the key.
            _table[place + 1] = made.address
            _table[place] = size | device
        return made


def keep(kind: type) -> None:
    """Keep owners of a class, which has the slots ``shelf`` and ``place``."""
    words.kind = id(kind)
    words.shelf, words.place = (heap_types.slot_offset(kind, name) for name in ("shelf", "place"))


def drain(note: Callable[[int, int, int, int], None] | None = None) -> None:
    """Let go of all that lies here, and say of which device and size how often something was taken, for how many bytes."""
    for (device, size), shelves in list(_by_size.items()):
        for shelf in list(shelves.by_stream.values()):
            content = shelf.content
            times, asked = content[3:5]
            content[3] = content[4] = 0
            if times and note is not None:
                note(device, size, times, asked)
            while content[2]:
                content[2] -= 1
                owner = content[SHELF.first // 8 + content[2]]
                ctypes.pythonapi.Py_DecRef(ctypes.c_void_p(owner))
