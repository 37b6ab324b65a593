"""Streams and events: queues of work, and places in them that others wait for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import NamedTuple

from rushlight.engine.cuda import context, driver, launcher, notices
from rushlight.engine.native.forks import hold_over_fork

# Streams are made once and handed out in turns: programs make many, and devices have few.
POOL = 32


class Stream(NamedTuple):
    """A queue of a device; the handle is the driver's, and 0 is the default one."""

    device: int
    handle: int
    priority: int = 0

    def synchronize(self) -> None:
        """Wait until all that is in the queue is done."""
        context.enter(self.device)
        driver.synchronize_stream(self.handle)
        notices.tell("stream_synchronization", self.handle)

    def is_done(self) -> bool:
        context.enter(self.device)
        return driver.is_stream_done(self.handle)

    def is_capturing(self) -> bool:
        context.enter(self.device)
        return driver.is_capturing(self.handle)


class _Thread(threading.local):
    """Each device's current stream in a thread."""

    def __init__(self) -> None:
        self.current: dict[int, Stream] = {}


class _Pools:
    """The streams that have been made, by device and priority."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, int], list[Stream]] = {}
        self.turn: dict[tuple[int, int], int] = {}


_thread = _Thread()
_pools = _Pools()
_lock = threading.Lock()
hold_over_fork(_lock)


def forget() -> None:
    """Drop all streams: the driver that has them is gone."""
    global _pools
    _pools = _Pools()
    _thread.current = {}


def default(device: int) -> Stream:
    return Stream(device, 0)


def current(device: int) -> Stream:
    """The stream that takes this thread's work for a device."""
    found = _thread.current.get(device)
    return default(device) if found is None else found


def set_current(stream: Stream) -> None:
    """Let a stream take this thread's work for its device."""
    _thread.current[stream.device] = stream
    launcher.use_stream(stream.device, stream.handle)


def from_pool(device: int, priority: int) -> Stream:
    """A stream of a priority: one that was made, once there are as many as there may be."""
    context.enter(device)
    least, greatest = driver.priority_range()
    priority = min(max(priority, greatest), least)
    with _lock:
        key = device, priority
        made = _pools.made.setdefault(key, [])
        if len(made) < POOL:
            made.append(Stream(device, driver.create_stream(priority), priority))
            notices.tell("stream_creation", made[-1].handle)
            return made[-1]
        turn = _pools.turn.get(key, 0)
        _pools.turn[key] = turn + 1
        return made[turn % POOL]


class Event:
    """A place in a stream; it is made when it is first recorded, on the stream's device.

    Args:
        timing: whether the time at which it comes is kept
        blocking: whether waiting for it leaves the processor to others
        interprocess: whether other processes can wait for it
        external: whether a graph that is recorded records it, or waits for it, whenever the graph runs
    """

    __slots__ = ("_owner", "device", "external", "flags", "handle")

    def __init__(
        self,
        timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
    ) -> None:
        self.external = external
        self.flags = (
            (0 if timing else driver.EVENT_DISABLE_TIMING)
            | (driver.EVENT_BLOCKING_SYNC if blocking else 0)
            | (driver.EVENT_INTERPROCESS if interprocess else 0)
        )
        self.handle = 0
        self.device = -1
        # The library that has the event.
        self._owner = driver.library

    @classmethod
    def of_ipc_handle(cls, device: int, handle: bytes) -> Event:
        """Another process's event, on a device."""
        made = cls(interprocess=True)
        context.enter(device)
        made.handle, made.device = driver.open_event(handle), device
        return made

    def ipc_handle(self) -> bytes:
        """What another process gets the event by; it is made on the current device if it was never recorded."""
        if not self.flags & driver.EVENT_INTERPROCESS:
            raise RuntimeError("ipc_handle() needs an event that was made with interprocess=True")
        self.make(context.current() if self.device < 0 else self.device)
        return driver.handle_of_event(self.handle)

    def make(self, device: int) -> None:
        """Have the driver make it on a device, if it has not."""
        context.enter(device)
        if not self.handle:
            self.handle, self.device = driver.create_event(self.flags), device
            notices.tell("event_creation", self.handle)

    def record(self, stream: Stream) -> None:
        """Come when all that is in a stream by now is done."""
        if self.handle and self.device != stream.device:
            raise RuntimeError(
                f"Event device cuda:{self.device} does not match recording stream's device "
                f"cuda:{stream.device}."
            )
        self.make(stream.device)
        if self.external and stream.is_capturing():
            driver.record_external_event(self.handle, stream.handle)
        else:
            driver.record_event(self.handle, stream.handle)
        notices.tell("event_record", self.handle, stream.handle)

    def wait(self, stream: Stream) -> None:
        """Let a stream's further work begin only when the event has come."""
        if self.handle:
            context.enter(stream.device)
            is_outside = self.external and stream.is_capturing()
            driver.wait_event(stream.handle, self.handle, driver.EXTERNAL if is_outside else 0)
            notices.tell("event_wait", self.handle, stream.handle)

    def is_done(self) -> bool:
        if not self.handle:
            return True
        context.enter(self.device)
        return driver.is_event_done(self.handle)

    def synchronize(self) -> None:
        """Wait for the event; one that was never recorded has come."""
        if self.handle:
            context.enter(self.device)
            driver.synchronize_event(self.handle)
            notices.tell("event_synchronization", self.handle)

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this event to a later one."""
        for event in (self, end):
            if event.flags & driver.EVENT_DISABLE_TIMING:
                raise ValueError("Both events must be created with argument 'enable_timing=True'.")
            if not event.handle:
                raise ValueError("Both events must be recorded before calculating elapsed time.")
        for event in (self, end):
            if not event.is_done():
                raise ValueError("Both events must be completed before calculating elapsed time.")
        return driver.elapsed_time(self.handle, end.handle)

    def __del__(self, is_over: Callable[[], bool] = sys.is_finalizing) -> None:
        # A default, because modules may be gone when the interpreter ends.
        if is_over() or not self.handle or context.is_in_bad_fork():
            return
        if self._owner is driver.library:
            driver.destroy_event(self.handle)
            notices.tell("event_deletion", self.handle)
