"""Binary search in machine code: integer keys in the elements' order, so one version serves all."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from rushlight.engine.native.lowlevel import Module, load, store

module = Module("places")


@module.function
def place_of(sequence: int, sorter: int, length: int, key: int, right: int) -> int:
    """How many keys of a sorted sequence are below a key, or with ``right`` not above it."""
    low = 0
    high = length
    while low < high:
        middle = low + (high - low) // 2
        at = middle
        if sorter != 0:
            at = load(sorter + middle * 8)
        other = load(sequence + at * 8)
        before = other < key
        if right != 0:
            before = other <= key
        if before != 0:
            low = middle + 1
        else:
            high = middle
    return low


@module.function
def find_places(
    sequences: int,
    sorters: int,
    rows: int,
    length: int,
    keys: int,
    count: int,
    right: int,
    out: int,
) -> int:
    """The places of ``count`` keys in each row's sequence; one row serves all if ``rows`` is 0."""
    for row in range(rows if rows > 0 else 1):
        sorter = sorters
        if sorters != 0:
            sorter = sorters + row * length * 8
        for k in range(count):
            at = (row * count + k) * 8
            place = place_of(sequences + row * length * 8, sorter, length, load(keys + at), right)
            store(out + at, place)
    return 0


@module.function
def search_rows(pointers: int, sorter: int, words: int) -> None:
    find_places(
        load(pointers + 8),
        sorter,
        load(words),
        load(words + 8),
        load(pointers + 16),
        load(words + 16),
        load(words + 24),
        load(pointers),
    )


@module.function
def places_kernel(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the places (written), the sequences' keys, the wanted keys, rows and their lengths."""
    search_rows(pointers, 0, load(pointers + 24))
    return 0


@module.function
def sorted_places_kernel(pointers: int, sizes: int, strides: int) -> int:
    """The same with the order of each sequence's keys before the lengths."""
    search_rows(pointers, load(pointers + 24), load(pointers + 32))
    return 0


@functools.cache
def search() -> Any:
    """`find_places` as a function that lets other threads run."""
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 8)
    return prototype(module.address(find_places))
