"""Code that is asked for before it is needed: a thread has it compiled while Python goes on.

LLVM needs no interpreter, so on a machine with several processors the time that it takes passes unnoticed.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable

from rushlight.engine.native import observe


def compile_ahead(ask: Callable[[], object]) -> None:
    """Ask for code in a thread of its own.

    Args:
        ask: what asks for code that will be kept in memory, as an address or a plan
    """
    # Who listens hears what is compiled in the order in which it is needed.
    if (os.cpu_count() or 1) == 1 or observe.is_heard():
        return
    # There may be no more threads, as while the interpreter ends.
    with contextlib.suppress(RuntimeError):
        threading.Thread(target=_asked, args=(ask,), name="rushlight compiles ahead").start()


def _asked(ask: Callable[[], object]) -> None:
    # Who needs the code asks for it again, and gets the error.
    with contextlib.suppress(Exception):
        ask()
