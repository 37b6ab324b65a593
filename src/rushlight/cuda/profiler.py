"""When NVIDIA's profiler looks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rushlight.engine.cuda import context, driver

__all__ = ["profile", "start", "stop"]


def start() -> None:
    """Have the profiler look from now on."""
    context.enter(context.current())
    driver.call("cuProfilerStart")


def stop() -> None:
    """Have it look no more."""
    context.enter(context.current())
    driver.call("cuProfilerStop")


@contextmanager
def profile() -> Iterator[None]:
    """A block that the profiler looks at."""
    start()
    try:
        yield
    finally:
        stop()
