"""What the call that a thread is recording has done so far.

While a call is recorded, every plan and view that it makes is noted (see `step`); a call that turns
out to be nothing else can be repeated by machine code alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class Recording(threading.local):
    """The steps of the call that this thread is recording, if any."""

    steps: list[Any] | None = None
    # How often calls of this thread have warned.
    warnings = 0


recording = Recording()


def is_recorded() -> bool:
    """Whether this thread's call is being recorded: it has come before.

    Steps pay where calls repeat; for a shape that is new each time, one call of numpy costs less than
    a plan for every step.
    """
    return recording.steps is not None


def unnoted(compute: Callable[[], Any]) -> Any:
    """What a function gives, without a note of its steps: the caller notes the whole."""
    outer, recording.steps = recording.steps, None
    try:
        return compute()
    finally:
        recording.steps = outer
