"""The processor and its memory: what tensors use of it and how much they may."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import re
import types
from collections.abc import Callable, Mapping
from typing import Any

from rushlight._state import streams
from rushlight.engine.core import work_queues
from rushlight.engine.native import memory

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "current_device",
    "current_stream",
    "device_count",
    "empty_cache",
    "get_capabilities",
    "get_memory_cap",
    "is_available",
    "is_initialized",
    "launch_host_function",
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


# What LLVM calls features in another way than PyTorch.
_RENAMED = {"fma": "fma3", "sse4.1": "sse4_1", "sse4.2": "sse4_2", "avxneconvert": "avx_ne_convert"}


@functools.cache
def get_capabilities() -> Mapping[str, Any]:
    """What the processor is, and which features of it there are."""
    from llvmlite import binding

    found: dict[str, Any] = {}
    for name, there in binding.get_host_cpu_features().items():
        shown = _RENAMED.get(name, name).replace("-", "_")
        found[
            re.sub(r"^(avx512|avxvnni)(?=[a-z\d])", r"\1_", shown).replace("avxvnni", "avx_vnni")
        ] = there
    found["architecture"] = platform.machine()
    found["cpu_name"] = binding.get_host_cpu_name()
    found["num_logical_cores"] = os.cpu_count()
    return types.MappingProxyType(found)


def synchronize(device: Any = None) -> None:
    """Wait for all work of streams that `torch.Stream(device="cpu")` has made; other calls are done when they return.

    An error of that work is raised here.
    """
    work_queues.synchronize_all()


class Stream:
    """A stream whose work is done at once; `torch.Stream(device="cpu")` makes one with a thread of its own."""

    def __init__(self, priority: int = -1) -> None:
        self.priority = priority

    def wait_stream(self, stream: Any) -> None:
        """Further work begins when that of another stream is done: that of a thread is waited for."""
        if isinstance(stream, streams.CpuStream):
            stream.record_event().wait(self)  # type: ignore[attr-defined]

    def record_event(self) -> None:
        """Nothing is ever pending."""

    def wait_event(self, event: Any) -> None:
        """Further work begins when an event has come."""
        if isinstance(event, streams.CpuEvent):
            event.wait(self)  # type: ignore[arg-type]


class Event:
    """A place in work that is done at once: it has always come."""

    def query(self) -> bool:
        """Whether it has come."""
        return True

    def record(self, stream: Any = None) -> None:
        """Nothing is ever pending."""

    def synchronize(self) -> None:
        """Nothing is ever pending."""

    def wait(self, stream: Any = None) -> None:
        """Nothing is ever pending."""


_stream = Stream()


def current_stream(device: Any = None) -> Any:
    """The stream that takes this thread's work."""
    found = streams.current()
    return _stream if found is None else found


class StreamContext(contextlib.AbstractContextManager[None]):
    """A block whose work goes to a stream; None changes nothing.

    Args:
        stream: the stream
    """

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self._blocks: list[contextlib.ExitStack] = []

    def __enter__(self) -> None:
        if self.stream is not None:
            self._blocks.append(streams.enter(self.stream))

    def __exit__(self, *exception: object) -> None:
        if self.stream is not None:
            self._blocks.pop().close()


def stream(stream: Any) -> StreamContext:
    """A block whose work goes to a stream."""
    return StreamContext(stream)


def launch_host_function(stream: Any, function: Callable[..., Any], *args: Any) -> None:
    """Have a stream's thread call a function when all that is in the stream by now is done.

    Args:
        stream: where it is queued; on a stream that does work at once it is called now
        function: what is called. What it raises comes with the next call that waits for the stream
        args: what it is called with
    """
    queue = getattr(stream, "_queue", None)
    if queue is None:
        function(*args)
    else:
        queue.put(functools.partial(function, *args))


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
