"""Names for parts of a program, for profilers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rushlight.autograd.grad_mode import Decorating

__all__ = ["listeners", "record_function"]

# Called with (name, arguments, start, end) for each block that ends; times are in nanoseconds.
listeners: list[Callable[[str, str | None, int, int], None]] = []
# How many `emit_nvtx` blocks there are, in which blocks are ranges for NVIDIA's profiler as well.
with_ranges = 0


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
        self._range = _range(self.name) if with_ranges else None
        return self

    def __exit__(self, *exception: object) -> None:
        end = time.perf_counter_ns()
        if self._range is not None:
            self._range.__exit__(*exception)
        for listener in list(listeners):
            listener(self.name, self.args, self._start, end)


def _range(name: str) -> Any:
    """A range for NVIDIA's profiler, which has begun."""
    from rushlight.cuda import nvtx

    made = nvtx.range("{}", name)
    made.__enter__()
    return made


def __getattr__(name: str) -> Any:
    """The profiler of the older namespace, and what it gives; it listens to this module."""
    if name in ("profile", "emit_nvtx"):
        from rushlight.profiler import _older

        return getattr(_older, name)
    if name in ("EventList", "FunctionEvent", "FunctionEventAvg", "Kernel"):
        from rushlight.autograd import profiler_util

        return getattr(profiler_util, name)
    raise AttributeError(f"module 'rushlight.autograd.profiler' has no attribute '{name}'")
