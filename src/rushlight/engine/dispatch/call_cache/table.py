"""What a binding remembers, by key: a hash table that machine code looks through."""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight.engine.dispatch.call_cache.key import hash_of
from rushlight.engine.native.lowlevel import load
from rushlight.engine.native.runtime import module

# In so many places after its own an entry may be.
PROBES = 4


class ENTRY:
    """Positions of an entry's words, in bytes."""

    hash = 0
    key = 8
    length = 16
    step = 24  # what the call was, as `step.STEP` says; of a class, its first program; or 0
    keep = 32  # an object that holds all memory that the entry points to
    bytes = 40


_ROW = ENTRY.bytes // 8


@module.function
def find_entry(table: int, mask: int, buffer: int, length: int, mixed: int) -> int:
    """The entry with this key, or 0."""
    for probe in range(PROBES):
        entry = table + (((mixed >> 8) + probe) & mask) * ENTRY.bytes
        if load(entry + ENTRY.hash) == mixed and load(entry + ENTRY.length) == length:
            known = load(entry + ENTRY.key)
            k = 0
            while k < length and load(known + k * 8) == load(buffer + k * 8):
                k += 1
            if k == length:
                return entry
    return 0


class CallTable:
    """Entries in memory.

    Args:
        slots: for how many keys there is a place; a power of two
    """

    def __init__(self, slots: int) -> None:
        self.mask = slots - 1
        self.words: Any = (ctypes.c_int64 * ((slots + PROBES) * _ROW))()
        self.address = ctypes.addressof(self.words)
        # What the entries point to, also of those that were given up since.
        self.held: list[list[Any]] = []

    def insert(self, key: Any, step: int, keep: Any) -> None:
        """Add an entry; the last one in its places is given up if all are taken."""
        mixed = hash_of(key)
        # Whoever runs an entry keeps the tables that it is in.
        held = [key, keep, self.words]
        self.held.append(held)
        self._write([mixed, ctypes.addressof(key), len(key), step, id(held)])

    def _write(self, entry: list[int]) -> None:
        place = 0
        for probe in range(PROBES):
            place = (((entry[0] >> 8) + probe) & self.mask) * _ROW
            if self.words[place] == 0:
                break
        # Another thread may be looking: the hash comes last.
        for k in range(1, _ROW):
            self.words[place + k] = entry[k]
        self.words[place] = entry[0]

    def enlarged(self, slots: int) -> CallTable:
        """A larger table with the same entries."""
        made = CallTable(slots)
        made.held = list(self.held)
        for held in made.held:
            held.append(made.words)
        for place in range(0, len(self.words), _ROW):
            if self.words[place]:
                made._write(self.words[place : place + _ROW])
        return made
