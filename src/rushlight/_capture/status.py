"""Whether this thread is making a graph, and what programs have said of functions."""

from __future__ import annotations

import threading
from typing import Any


class Status(threading.local):
    """Whether this thread is making a graph."""

    is_capturing = False


status = Status()
# Functions that are one node of a graph, by their identity.
in_graph: dict[int, Any] = {}
# Functions that end graphs.
outside: dict[int, Any] = {}
