"""Messages from one rank to another: a ring of chunks for each pair, made with the first message.

A message is a header (tag, length) and its bytes, cut into chunks. Who receives takes messages in the order in
which they were sent, and puts those with another tag than it asks for aside.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections import deque
from datetime import timedelta
from typing import Any

from rushlight.distributed._groups.shared_memory import programs, running
from rushlight.distributed._groups.shared_memory.exchange import (
    Exchange,
    Prepared,
    Waiting,
    open_memory,
    publish_memory,
    unpublish_memory,
)
from rushlight.distributed._groups.shared_memory.layout import Layout
from rushlight.distributed._groups.shared_memory.programs import Place, Program
from rushlight.distributed._stores.base import Store
from rushlight.engine.core.errors import DistBackendError
from rushlight.engine.core.shared_memory import SharedMemory

__all__ = ["Channels"]

_DEPTH = 4
_HEADER = 64
_CHUNK = 1 << 17
# In a ring: chunks written, chunks read, whether the receiver has mapped it; then the chunks.
_WRITTEN, _READ, _OPENED, _CHUNKS = 0, 64, 128, 4096
_RING_BYTES = _CHUNKS + _DEPTH * (_HEADER + _CHUNK)
# Registers: nothing, the ring, chunks so far, the message; then the places of the ring from here on.
_RING, _COUNT, _MESSAGE, _TAG, _LENGTH, _FIRST = 1, 2, 3, 4, 5, 6
_SLICE = timedelta(seconds=1)


class _Ring:
    """A ring, seen from either end."""

    def __init__(self, memory: SharedMemory) -> None:
        self.memory, self.base = memory, memory.address
        self.lock = threading.Lock()
        # Chunks that this end has written, or read.
        self.count = 0
        # Messages that were read while another one was wanted, by tag.
        self.aside: dict[int, deque[Any]] = {}

    def word(self, at: int) -> ctypes.c_int64:
        return ctypes.c_int64.from_address(self.base + at)

    def chunk(self, number: int) -> int:
        """Where a chunk lies."""
        return self.base + _CHUNKS + number % _DEPTH * (_HEADER + _CHUNK)

    def header(self) -> tuple[int, int]:
        """Tag and length of the message whose first chunk is next."""
        at = self.chunk(self.count)
        return tuple((ctypes.c_int64 * 2).from_address(at))  # type: ignore[return-value]

    def registers(self, place: int, tag: int = 0, nbytes: int = 0) -> Any:
        chunks = [self.chunk(self.count + k) for k in range(_DEPTH)]
        return (ctypes.c_int64 * (_FIRST + _DEPTH))(
            0, self.base, self.count, place, tag, nbytes, *chunks
        )


class _Instructions(Program):
    """A program for a ring, where rounds and slots mean nothing."""

    def _begin(self) -> None:
        pass

    def add(self, operation: int, first: Place, second: Place, last: int = 0) -> None:
        """Add an instruction."""
        self._add(operation, first, second, last)


def _chunks_of(nbytes: int) -> list[tuple[int, int]]:
    return programs._chunks(nbytes, _CHUNK)


def _sending(p: _Instructions, nbytes: int, peer: int) -> None:
    for k, (at, length) in enumerate(_chunks_of(nbytes)):
        place = Place(_FIRST + k % _DEPTH)
        p.add(running.WAIT, Place(_RING, _READ), Place(_COUNT, k + 1 - _DEPTH), peer)
        if k == 0:
            p.add(running.WRITE, place, Place(_TAG))
            p.add(running.WRITE, place.after(8), Place(_LENGTH))
        p.copy(place.after(_HEADER), Place(_MESSAGE, at), length)
        p.add(running.POST, Place(_RING, _WRITTEN), Place(_COUNT, k + 1))


def _receiving(p: _Instructions, nbytes: int, peer: int) -> None:
    for k, (at, length) in enumerate(_chunks_of(nbytes)):
        place = Place(_FIRST + k % _DEPTH)
        p.add(running.WAIT, Place(_RING, _WRITTEN), Place(_COUNT, k + 1), peer)
        p.copy(Place(_MESSAGE, at), place.after(_HEADER), length)
        p.add(running.POST, Place(_RING, _READ), Place(_COUNT, k + 1))


def _coming(p: _Instructions, nbytes: int, peer: int) -> None:
    p.add(running.WAIT, Place(_RING, _WRITTEN), Place(_COUNT, 1), peer)


class Channels:
    """The rings from and to one rank.

    Args:
        store: where rings are published
        exchange: the group's, which knows who is alive
    """

    def __init__(self, store: Store, exchange: Exchange) -> None:
        self._store, self._exchange = store, exchange
        self._rank, self._size = exchange.rank, exchange.size
        self._to: dict[int, _Ring] = {}
        self._from: dict[int, _Ring] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._waiting = Waiting(self._blame)

    def _blame(self, rank: int, value: int) -> None:
        if self._closed:
            raise DistBackendError("the process group has been destroyed")
        self._exchange.check_present(rank)

    # -- rings --
    def _ring_to(self, rank: int) -> _Ring:
        with self._lock:
            ring = self._to.get(rank)
            if ring is None:
                memory = SharedMemory.with_descriptor(_RING_BYTES)
                publish_memory(self._store, f"{self._rank} to {rank}", memory)
                ring = self._to[rank] = _Ring(memory)
        memory = ring.memory
        if memory.descriptor is not None and ring.word(_OPENED).value:
            os.close(memory.descriptor)
            memory.descriptor = None
        return ring

    def _ring_from(self, rank: int, timeout: timedelta) -> _Ring:
        key = f"{rank} to {self._rank}"
        end = time.monotonic() + timeout.total_seconds()
        delay = 0.0005
        while rank not in self._from and not self._store.check([key]):
            self._blame(rank, 0)
            if time.monotonic() > end:
                raise _too_late("recv", timeout, rank)
            time.sleep(delay)
            delay = min(2 * delay, 0.02)
        return self._open(rank)

    def _open(self, rank: int) -> _Ring:
        with self._lock:
            ring = self._from.get(rank)
            if ring is None:
                key = f"{rank} to {self._rank}"
                ring = _Ring(open_memory(self._store, key, _RING_BYTES, rank))
                self._from[rank] = ring
                ring.word(_OPENED).value = 1
                unpublish_memory(self._store, key)
            return ring

    def _run(
        self, write: Any, ring: _Ring, place: int, nbytes: int, rank: int, timeout: timedelta,
        tag: int = 0,
    ) -> None:  # fmt: skip
        program = _Instructions(self._rank, Layout(self._size))
        write(program, nbytes, rank)
        prepared = Prepared.of(program, ())
        registers = ring.registers(place, tag, nbytes)
        self._waiting.run(prepared, registers, timeout, write.__name__[1:])

    # -- messages --
    def send(self, place: int, nbytes: int, rank: int, tag: int, timeout: timedelta) -> None:
        """Send bytes; returns when the last chunk has been written."""
        ring = self._ring_to(rank)
        with ring.lock:
            self._run(_sending, ring, place, nbytes, rank, timeout, tag)
            ring.count += len(_chunks_of(nbytes))

    def receive(self, place: int, nbytes: int, rank: int, tag: int, timeout: timedelta) -> None:
        """Receive the next message of a tag."""
        ring = self._ring_from(rank, timeout)
        with ring.lock:
            while not self._taken_aside(ring, place, nbytes, tag):
                self._run(_coming, ring, 0, 0, rank, timeout)
                if self._take(ring, place, nbytes, rank, tag, timeout):
                    return

    def receive_any(self, place: int, nbytes: int, tag: int, timeout: timedelta) -> int:
        """Receive the next message of a tag from anybody; who sent it."""
        others = [q for q in range(self._size) if q != self._rank]
        end = time.monotonic() + timeout.total_seconds()
        delay = 0.00005
        while True:
            for rank in others:
                key = f"{rank} to {self._rank}"
                has_written = rank in self._from or self._store.check([key])
                if has_written and self._take_if_there(rank, place, nbytes, tag, timeout):
                    return rank
            if time.monotonic() > end:
                raise _too_late("recv from any rank", timeout, None)
            time.sleep(delay)
            delay = min(2 * delay, 0.005)

    def _take_if_there(
        self, rank: int, place: int, nbytes: int, tag: int, timeout: timedelta
    ) -> bool:
        ring = self._open(rank)
        with ring.lock:
            while not self._taken_aside(ring, place, nbytes, tag):
                if ring.word(_WRITTEN).value <= ring.count:
                    return False
                if self._take(ring, place, nbytes, rank, tag, timeout):
                    return True
            return True

    def _take(
        self, ring: _Ring, place: int, nbytes: int, rank: int, tag: int, timeout: timedelta
    ) -> bool:
        """Read the next message of a ring, which has begun to come; whether it was the one wanted."""
        found, length = ring.header()
        is_wanted = found == tag
        if is_wanted and length != nbytes:
            raise DistBackendError(
                f"recv: rank {rank} sent {length} bytes, and the tensor has {nbytes}"
            )
        kept = None
        if not is_wanted:
            kept = ctypes.create_string_buffer(length)
            place = ctypes.addressof(kept)
        self._run(_receiving, ring, place, length, rank, timeout)
        ring.count += len(_chunks_of(length))
        if kept is not None:
            ring.aside.setdefault(found, deque()).append(kept)
        return is_wanted

    @staticmethod
    def _taken_aside(ring: _Ring, place: int, nbytes: int, tag: int) -> bool:
        """Take a message that was put aside, if there is one."""
        waiting = ring.aside.get(tag)
        if not waiting:
            return False
        content = waiting.popleft()
        if len(content) != nbytes:
            raise DistBackendError(f"recv: {len(content)} bytes came, and the tensor has {nbytes}")
        ctypes.memmove(place, content, nbytes)
        return True

    def close(self) -> None:
        """Let those who wait know, and let go of the rings."""
        self._closed = True
        self._to.clear()
        self._from.clear()


def _too_late(what: str, timeout: timedelta, rank: int | None) -> DistBackendError:
    whom = "" if rank is None else f" for rank {rank}"
    return DistBackendError(
        f"{what}: Timed out waiting {timeout.total_seconds() * 1000:.0f}ms{whom}"
    )
