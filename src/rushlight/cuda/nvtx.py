"""Marks and ranges for NVIDIA's profiler, by its library; without the library they change nothing."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.engine.cuda import context, libraries

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]

_depth = [0]


def _call(name: str, *arguments: Any, result: Any = ctypes.c_int) -> Any:
    """What a function of the library gives; None without the library."""
    if not context.count():
        raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")
    library = libraries.find("nvtx")
    if library is None:
        return None
    function = getattr(library, name)
    function.restype = result
    return function(*arguments)


def _text(message: str) -> Any:
    return ctypes.c_char_p(str(message).encode())


def range_push(msg: str) -> int:
    """Begin a range within the last one that was begun; how many it is in."""
    given = _call("nvtxRangePushA", _text(msg))
    _depth[0] += 1
    return _depth[0] - 1 if given is None else int(given)


def range_pop() -> int:
    """End the last range that was begun; how many it was in."""
    given = _call("nvtxRangePop")
    _depth[0] = max(0, _depth[0] - 1)
    return _depth[0] if given is None else int(given)


def range_start(msg: str) -> int:
    """Begin a range that any thread may end; its number."""
    return int(_call("nvtxRangeStartA", _text(msg), result=ctypes.c_uint64) or 0)


def range_end(range_id: int) -> None:
    """End a range."""
    _call("nvtxRangeEnd", ctypes.c_uint64(range_id))


def mark(msg: str) -> None:
    """A point in time."""
    _call("nvtxMarkA", _text(msg))


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A block as a range; the message is a format for the arguments."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
