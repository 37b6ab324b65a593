"""Processes that end when the one that started them is gone."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

__all__ = ["end_with_parent"]

_SET_SIGNAL_AT_PARENT_DEATH = 1  # PR_SET_PDEATHSIG of linux/prctl.h
# looked up here, as a child between fork and exec had better load no library
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def end_with_parent(number: signal.Signals, parent: int | None = None) -> None:
    """Have this process get a signal when its parent ends, however that ends; Linux has this.

    The thread that started this process counts as the parent: it must live as long.

    Args:
        number: the signal
        parent: the parent's number in the system, if it is known: it may be gone already
    """
    if _prctl is None:
        return
    _prctl(_SET_SIGNAL_AT_PARENT_DEATH, number)
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), number)
