"""A way to watch the compiler: `explain` listens to what is compiled while it makes a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_listeners: list[Callable[[str, Any], None]] = []


def tell(kind: str, value: Any) -> None:
    """Let listeners know of an expression, an IR text or the like."""
    for listener in _listeners:
        listener(kind, value)


def is_heard() -> bool:
    """Whether anybody listens."""
    return bool(_listeners)


@contextmanager
def listening(listener: Callable[[str, Any], None]) -> Iterator[None]:
    """Call ``listener(kind, value)`` for everything told inside the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
