"""Streams and events of any device, and those of the CPU."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any, Self

from rushlight.engine.core import work_queues
from rushlight.engine.core.device import device as Device

__all__ = ["Event", "Stream"]

_CPU = Device("cpu")
# Where the classes of a device's streams and events are made, by the type of device.
_homes: dict[str, Callable[[], tuple[type, type]]] = {}


def _class_for(device: Any, which: int) -> type:
    """The class of streams (0) or events (1) of a device, by default of the accelerator."""
    if device is None:
        from rushlight import accelerator

        kind = accelerator._kind()
        if kind is None:
            raise RuntimeError("Cannot access accelerator device when none is available.")
    else:
        kind = device.type if isinstance(device, Device) else Device(device).type
    if kind not in _homes:
        what = ("streams", "events")[which]
        raise RuntimeError(f"{kind} backend doesn't support {what}.")
    return _homes[kind]()[which]


class Stream:
    """A queue of work of a device.

    Args:
        device: whose; the accelerator's if None. On ``"cpu"`` it is worked off by a thread of its own
        priority: smaller numbers come first, where the device knows priorities
    """

    def __new__(cls, device: Any = None, *args: Any, **kwargs: Any) -> Self:
        if cls is Stream and "device_type" in kwargs:
            device = Device(_DEVICE_TYPES[kwargs["device_type"]])
        return object.__new__(_class_for(device, 0) if cls is Stream else cls)  # type: ignore[return-value]


class Event:
    """A place in a stream, for others to wait for.

    Args:
        device: of whose streams; the accelerator's if None
        enable_timing: whether the time at which it comes is kept
        blocking: whether waiting for it leaves the processor to others
        interprocess: whether other processes can wait for it
    """

    def __new__(cls, device: Any = None, *args: Any, **kwargs: Any) -> Self:
        return object.__new__(_class_for(device, 1) if cls is Event else cls)  # type: ignore[return-value]


_DEVICE_TYPES = {0: "cpu", 1: "cuda"}


class _Thread(threading.local):
    """A thread's current stream, and the blocks that have made it so."""

    current: Any = None

    def __init__(self) -> None:
        self.blocks: list[contextlib.ExitStack] = []


_thread = _Thread()


class CpuStream(Stream):
    """A queue that a thread works off; the one with the number 0 is no queue: its work is done at once."""

    def __init__(
        self, device: Any = None, *, priority: int = 0, stream_id: int | None = None,
        device_index: int = -1, device_type: int = 0,
    ) -> None:  # fmt: skip
        self.device = _CPU
        self.device_index = device_index
        self.device_type = device_type
        self.priority = priority
        self._queue: work_queues.WorkQueue | None
        if stream_id is None:
            self._queue = work_queues.from_pool()
        elif stream_id == 0:
            self._queue = None
        else:
            self._queue = work_queues.numbered(stream_id)
            if self._queue is None:
                raise RuntimeError(f"there is no stream {stream_id} of the CPU")

    @property
    def stream_id(self) -> int:
        """The number of the queue; 0 if work is done at once."""
        return 0 if self._queue is None else self._queue.number

    @property
    def native_handle(self) -> int:
        """There is nothing of the system that stands for the queue."""
        raise RuntimeError("Backend doesn't support getting stream native handle.")

    def query(self) -> bool:
        """Whether all that was queued is done."""
        return self._queue is None or self._queue.is_done()

    def synchronize(self) -> None:
        """Wait until all that was queued is done; an error of it is raised here."""
        if self._queue is not None:
            self._queue.synchronize()

    def record_event(self, event: Event | None = None) -> Event:
        """An event that comes when all that is in the stream by now is done."""
        made = CpuEvent() if event is None else event
        made.record(self)  # type: ignore[attr-defined]
        return made

    def wait_event(self, event: Event) -> None:
        """Let further work begin only when an event has come."""
        event.wait(self)  # type: ignore[attr-defined]

    def wait_stream(self, stream: Stream) -> None:
        """Let further work begin only when all that is in another stream by now is done."""
        self.wait_event(_cpu_stream(stream).record_event())

    def is_capturing(self) -> bool:
        """Work of the CPU is never captured."""
        return False

    def __enter__(self) -> CpuStream:
        _thread.blocks.append(enter(self))
        return self

    def __exit__(self, *exception: object) -> None:
        _thread.blocks.pop().close()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CpuStream) and self._queue is other._queue

    def __hash__(self) -> int:
        return hash(("cpu", self.stream_id))

    def __repr__(self) -> str:
        return f"torch.Stream device_type=cpu, device_index={self.device_index}, stream_id={self.stream_id}"


class CpuEvent(Event):
    """A place in a queue of the CPU."""

    def __init__(
        self, device: Any = None, *, enable_timing: bool = False, blocking: bool = False,
        interprocess: bool = False,
    ) -> None:  # fmt: skip
        if interprocess:
            raise NotImplementedError(
                "torch.Event: events of several processes are absent on the CPU"
            )
        self.device = _CPU
        self._timing = enable_timing
        self._mark: work_queues.Mark | None = None

    @property
    def event_id(self) -> int:
        """What tells recorded events apart; 0 before it is recorded."""
        return 0 if self._mark is None else id(self._mark)

    def record(self, stream: Stream | None = None) -> None:
        """Come when all that is in a stream by now is done; in the current one, if none is said."""
        queue = _cpu_stream(current() if stream is None else stream)._queue
        self._mark = _done() if queue is None else queue.mark()

    def wait(self, stream: Stream | None = None) -> None:
        """Let a stream's further work begin only when the event has come."""
        if self._mark is None:
            return
        queue = _cpu_stream(current() if stream is None else stream)._queue
        if queue is None:
            # Work that is done at once comes later only if its caller does.
            self._mark.wait()
        else:
            queue.wait_for(self._mark)

    def query(self) -> bool:
        """Whether it has come, or was never recorded."""
        return self._mark is None or self._mark.has_come()

    def synchronize(self) -> None:
        """Wait for it; an error of the work before it is raised here."""
        if self._mark is not None:
            self._mark.synchronize()

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this event to another one."""
        assert isinstance(end_event, CpuEvent)
        marks = [self._mark, end_event._mark]
        if None in marks:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        if not (self._timing and end_event._timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if not all(mark is not None and mark.has_come() for mark in marks):
            raise ValueError("Both events must be completed before calculating elapsed time.")
        first, last = (mark.time for mark in marks if mark is not None)
        return (last - first) * 1000

    def __repr__(self) -> str:
        return (
            f"torch.Event device_type=cpu, device_index=-1, event_flag=0, event_id={self.event_id}"
        )


def _done() -> work_queues.Mark:
    """A mark of work that is done at once."""
    mark = work_queues.Mark(work_queues.WorkQueue(0))
    mark.come()
    return mark


def _cpu_stream(stream: Any) -> CpuStream:
    """A stream as one of the CPU's; other objects stand for work that is done at once."""
    if isinstance(stream, Stream) and not isinstance(stream, CpuStream):
        raise RuntimeError(f"a stream of the CPU cannot wait for {stream!r}")
    return stream if isinstance(stream, CpuStream) else CpuStream(stream_id=0)


def current() -> Any:
    """The stream that takes this thread's work; None if nothing was chosen."""
    return _thread.current


def enter(stream: Any) -> contextlib.ExitStack:
    """Make a stream current in this thread until the result is closed."""
    found = contextlib.ExitStack()
    before = _thread.current
    found.callback(setattr, _thread, "current", before)
    _thread.current = stream
    queue = _cpu_stream(stream)._queue
    if queue is not None or _cpu_stream(before)._queue is not None:
        from rushlight._state.host_reads import HostReads
        from rushlight._state.queued_calls import QueuedCalls

        found.enter_context(QueuedCalls(queue))
        found.enter_context(HostReads(queue))
    return found


def _of_cuda() -> tuple[type, type]:
    from rushlight.cuda import streams

    return streams.Stream, streams.EventOfDevice


_homes["cpu"] = lambda: (CpuStream, CpuEvent)
_homes["cuda"] = _of_cuda
