"""What a forked child inherits: no lock of a thread that it lacks, and no module that such a thread has half imported."""

from __future__ import annotations

import _imp
import importlib
import os
import sys
import threading
import time
from typing import Any

# Modules of these may be imported at any time, in any thread: what is rarely used is loaded when it is first needed.
_LOADED_LATE = ("rushlight", "llvmlite", "numpy")
# A thread that needs longer with a lock or an import may wait for something that the forking thread has.
_PATIENCE = 5.0
_locks: list[Any] = []


def hold_over_fork(lock: Any) -> None:
    """Have a lock while the process forks: what it guards is whole in the child.

    Locks that are taken while others are held must be told of first: the last that was told is taken first.
    """
    _locks.append(lock)


def _take_all() -> None:
    """Take the locks and the import lock at a time when no module is half imported.

    An import takes locks, and who has a lock imports: if either is under way, everything is given back until it has ended.
    """
    end = time.monotonic() + _PATIENCE
    while not _taken(0.05, _this_thread_imports()):
        time.sleep(0.001)
        if time.monotonic() > end:
            _taken(-1, True)
            return


def _taken(longest: float, half_imported_as_well: bool) -> bool:
    taken: list[Any] = []
    for lock in reversed(_locks):
        if not lock.acquire(timeout=longest):
            break
        taken.append(lock)
    else:
        _imp.acquire_lock()
        if half_imported_as_well or not _half_imported():
            return True
        _imp.release_lock()
    for lock in reversed(taken):
        lock.release()
    return False


def _give_back() -> None:
    _imp.release_lock()
    for lock in _locks:
        lock.release()


def _half_imported() -> bool:
    """Whether another thread is importing one of the modules, or is about to."""
    # A module's lock is taken before the module is there, and is kept until it is whole.
    held = [lock() for lock in list(importlib._bootstrap._module_locks.values())]  # type: ignore[attr-defined]
    return any(
        lock is not None
        and lock.owner not in (None, threading.get_ident())
        and lock.name.partition(".")[0] in _LOADED_LATE
        for lock in held
    )


def _this_thread_imports() -> bool:
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take_all, after_in_parent=_give_back, after_in_child=_give_back)
