"""Memory of a device that several processes use.

The driver hands on whole segments, by *handles* of 64 bytes; a storage is a part of one. What a process has sent
stays its own, and is not given out again before the receiver has told that it is done: each sending has a
*counter*, a word in memory of the host that both map, which is 1 until then. An event says how far the sender's
stream has to come before the receiver may look.
"""

from __future__ import annotations

import atexit
import ctypes
import threading
import warnings
import weakref
from typing import Any, NamedTuple

from rushlight.engine.core import device as devices
from rushlight.engine.core import storage as storages
from rushlight.engine.core.storage import UntypedStorage
from rushlight.engine.cuda import caching, context, driver, streams
from rushlight.engine.cuda.streams import Event, Stream
from rushlight.engine.native.forks import hold_over_fork

# So many counters are in one run of shared memory.
_COUNTERS = 512
_AGAIN = (
    "Attempted to send CUDA tensor received from another process; this is not currently supported. "
    "Consider cloning before sending."
)
_GROWS = (
    "Attempted to send a CUDA tensor in an expandable segment; the driver hands on whole allocations. Make it "
    "without expandable_segments, or in a torch.cuda.MemPool of a time without them"
)
_STILL_USED = (
    "This process ends before other processes have let go of {count} CUDA storages that it has sent them: "
    "their memory is gone with it"
)

_lock = threading.RLock()
hold_over_fork(_lock)


class Handle(NamedTuple):
    """What another process needs to get a storage; all of it can be sent.

    Args:
        device: the number of the device
        segment: the driver's handle of the segment
        offset: where the storage is in it
        nbytes: how large the storage is
        counters: memory of the host that both map
        number: which counter there is this sending's
        event: the driver's handle of the event to wait for
    """

    device: int
    segment: bytes
    offset: int
    nbytes: int
    counters: UntypedStorage
    number: int
    event: bytes

    @property
    def key(self) -> tuple[int, bytes, int]:
        """What handles of the same storage have in common."""
        return self.device, self.segment, self.offset

    def let_go(self) -> None:
        """Tell the sender that the memory is used no more."""
        self._counter.value = 0

    @property
    def is_held(self) -> bool:
        """Whether the receiver may still use the memory."""
        return self._counter.value != 0

    @property
    def _counter(self) -> ctypes.c_int64:
        return ctypes.c_int64.from_address(self.counters.data_ptr() + 8 * self.number)


class _Sent(NamedTuple):
    """What a receiver still uses: it is kept, and so is the event that the receiver waits for."""

    handle: Handle
    keeper: Any
    event: Event
    library: Any


class _Counters:
    """Where the next counter is."""

    storage: UntypedStorage | None = None
    taken = 0


_sent: list[_Sent] = []
_counters = _Counters()


def send(storage: UntypedStorage) -> Handle:
    """What another process needs to get a storage, which is kept until that process lets it go."""
    keeper = storage._keeper()
    if isinstance(keeper, Received):
        raise RuntimeError(_AGAIN)
    collect()
    index = storage.device.index or 0
    if caching.of(index).grows_at(storage._ptr):
        raise RuntimeError(_GROWS)
    context.enter(index)
    event = Event(interprocess=True)
    event.record(streams.current(index))
    start = driver.start_of_segment(storage._ptr)
    with _lock:
        counters, number = _next_counter()
        handle = Handle(
            index, driver.handle_of_memory(start), storage._ptr - start, storage.nbytes(), counters,
            number, event.ipc_handle(),
        )  # fmt: skip
        handle._counter.value = 1
        _sent.append(_Sent(handle, keeper, event, driver.library))
    return handle


def _next_counter() -> tuple[UntypedStorage, int]:
    if _counters.storage is None or _counters.taken == _COUNTERS:
        _counters.storage, _counters.taken = UntypedStorage._new_shared(8 * _COUNTERS), 0
    _counters.taken += 1
    return _counters.storage, _counters.taken - 1


def collect() -> None:
    """Let go of what was sent, where receivers are done with it."""
    with _lock:
        # What is dropped goes back to its allocator when this list ends, and the lock is free.
        before = list(_sent)
        _sent[:] = [s for s in before if s.handle.is_held and s.library is driver.library]


def forget() -> None:
    """Let go of all: the driver is gone."""
    _sent.clear()
    _counters.storage = None


class _Mapping:
    """A segment of another process; the driver lets a process have it once."""

    __slots__ = ("__weakref__", "address", "device", "library")

    def __init__(self, device: int, handle: bytes) -> None:
        self.device, self.library = device, driver.library
        self.address = driver.open_memory(handle)

    def __del__(self) -> None:
        if not hasattr(self, "address") or context.is_in_bad_fork():
            return
        if self.library is driver.library:
            context.enter(self.device)
            driver.close_memory(self.address)


_mappings: weakref.WeakValueDictionary[tuple[int, bytes], _Mapping] = weakref.WeakValueDictionary()


class Received:
    """What keeps a storage of another process: its segment, until nobody here uses the storage.

    Args:
        handle: what was sent
    """

    __slots__ = ("__weakref__", "_handle", "_mapping", "address", "device", "users")

    def __init__(self, handle: Handle) -> None:
        self.device = handle.device
        context.enter(self.device)
        with _lock:
            key = handle.device, handle.segment
            found = _mappings.get(key)
            if found is None:
                found = _mappings[key] = _Mapping(*key)
        self._mapping: _Mapping | None = found
        self.address = found.address + handle.offset
        self.users: set[Stream] = set()
        self._wait_for(handle)
        self._handle = handle
        _received.add(self)

    def _wait_for(self, handle: Handle) -> None:
        """Let the current stream go on when the sender's has come so far."""
        stream = streams.current(self.device)
        Event.of_ipc_handle(self.device, handle.event).wait(stream)
        self.users.add(stream)

    def come_again(self, handle: Handle) -> None:
        """The same storage was sent once more, with a counter and an event of its own."""
        self._wait_for(handle)
        handle.let_go()

    def record_stream(self, stream: Stream) -> None:
        """Note that a stream uses it, which is waited for before the sender gets it back."""
        self.users.add(stream)

    def give_back(self) -> None:
        """Wait for who uses it here, and tell the sender."""
        if self._mapping is None or context.is_in_bad_fork():
            return
        if self._mapping.library is driver.library:
            for stream in self.users | {streams.current(self.device)}:
                if not stream.is_capturing():
                    stream.synchronize()
        # A segment that is mapped somewhere must not go back to the driver: the sender is told last.
        self._mapping = None
        self._handle.let_go()

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self.give_back()


_received: weakref.WeakSet[Received] = weakref.WeakSet()


def receive(handle: Handle, known: Any) -> UntypedStorage:
    """The storage that was sent.

    Args:
        handle: what was sent
        known: what keeps the same memory in this process, if something does
    """
    if isinstance(known, Received):
        known.come_again(handle)
    elif known is not None:
        # This process has sent it itself.
        handle.let_go()
    keeper = Received(handle) if known is None else known
    # It never becomes larger: what is behind it is the sender's.
    where = devices.device("cuda", handle.device)
    return storages.from_pointer(keeper.address, handle.nbytes, where, keeper)


@atexit.register
def _end() -> None:
    """Give back what this process has received; say if others still have what it has sent."""
    if context.is_in_bad_fork():
        return
    for received in list(_received):
        received.give_back()
    collect()
    if _sent:
        warnings.warn(_STILL_USED.format(count=len(_sent)), stacklevel=1)


caching.when_short.append(collect)
context.when_stopped.append(forget)
