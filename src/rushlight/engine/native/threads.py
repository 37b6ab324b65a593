"""The thread pool: workers that run machine code only and never touch Python.

A region hands every worker the same job; each does its part, and the caller does part 0. Waiting
is a bounded spin, then sleep in the kernel. One region runs at a time: a caller who finds the pool
busy does all parts alone, so nesting and many calling threads are safe. Workers are started on
first use and again in a forked child, where the parent's do not exist.
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

# The threads that may take part, the threads that exist (callers count as one), the present region.
words = Words("size", "running", "job", "context", "parts")
words.size = words.running = 1

# Words that threads wait on have a cache line each.
_lines = lasting(32)
_base = (ctypes.addressof(_lines) + 63) & -64
shared = Words("generation", "pending", "asleep", "busy")
shared.generation, shared.pending, shared.asleep, shared.busy = range(_base, _base + 256, 64)

_PAUSES = 100
_YIELDS = 50
_FUTEX = 98 if platform.machine() in ("aarch64", "arm64") else 202
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
        syscall(_FUTEX, word, _FUTEX_WAIT_PRIVATE, old, 0, 0, 0)

    @module.function
    def wake_all(word: int) -> None:
        syscall(_FUTEX, word, _FUTEX_WAKE_PRIVATE, 2147483647, 0, 0, 0)

else:

    @module.function
    def sleep_on(word: int, old: int) -> None:
        ulock_wait(_ULOCK_COMPARE_AND_WAIT, word, old, 0)

    @module.function
    def wake_all(word: int) -> None:
        ulock_wake(_ULOCK_WAKE_ALL, word, 0)


@module.function
def wait_change(word: int, old: int) -> int:
    """Wait until the word is no longer ``old``; its new value."""
    tries = 0
    while atomic_load(word) == old:
        if tries >= _PAUSES + _YIELDS:
            atomic_add(shared.asleep, 1)
            sleep_on(word, old)
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
def worker(start: int) -> int:
    """A worker's life: wait for a region, do its part if there is one for it, count down.

    ``start`` packs the worker's number and the last region that it has nothing to do with.
    """
    me = start & 0xFFFF
    generation = start >> 16
    while True:
        generation = wait_change(shared.generation, generation)
        if me < words.parts:
            invoke(words.job, words.context, me, words.parts)
        atomic_add(shared.pending, -1)
        signal(shared.pending)
    return 0


@module.function
def run_region(job: int, context: int, parts: int) -> None:
    """Call ``job(context, part, parts)`` for every part, in parallel where that is possible."""
    if parts <= 1 or parts > words.size or swap_if(shared.busy, 0, 1) == 0:
        for part in range(parts):
            invoke(job, context, part, parts)
        return
    words.job = job
    words.context = context
    words.parts = parts
    atomic_store(shared.pending, words.running - 1)
    atomic_add(shared.generation, 1)
    signal(shared.generation)
    invoke(job, context, 0, parts)
    left = atomic_load(shared.pending)
    while left != 0:
        left = wait_change(shared.pending, left)
    atomic_store(shared.busy, 0)


@module.function
def acquire() -> int:
    """Keep regions from starting; the number of the last one."""
    while swap_if(shared.busy, 0, 1) == 0:
        sched_yield()
    return atomic_load(shared.generation)


@module.function
def release() -> None:
    atomic_store(shared.busy, 0)


_MOST = 1024
_wanted = max(1, min(len(os.sched_getaffinity(0)) if _ON_LINUX else os.cpu_count() or 1, _MOST))
_started = False


def get_size() -> int:
    """How many threads a region may use."""
    return _wanted


def set_size(size: int) -> None:
    """Use this many threads, the caller included, from now on."""
    global _wanted
    if size < 1:
        raise RuntimeError(f"expected a positive number of threads, got {size}")
    _wanted = min(size, _MOST)
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
    generation = lock()
    try:
        while words.running < _wanted:
            start = words.running | generation << 16
            if create(ctypes.addressof(handle), None, entry, start) != 0:
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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)
