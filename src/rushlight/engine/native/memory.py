"""The caching allocator for tensor memory.

Freed blocks wait in lists by size class and are handed out again: a fresh large block costs a page
fault for every page, which is more than most operators do with it. Every block starts with a
64-byte header (its class and size), so data is aligned to a cache line. All functions run with the
interpreter lock held.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator

from rushlight.engine.native import runtime
from rushlight.engine.native.lowlevel import Words, lasting, leading_zeros, load, store
from rushlight.engine.native.python_api import aligned_alloc, libc_free, madvise
from rushlight.engine.native.runtime import module

HEADER = 64
CLASSES = 512
_SMALL_UNITS = 64
# No machine has more; the class of such a block is still among `CLASSES`.
_MOST_UNITS = 1 << 46
_HUGE = 1 << 21
_MADVISE_HUGEPAGE, _MADVISE_SMALL_PAGES, _MADVISE_DONTNEED = 14, 15, 4
_PAGE = os.sysconf("SC_PAGE_SIZE")
# Fewer bytes are not worth a call of the system.
_WORTH_GIVING_BACK = 1 << 16

# What the allocator knows, shared with Python: bytes in use and their peak, bytes waiting in the
# lists, counts, the cap on all of it (0: none) and the most that may wait. While there is a cap,
# requests are counted down as well, and the one with which ``until_failure`` reaches 0 fails.
words = Words(
    "current", "peak", "cached", "allocations", "frees", "cap", "cache_limit", "lists",
    "huge_pages", "until_failure",
)  # fmt: skip
_lists = lasting(CLASSES)
words.lists = ctypes.addressof(_lists)
words.huge_pages = int(os.uname().sysname == "Linux") if hasattr(os, "uname") else 0
# How much memory this machine has.
MACHINE_BYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
words.cache_limit = MACHINE_BYTES // 4


@module.function
def class_shift(units: int) -> int:
    """How many low bits of the unit count a block of this size ignores (3 significant bits stay)."""
    return 60 - leading_zeros(units - 1)


@module.function
def take_fresh(size: int) -> int:
    """A new block from the system, or 0."""
    total = size + HEADER
    if size < _HUGE:
        return aligned_alloc(64, total)
    block = aligned_alloc(_HUGE, (total + _HUGE - 1) & -_HUGE)
    if block != 0 and words.huge_pages != 0:
        # An end that would fill less than half of a huge page lies in small ones.
        whole = (total + _HUGE // 2) & -_HUGE
        madvise(block, whole, _MADVISE_HUGEPAGE)
        if whole < total:
            madvise(block + whole, _HUGE, _MADVISE_SMALL_PAGES)
    return block


@module.entry
def release_cached() -> None:
    """Give every waiting block back to the system."""
    for index in range(CLASSES):
        slot = words.lists + index * 8
        block = load(slot)
        while block != 0:
            following = load(block + 16)
            libc_free(block)
            block = following
        store(slot, 0)
    words.cached = 0


@module.entry
def is_refused(size: int) -> int:
    """Whether a block of this size would exceed the cap, or its request is the one that is to fail."""
    if words.until_failure > 0:
        words.until_failure -= 1
        if words.until_failure == 0:
            return 1
    return 1 if words.current + size > words.cap else 0


@module.entry
def allocate(nbytes: int) -> int:
    """The address of at least ``nbytes`` bytes; 0 for none asked, -1 when they are not to be had."""
    if nbytes == 0:
        return 0
    if nbytes < 0:
        return -1
    units = ((nbytes - 1) >> 6) + 1
    index = units
    if units > _SMALL_UNITS:
        if units > _MOST_UNITS:
            return -1
        shift = class_shift(units)
        rounded = ((units - 1) >> shift) + 1
        units = rounded << shift
        index = shift * 8 + rounded + 32
    size = units * 64
    if words.cap != 0 and is_refused(size) != 0:
        return -1
    slot = words.lists + index * 8
    block = load(slot)
    if block != 0:
        store(slot, load(block + 16))
        words.cached -= size
    else:
        if words.cap != 0 and words.current + words.cached + size > words.cap:
            release_cached()
        block = take_fresh(size)
        if block == 0:
            release_cached()
            block = take_fresh(size)
            if block == 0:
                return -1
        store(block, index)
        store(block + 8, size)
    words.current += size
    words.allocations += 1
    if words.current > words.peak:
        words.peak = words.current
    return block + HEADER


@module.entry
def free_block(data: int) -> None:
    """Take back a block that `allocate` gave."""
    if data == 0:
        return
    block = data - HEADER
    size = load(block + 8)
    words.current -= size
    words.frees += 1
    if words.cached + size > words.cache_limit:
        libc_free(block)
        return
    slot = words.lists + load(block) * 8
    store(block + 16, load(slot))
    store(slot, block)
    words.cached += size


@contextlib.contextmanager
def failing_request(number: int) -> Iterator[None]:
    """A block in which one request fails, for tests: the ``number``-th, counted from 1."""
    cap = words.cap
    words.cap, words.until_failure = cap or sys.maxsize, number
    try:
        yield
    finally:
        words.cap, words.until_failure = cap, 0


def has_failed() -> bool:
    """Within `failing_request`: whether the request has come, and has failed."""
    return words.until_failure == 0


@module.entry
def block_size(data: int) -> int:
    """How many bytes the block that starts there has."""
    return load(data - HEADER + 8) if data != 0 else 0


@module.entry
def whole_pages(data: int, used: int) -> int:
    """How many bytes of whole pages a block has behind its first ``used`` bytes, if it is worth it."""
    first = (data + used + _PAGE - 1) & -_PAGE
    last = (data + block_size(data)) & -_PAGE
    if words.huge_pages == 0 or last - first < _WORTH_GIVING_BACK:
        return 0
    return last - first


@module.entry
def give_back(data: int, used: int) -> None:
    """Let the system have those pages; they stay where they are and read as zeros from now on."""
    first = (data + used + _PAGE - 1) & -_PAGE
    madvise(first, whole_pages(data, used), _MADVISE_DONTNEED)


def release() -> None:
    """`release_cached` for Python."""
    runtime.callable_from_python(release_cached)()
