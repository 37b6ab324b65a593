"""What happens in the runtime, for whoever wants to know: memory, streams, events, and who waits for whom.

While somebody listens, everything is asked for in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.cuda import launcher

__all__ = ["KINDS", "are_heard", "listen", "tell", "when_heard"]

# What is told, and what comes with it.
KINDS = {
    "event_creation": "an event", "event_deletion": "an event", "event_record": "an event and a stream",
    "event_wait": "an event and a stream", "event_synchronization": "an event",
    "memory_allocation": "an address", "memory_deallocation": "an address and a number of bytes", "stream_creation": "a stream",
    "stream_synchronization": "a stream", "device_synchronization": "a device's number",
}  # fmt: skip
_listeners: dict[str, list[Callable[..., Any]]] = {}
# What is done when the first one begins to listen, and when the last one has stopped.
when_heard: list[Callable[[], None]] = []


def are_heard() -> bool:
    """Whether somebody listens."""
    return bool(_listeners)


def listen(kind: str, function: Callable[..., Any]) -> Callable[[], None]:
    """Call a function whenever something of a kind happens; gives what stops that."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is none of {', '.join(KINDS)}")
    if not _listeners:
        launcher.hold()
    _listeners.setdefault(kind, []).append(function)
    _changed()

    def stop() -> None:
        _listeners[kind].remove(function)
        if not _listeners[kind]:
            del _listeners[kind]
        if not _listeners:
            launcher.let_go()
        _changed()

    return stop


def _changed() -> None:
    for step in when_heard:
        step()


def tell(kind: str, *facts: int) -> None:
    """Tell those who listen that something has happened."""
    for function in tuple(_listeners.get(kind, ())):
        function(*facts)
