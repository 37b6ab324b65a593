"""Processes that end when the one that started them is gone."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

__all__ = ["end_with_parent", "started"]

_T = TypeVar("_T")

_SET_SIGNAL_AT_PARENT_DEATH = 1  # PR_SET_PDEATHSIG of linux/prctl.h
# looked up here, as a child between fork and exec had better load no library
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def end_with_parent(number: signal.Signals, parent: int | None = None) -> None:
    """Have this process get a signal when its parent ends, however that ends; Linux has this.

    The system takes the thread that started this process for the parent; `started` has one that lives as long as its process.

    Args:
        number: the signal
        parent: the parent's number in the system, if it is known: it may be gone already
    """
    if _prctl is None:
        return
    _prctl(_SET_SIGNAL_AT_PARENT_DEATH, number)
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), number)


class _Starter(threading.Thread):
    """A thread that starts processes, and lives as long as this one."""

    def __init__(self) -> None:
        super().__init__(name="starter of processes", daemon=True)
        self._asked: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()

    def ask(self, start: Callable[[], _T]) -> _T:
        """What a function gives that this thread calls."""
        found: Future[_T] = Future()
        self._asked.put((found, start))
        return found.result()

    def run(self) -> None:
        while True:
            found, start = self._asked.get()
            try:
                found.set_result(start())
            except BaseException as error:
                # it is the caller's
                found.set_exception(error)


_lock = threading.Lock()
_starter: _Starter | None = None


def started(start: Callable[[], _T]) -> _T:
    """Start a process that ends with this one, not already with the thread that calls this.

    Args:
        start: starts the process; what it gives is the result
    """
    global _starter
    if threading.current_thread() is threading.main_thread():
        return start()
    with _lock:
        # it has not come along into a forked child
        if _starter is None or not _starter.is_alive():
            _starter = _Starter()
            _starter.start()
    return _starter.ask(start)
