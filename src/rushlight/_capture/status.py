"""Whether this thread is making a graph, and what programs have said of functions."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any


class Status(threading.local):
    """Whether this thread is making a graph."""

    is_capturing = False
    # Whether it is exporting a program.
    is_exporting = False


status = Status()
# The threads that are making graphs: mostly none, and then no thread has to look whether it is one.
under_way: set[int] = set()


@contextlib.contextmanager
def making_a_graph() -> Iterator[None]:
    """Within the block this thread makes a graph."""
    ident = threading.get_ident()
    under_way.add(ident)
    status.is_capturing = True
    try:
        yield
    finally:
        status.is_capturing = False
        under_way.discard(ident)


@contextlib.contextmanager
def exporting() -> Iterator[None]:
    """Within the block this thread exports a program."""
    before, status.is_exporting = status.is_exporting, True
    try:
        yield
    finally:
        status.is_exporting = before


# Functions that are one node of a graph, by their identity.
in_graph: dict[int, Any] = {}
# Functions that end graphs.
outside: dict[int, Any] = {}
