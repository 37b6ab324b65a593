"""The processor and its memory: what tensors use of it and how much they may."""

from __future__ import annotations

import contextlib
from typing import Any

from rushlight.engine.native import memory

__all__ = [
    "Stream",
    "StreamContext",
    "current_device",
    "current_stream",
    "device_count",
    "empty_cache",
    "get_memory_cap",
    "is_available",
    "is_initialized",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_peak_memory_stats",
    "set_device",
    "set_memory_cap",
    "stream",
    "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Whether there is a processor."""
    return True


def is_initialized() -> bool:
    """Whether the processor is ready."""
    return True


def device_count() -> int:
    """How many processors tensors can be on."""
    return 1


def current_device() -> str:
    """The name of the processor."""
    return "cpu"


def set_device(device: Any) -> None:
    """There is one processor, so this changes nothing."""


def synchronize(device: Any = None) -> None:
    """Calls on the processor are done when they return, so there is nothing to wait for."""


class Stream:
    """A queue of work; on the processor calls are done at once."""

    def __init__(self, priority: int = -1) -> None:
        self.priority = priority

    def wait_stream(self, stream: Stream) -> None:
        """Nothing is ever pending."""

    def record_event(self) -> None:
        """Nothing is ever pending."""

    def wait_event(self, event: Any) -> None:
        """Nothing is ever pending."""


_stream = Stream()


def current_stream(device: Any = None) -> Stream:
    """The queue that work is put into."""
    return _stream


class StreamContext(contextlib.nullcontext[Any]):
    """A block in which a stream is current."""

    def __init__(self, stream: Stream | None) -> None:
        super().__init__(stream)


def stream(stream: Stream | None) -> StreamContext:
    """A block in which the stream is current."""
    return StreamContext(stream)


# -- memory --


def memory_allocated(device: Any = None) -> int:
    """The bytes that tensors hold now."""
    return memory.words.current


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that tensors held since the last `reset_peak_memory_stats`."""
    return memory.words.peak


def memory_reserved(device: Any = None) -> int:
    """The bytes that tensors hold and those kept for the next ones."""
    return memory.words.current + memory.words.cached


def reset_peak_memory_stats(device: Any = None) -> None:
    """Count the peak from now on."""
    memory.words.peak = memory.words.current


def memory_stats(device: Any = None) -> dict[str, int]:
    """All that the allocator counts."""
    words = memory.words
    return {
        "allocated_bytes.all.current": words.current,
        "allocated_bytes.all.peak": words.peak,
        "cached_bytes.all.current": words.cached,
        "reserved_bytes.all.current": words.current + words.cached,
        "allocation.all.allocated": words.allocations,
        "allocation.all.freed": words.frees,
        "allocation.all.current": words.allocations - words.frees,
        "cap_bytes": words.cap,
    }


def empty_cache() -> None:
    """Give memory that no tensor holds back to the system."""
    memory.release()


def set_memory_cap(nbytes: int | None) -> None:
    """Let tensors hold at most this many bytes; None for no limit.

    A request beyond the cap raises `OutOfMemoryError` and changes nothing.
    """
    if nbytes is not None and nbytes <= 0:
        raise ValueError(f"a memory cap must be positive, got {nbytes}")
    memory.words.cap = nbytes or 0


def get_memory_cap() -> int | None:
    """The cap that `set_memory_cap` chose."""
    return memory.words.cap or None


def __getattr__(name: str) -> Any:
    """A module below this one, imported when it is asked for."""
    if name == "amp":
        import importlib

        return importlib.import_module("rushlight.cpu.amp")
    raise AttributeError(f"module 'rushlight.cpu' has no attribute '{name}'")
