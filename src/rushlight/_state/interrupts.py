"""Interrupts that come at a bad time: within a block they wait until it has ended."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

_is_waiting = False


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """A block that an interrupt from the keyboard does not leave in the middle; a second one does.

    What is being compiled changes the state of its thread for a while (modes, layers, what is recorded), and an interrupt
    between two of these changes would leave them undone.
    """
    global _is_waiting
    own: Any = signal.getsignal(signal.SIGINT)
    if (
        _is_waiting
        or not callable(own)
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    came: list[Any] = []

    def wait(number: int, frame: Any) -> None:
        came.append((number, frame))
        if len(came) > 1:
            own(number, frame)

    signal.signal(signal.SIGINT, wait)
    _is_waiting = True
    try:
        yield
    finally:
        _is_waiting = False
        signal.signal(signal.SIGINT, own)
        if came:
            own(*came[0])
