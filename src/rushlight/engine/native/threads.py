"""The thread pool: workers that run machine code only and never touch Python.

A region is a job cut into parts. The caller and the workers draw tickets for parts until none is
left, so that a worker who comes late, or whose processor is lent to somebody else, costs no more
than the part that it holds. Waiting is a bounded spin, then sleep in the kernel. One region runs at
a time: a caller who finds the pool busy does all parts alone, so nesting and many calling threads
are safe. Workers are started on first use and again in a forked child, where the parent's do not
exist.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys

from rushlight.engine.native.lowlevel import (
    Words,
    atomic_add,
    atomic_load,
    atomic_store,
    extern,
    invoke,
    lasting,
    pause,
    swap_if,
)
from rushlight.engine.native.python_api import sched_yield, syscall
from rushlight.engine.native.runtime import module

# The threads that may take part, the threads that exist (callers count as one), the present job.
words = Words("size", "running", "job", "context")
words.size = words.running = 1

# Words that threads wait on have a cache line each.
_lines = lasting(32)
_base = (ctypes.addressof(_lines) + 63) & -64
shared = Words("ticket", "pending", "asleep", "busy")
shared.ticket, shared.pending, shared.asleep, shared.busy = range(_base, _base + 256, 64)

# A ticket's fields: the region's number, how many parts it has, and the next part to draw. Workers
# sleep on its upper half (see `sleep_on`), which changes once for each region.
_COUNT_BITS = 16
_COUNT = (1 << _COUNT_BITS) - 1
MOST_PARTS = _COUNT

_PAUSES = 100
_YIELDS = 1000
FUTEX = 98 if platform.machine() in ("aarch64", "arm64") else 202
_FUTEX_WAIT_PRIVATE = 128
_FUTEX_WAKE_PRIVATE = 129
_ON_LINUX = int(sys.platform == "linux")
_ULOCK_COMPARE_AND_WAIT = 1
_ULOCK_WAKE_ALL = 0x101

ulock_wait = extern("__ulock_wait", "i32", "i32", "int", "int", "i32")
ulock_wake = extern("__ulock_wake", "i32", "i32", "int", "int")


if _ON_LINUX:

    @module.function
    def sleep_on(word: int, old: int) -> None:
        syscall(FUTEX, word, _FUTEX_WAIT_PRIVATE, old, 0, 0, 0)

    @module.function
    def wake_all(word: int) -> None:
        syscall(FUTEX, word, _FUTEX_WAKE_PRIVATE, 2147483647, 0, 0, 0)

else:

    @module.function
    def sleep_on(word: int, old: int) -> None:
        ulock_wait(_ULOCK_COMPARE_AND_WAIT, word, old, 0)

    @module.function
    def wake_all(word: int) -> None:
        ulock_wake(_ULOCK_WAKE_ALL, word, 0)


@module.function
def wait_change(word: int, old: int, watched: int) -> int:
    """Wait until the word is no longer ``old``; its new value. A sleeper looks at its half
    ``watched`` (0 or 1) only."""
    tries = 0
    while atomic_load(word) == old:
        if tries >= _PAUSES + _YIELDS:
            atomic_add(shared.asleep, 1)
            sleep_on(word + watched * 4, (old >> watched * 32) & 0xFFFFFFFF)
            atomic_add(shared.asleep, -1)
        elif tries >= _PAUSES:
            sched_yield()
        else:
            pause()
        tries += 1
    return atomic_load(word)


@module.function
def signal(word: int) -> None:
    if atomic_load(shared.asleep) != 0:
        wake_all(word)


@module.function
def draw_parts() -> int:
    """Do parts of the present region until none is left; the ticket that says so.

    What the region is about is read before its ticket is taken: a ticket that is still valid then
    proves that the region has not ended in between.
    """
    while True:
        ticket = atomic_load(shared.ticket)
        part = ticket & _COUNT
        parts = (ticket >> _COUNT_BITS) & _COUNT
        if part >= parts:
            return ticket
        job = words.job
        context = words.context
        if swap_if(shared.ticket, ticket, ticket + 1) != 0:
            invoke(job, context, part, parts)
            if atomic_add(shared.pending, -1) == 1:
                signal(shared.pending)
    return 0


@module.entry
def worker(me: int) -> int:
    """A worker's life: draw parts if it is one of those that are wanted, wait for a new region."""
    while True:
        ticket = atomic_load(shared.ticket)
        if me < words.size:
            ticket = draw_parts()
        wait_change(shared.ticket, ticket, 1)
    return 0


@module.entry
def run_region(job: int, context: int, parts: int) -> None:
    """Call ``job(context, part, parts)`` for every part, in parallel where that is possible."""
    alone = parts <= 1 or words.size <= 1 or parts > MOST_PARTS
    if alone or swap_if(shared.busy, 0, 1) == 0:
        for part in range(parts):
            invoke(job, context, part, parts)
        return
    words.job = job
    words.context = context
    atomic_store(shared.pending, parts)
    region = (atomic_load(shared.ticket) >> 2 * _COUNT_BITS) + 1
    atomic_store(shared.ticket, region << 2 * _COUNT_BITS | parts << _COUNT_BITS)
    signal(shared.ticket + 4)
    draw_parts()
    left = atomic_load(shared.pending)
    while left != 0:
        left = wait_change(shared.pending, left, 0)
    atomic_store(shared.busy, 0)


@module.entry
def acquire() -> int:
    """Keep regions from starting."""
    while swap_if(shared.busy, 0, 1) == 0:
        sched_yield()
    return 0


@module.entry
def release() -> None:
    atomic_store(shared.busy, 0)


_PROCESSORS = (len(os.sched_getaffinity(0)) if _ON_LINUX else os.cpu_count()) or 1
# So many threads exist at most: more than there are processors only take turns.
_MOST = max(16, 2 * _PROCESSORS)


def _asked_at_start() -> int:
    """How many threads the surroundings ask for, if they do."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        # OpenMP takes a list, too: a number for each level of nesting.
        number = os.environ.get(name, "").partition(",")[0].strip()
        if number.isdecimal() and int(number) > 0:
            return int(number)
    return _PROCESSORS


_asked = _asked_at_start()
_wanted = min(_asked, _MOST)
_started = False


def get_size() -> int:
    """How many threads a region may use."""
    return _wanted


def check_count(name: str, number: object) -> None:
    """Raise, in the name of a function, unless this is a number of threads."""
    if type(number) is bool or not isinstance(number, int):
        raise RuntimeError(f"{name} expects an int, but got {type(number).__name__}")
    if not -(1 << 31) <= number < 1 << 31:
        raise ValueError("Overflow when unpacking long")
    if number < 1:
        raise RuntimeError(f"{name} expects a positive integer")


def get_asked() -> int:
    """How many threads were asked for."""
    return _asked


def set_size(size: int) -> None:
    """Use this many threads, the caller included, from now on."""
    global _asked, _wanted
    if size < 1:
        raise RuntimeError(f"expected a positive number of threads, got {size}")
    _asked, _wanted = size, min(size, _MOST)
    if _started:
        _start_workers()


def ensure_started() -> None:
    """Start the workers, once per process."""
    global _started
    if not _started:
        _started = True
        _start_workers()


def _start_workers() -> None:
    """Create the workers that are wanted and do not exist yet; more than wanted stay idle."""
    create = ctypes.CDLL(None).pthread_create
    create.argtypes = [ctypes.c_void_p] * 4
    entry = module.address(worker)
    lock = ctypes.CFUNCTYPE(ctypes.c_int64)(module.address(acquire))
    unlock = ctypes.CFUNCTYPE(None)(module.address(release))
    handle = ctypes.c_ulong()
    lock()
    try:
        while words.running < _wanted:
            if create(ctypes.addressof(handle), None, entry, words.running) != 0:
                break
            words.running += 1
        words.size = min(_wanted, words.running)
    finally:
        unlock()


def _forget_workers() -> None:
    """After a fork: the parent's workers do not exist here."""
    global _started
    _started = False
    words.size = words.running = 1
    for line in (shared.pending, shared.asleep, shared.busy):
        ctypes.c_int64.from_address(line).value = 0
    # nor do they draw what was left of a region
    ctypes.c_int64.from_address(shared.ticket).value &= ~(_COUNT << _COUNT_BITS | _COUNT)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)
