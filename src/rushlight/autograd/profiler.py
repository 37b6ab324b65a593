"""Names for parts of a program, for profilers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rushlight._names.absent import absent_class
from rushlight.autograd.grad_mode import Decorating

__all__ = ["listeners", "record_function"]

# Called with (name, arguments, start, end) for each block that ends; times are in nanoseconds.
listeners: list[Callable[[str, str | None, int, int], None]] = []


class record_function(Decorating):
    """A block, or a function, with a name.

    Args:
        name: the name
        args: a text that goes with it
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args

    def clone(self) -> record_function:
        return record_function(self.name, self.args)

    def __enter__(self) -> Any:
        self._start = time.perf_counter_ns()
        return self

    def __exit__(self, *exception: object) -> None:
        end = time.perf_counter_ns()
        for listener in list(listeners):
            listener(self.name, self.args, self._start, end)


def __getattr__(name: str) -> Any:
    """The profiler of the older namespace, and what it gives; it listens to this module."""
    if name == "profile":
        from rushlight.profiler._older import profile

        return profile
    if name in ("EventList", "FunctionEvent", "FunctionEventAvg"):
        from rushlight.autograd import profiler_util

        return getattr(profiler_util, name)
    if name == "emit_nvtx":
        return absent_class(__name__, name, "profiler of a GPU")
    raise AttributeError(f"module 'rushlight.autograd.profiler' has no attribute '{name}'")
