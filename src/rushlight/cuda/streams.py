"""Streams and events of CUDA devices."""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight._state import streams as _of_any_device
from rushlight.cuda import _device
from rushlight.engine.core import device as devices
from rushlight.engine.cuda import context, driver
from rushlight.engine.cuda import streams as engine

__all__ = [
    "Event", "ExternalStream", "Stream", "StreamContext", "current_stream", "default_stream",
    "get_stream_from_external", "set_stream", "stream",
]  # fmt: skip


class Stream(_of_any_device.Stream):
    """A queue of a device's work.

    Args:
        device: of which one; the current one if None
        priority: smaller numbers come first
    """

    _of: engine.Stream

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        if not context.count():
            raise RuntimeError("torch.cuda.Stream requires CUDA support")
        if "stream_ptr" in kwargs:
            self._of = engine.Stream(_device.index_of(device), kwargs["stream_ptr"])
        elif "stream_id" in kwargs:
            self._of = engine.Stream(kwargs.get("device_index", 0), kwargs["stream_id"])
        else:
            self._of = engine.from_pool(_device.index_of(device), priority)

    @property
    def device(self) -> devices.device:
        return devices.device("cuda", self._of.device)

    @property
    def device_index(self) -> int:
        return self._of.device

    @property
    def cuda_stream(self) -> int:
        """The driver's handle."""
        return self._of.handle

    stream_id = cuda_stream

    @property
    def priority(self) -> int:
        return self._of.priority

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """The lowest and the highest priority."""
        context.enter(context.current())
        return driver.priority_range()

    def wait_event(self, event: Event) -> None:
        """Let further work begin only when an event has come."""
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Let further work begin only when all that is in another stream by now is done."""
        self.wait_event(stream.record_event())

    def record_event(self, event: Event | None = None) -> Event:
        """An event that comes when all that is in the stream by now is done."""
        made = Event() if event is None else event
        made.record(self)
        return made

    def query(self) -> bool:
        """Whether all that was queued is done."""
        return self._of.is_done()

    def synchronize(self) -> None:
        """Wait until all that was queued is done."""
        self._of.synchronize()

    def is_capturing(self) -> bool:
        return self._of.is_capturing()

    @property
    def _as_parameter_(self) -> Any:
        return ctypes.c_void_p(self.cuda_stream)

    def __enter__(self) -> Stream:
        self._block = StreamContext(self)
        self._block.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._block.__exit__(*exception)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self._of[:2] == other._of[:2]

    def __hash__(self) -> int:
        return hash(self._of[:2])

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class ExternalStream(Stream):
    """A queue that another library has made and keeps.

    Args:
        stream_ptr: the driver's handle
        device: whose it is
    """

    def __init__(self, stream_ptr: int, device: Any = None, **kwargs: Any) -> None:
        super().__init__(device, stream_ptr=stream_ptr)


class Event(_of_any_device.Event):
    """A place in a stream, for others to wait for.

    Args:
        enable_timing: whether the time at which it comes is kept
        blocking: whether waiting for it leaves the processor to others
        interprocess: whether other processes can wait for it; then no time is kept
        external: whether a graph that is recorded records it, or waits for it, whenever the graph runs
    """

    def __init__(
        self,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
    ) -> None:
        if not context.count():
            raise RuntimeError("Tried to instantiate dummy base class Event")
        self._of = engine.Event(enable_timing, blocking, interprocess, external)

    @classmethod
    def from_ipc_handle(cls, device: Any, handle: bytes) -> Event:
        """Another process's event.

        Args:
            device: of whose streams
            handle: what its `ipc_handle` has given
        """
        if len(handle) != 64:
            raise ValueError(f"a handle of an event has 64 bytes, but got {len(handle)}")
        made = object.__new__(cls)
        made._of = engine.Event.of_ipc_handle(_device.index_of(device), bytes(handle))
        return made

    def ipc_handle(self) -> bytes:
        """64 bytes by which another process gets the event; made on the current device if it was not recorded."""
        return self._of.ipc_handle()

    def record(self, stream: Stream | None = None) -> None:
        """Come when all that is in a stream by now is done; in the current one, if none is said."""
        self._of.record(_stream_of(stream))

    def wait(self, stream: Stream | None = None) -> None:
        """Let a stream's further work begin only when the event has come."""
        self._of.wait(_stream_of(stream))

    def query(self) -> bool:
        """Whether it has come, or was never recorded."""
        return self._of.is_done()

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this event to another one."""
        return self._of.elapsed_time(end_event._of)

    def synchronize(self) -> None:
        """Wait for it."""
        self._of.synchronize()

    @property
    def cuda_event(self) -> int:
        """The driver's handle; 0 before it is recorded."""
        return self._of.handle

    @property
    def device(self) -> devices.device | None:
        return devices.device("cuda", self._of.device) if self._of.handle else None

    def __repr__(self) -> str:
        if not self._of.handle:
            return "<torch.cuda.Event uninitialized>"
        return f"<torch.cuda.Event {self.cuda_event:#x}>"


class EventOfDevice(Event):
    """What ``torch.Event("cuda")`` makes.

    Args:
        device: of whose streams; it is that of the first stream that records it
        enable_timing: whether the time at which it comes is kept
        blocking: whether waiting for it leaves the processor to others
        interprocess: whether other processes can wait for it; then no time is kept
    """

    def __init__(
        self, device: Any = None, *, enable_timing: bool = False, blocking: bool = False,
        interprocess: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(enable_timing, blocking, interprocess)


def _stream_of(stream: Stream | None) -> engine.Stream:
    return engine.current(context.current()) if stream is None else stream._of


def over(stream: engine.Stream) -> Stream:
    """The object for one of the engine's streams."""
    made = object.__new__(Stream)
    made._of = stream
    return made


def current_stream(device: Any = None) -> Stream:
    """The stream that takes this thread's work for a device."""
    context.start()
    return over(engine.current(_device.index_of(device)))


def default_stream(device: Any = None) -> Stream:
    """The stream that takes a device's work unless another one is chosen."""
    context.start()
    return over(engine.default(_device.index_of(device)))


def get_stream_from_external(data_ptr: int, device: Any = None) -> Stream:
    """The object for a stream that another library has made and keeps."""
    return over(engine.Stream(_device.index_of(device), data_ptr))


def set_stream(stream: Stream | None) -> None:
    """Let a stream take this thread's work for its device, which becomes the current one."""
    if stream is not None:
        context.set_current(stream.device_index)
        engine.set_current(stream._of)


class StreamContext:
    """A block whose work goes to a stream; None changes nothing.

    Args:
        stream: the stream
    """

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is None:
            return
        self._device = context.current()
        self._before = engine.current(self.stream.device_index)
        self._here = engine.current(self._device)
        set_stream(self.stream)

    def __exit__(self, *exception: object) -> None:
        if self.stream is None:
            return
        engine.set_current(self._before)
        engine.set_current(self._here)
        context.set_current(self._device)


def stream(stream: Stream | None) -> StreamContext:
    """A block whose work goes to a stream."""
    return StreamContext(stream)
