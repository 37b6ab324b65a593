"""Which devices there are, which one a thread is on, and the start of it all."""

from __future__ import annotations

import ctypes
import os
import threading
from functools import cache
from typing import Any

from rushlight.engine.core.errors import AcceleratorError
from rushlight.engine.cuda import driver, launcher, notices
from rushlight.engine.native.forks import hold_over_fork

IN_CHILD = (
    "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use "
    "the 'spawn' start method"
)
NO_DRIVER = (
    "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver "
    "from http://www.nvidia.com/Download/index.aspx"
)


class _Started:
    """What is known once the driver has been started."""

    def __init__(self) -> None:
        self.count = driver.initialise()
        self.handles = [driver.device(k) for k in range(self.count)]
        self.contexts: list[int | None] = [None] * self.count
        # Pairs of devices of which the first one uses the second one's memory by itself, if it can.
        self.reached: set[tuple[int, int]] = set()
        self.process = os.getpid()


class _Thread(threading.local):
    """The device that a thread works on; whose context the driver has for it is in its place (`launcher`)."""

    current = 0


_started: _Started | None = None
_lock = threading.RLock()
hold_over_fork(_lock)
thread = _Thread()
# What is to be done once there is a device: called after the start, or at once if that is over.
when_started: list[Any] = []
# What is to be done when another driver may come: its kernels are known by other numbers.
when_stopped: list[Any] = []


def is_started() -> bool:
    return _started is not None and _started.process == os.getpid()


def is_in_bad_fork() -> bool:
    """Whether this is a child of a process that has used a device."""
    return _started is not None and _started.process != os.getpid()


def start() -> _Started:
    """Start the driver, if it has not been started; raises where there is none."""
    global _started
    if _started is None or _started.process != os.getpid():
        if is_in_bad_fork():
            raise RuntimeError(IN_CHILD)
        with _lock:
            if _started is None:
                if driver.find() is None:
                    raise AssertionError("Torch not compiled with CUDA enabled")
                _started = _Started()
                if not _started.count:
                    _started = None
                    raise RuntimeError("No CUDA GPUs are available")
                for step in when_started:
                    step()
    assert _started is not None
    return _started


def stop() -> None:
    """Forget the driver, so that another one may be used: for tests."""
    global _started
    _started = None
    thread.current = 0
    launcher.recent.clear()
    launcher.forget()
    for step in when_stopped:
        step()
    properties.cache_clear()


def count() -> int:
    """How many devices there are; none without a driver."""
    if _started is not None:
        return _started.count
    if driver.find() is None:
        return 0
    try:
        return driver.initialise()
    except AcceleratorError:
        # A driver whose devices are gone: PyTorch says 0, too.
        return 0


def current() -> int:
    """The number of the device that this thread is on."""
    start()
    return thread.current


def number_of_thread() -> int:
    """The number of the device that this thread is on, be the driver started or not."""
    return thread.current


def check(index: int) -> None:
    """Raise for the number of a device that is not there."""
    there = start().count
    if not 0 <= index < there:
        raise AcceleratorError(
            f"CUDA error: invalid device ordinal: device {index} was asked for, and there "
            f"{'is one device' if there == 1 else f'are {there} devices'}"
        )


def set_current(index: int) -> None:
    """Let this thread work on another device."""
    check(index)
    thread.current = index


def enter(index: int) -> None:
    """See to it that what this thread asks of the driver next is about a device."""
    started = start()
    if launcher.entered() == index:
        return
    check(index)
    driver.set_context(_context(started, index))
    launcher.enter(index)


def handle(index: int) -> Any:
    """The driver's handle of a device, as its functions take it."""
    check(index)
    return ctypes.c_int(start().handles[index])


def _context(started: _Started, index: int) -> int:
    """A device's context, made when it is first asked for."""
    context = started.contexts[index]
    if context is None:
        with _lock:
            context = started.contexts[index] = driver.primary_context(started.handles[index])
            launcher.know_context(index, context, driver.entry_point("cuCtxSetCurrent"))
    return context


def reach(index: int, other: int) -> None:
    """Let a device use another one's memory without the host between, if it can; this thread is on it then."""
    enter(index)
    started = start()
    if (index, other) not in started.reached:
        if driver.can_access_peer(started.handles[index], started.handles[other]):
            driver.reach_peer(_context(started, other))
        started.reached.add((index, other))


def synchronize(index: int) -> None:
    """Wait for all that a device was asked to do."""
    enter(index)
    driver.synchronize_context()
    notices.tell("device_synchronization", index)


class on:
    """A block in which this thread works on a device; -1 changes nothing."""

    __slots__ = ("_index", "_previous")

    def __init__(self, index: int) -> None:
        self._index = index

    def __enter__(self) -> None:
        self._previous = thread.current
        if self._index >= 0:
            set_current(self._index)

    def __exit__(self, *exception: object) -> None:
        thread.current = self._previous


@cache
def properties(index: int) -> dict[str, Any]:
    """What the driver says about a device."""
    started = start()
    check(index)
    handle = started.handles[index]
    found: dict[str, Any] = {name: driver.attribute(handle, name) for name in driver.ATTRIBUTES}
    found["name"] = driver.device_name(handle)
    found["total_memory"] = driver.total_memory(handle)
    found["uuid"] = driver.device_uuid(handle)
    return found


def architecture(index: int) -> str:
    """What compilers call a device's processor."""
    found = properties(index)
    return f"sm_{found['major']}{found['minor']}"
