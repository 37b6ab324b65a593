"""Carries calls between machines, as messages of MPI.

An object goes out as a head with the sizes of its parts, and then the parts. One thread of each process receives all of
them: MPI knows no wait that takes no processor, so it looks, and looks less often while nothing comes.
"""

from __future__ import annotations

import contextlib
import functools
import struct
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from queue import Empty, SimpleQueue
from typing import Any

from rushlight.distributed._groups import mpi
from rushlight.distributed.rpc import wire

__all__ = ["MPIChannel", "MPIMessages"]

# Which way an object goes is the tag of its messages.
_REQUEST, _ANSWER = 0, 1
_SHORTEST_REST, _LONGEST_REST = 1e-5, 5e-4
# What MPI counts the bytes of a message with.
_MOST_BYTES = (1 << 31) - 1


@functools.cache
def _communicator() -> Any:
    """What carries nothing but calls; it is there for as long as the process."""
    found = mpi.module()
    if found.Query_thread() < found.THREAD_MULTIPLE:
        raise RuntimeError("init_rpc: calls between machines need an MPI with MPI_THREAD_MULTIPLE")
    return found.COMM_WORLD.Dup()


class MPIMessages:
    """Messages from and to all processes that MPI has started; a process's rank is that of MPI."""

    def __init__(self) -> None:
        self._mpi, self._world = mpi.module(), _communicator()
        self._arrived: defaultdict[tuple[int, int], SimpleQueue[Any]] = defaultdict(SimpleQueue)
        self._lock = threading.Lock()
        self._opened: SimpleQueue[MPIChannel | None] = SimpleQueue()
        self._known: set[int] = set()
        self._is_open = True
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def accept(self) -> MPIChannel:
        """A channel to the next process that asks for the first time."""
        found = self._opened.get()
        if found is None:
            raise EOFError("no more calls are taken")
        return found

    def connect(self, rank: int) -> MPIChannel:
        """A channel to another process."""
        return MPIChannel(self, rank, _REQUEST, _ANSWER)

    def send(self, rank: int, tag: int, number: int, parts: wire.Parts) -> None:
        """Send an object under a number. One at a time goes to a process with a tag."""
        pieces = [parts.body, *parts.buffers]
        sizes = [len(piece) for piece in pieces]
        head = struct.pack(f"<{1 + len(sizes)}Q", number, *sizes)
        self._transfer(self._world.Isend, (head, *pieces), rank, tag)

    def _transfer(self, begin: Any, pieces: Iterable[Any], rank: int, tag: int) -> None:
        """Send or receive pieces of memory, in parts that MPI can count, and wait until that is done.

        Args:
            begin: `Isend` or `Irecv`
            pieces: the memory
            rank: who is at the other side
            tag: which way the object goes
        """
        requests = []
        for piece in pieces:
            view = memoryview(piece)
            for start in range(0, len(view), _MOST_BYTES):
                part = view[start : start + _MOST_BYTES]
                requests.append(begin([part, self._mpi.BYTE], rank, tag))
        rest = _SHORTEST_REST
        while not self._mpi.Request.Testall(requests):
            time.sleep(rest)
            rest = min(2 * rest, _LONGEST_REST)

    def _read(self) -> None:
        status, rest = self._mpi.Status(), _SHORTEST_REST
        while self._is_open:
            message = self._world.Improbe(status=status)
            if message is None:
                time.sleep(rest)
                rest = min(rest * 1.2, _LONGEST_REST)
                continue
            rest = _SHORTEST_REST
            head = bytearray(status.Get_count(self._mpi.BYTE))
            message.Recv([head, self._mpi.BYTE])
            self._take(status.source, status.tag, head)

    def _take(self, rank: int, tag: int, head: bytearray) -> None:
        """Receive what a head announces, and hand it to whoever waits for it."""
        number, body_size, *sizes = struct.unpack(f"<{len(head) // 8}Q", head)
        body, buffers = bytearray(body_size), wire.room(sizes)
        self._transfer(self._world.Irecv, (body, *buffers), rank, tag)
        if tag == _REQUEST and rank not in self._known:
            self._known.add(rank)
            self._opened.put(MPIChannel(self, rank, _ANSWER, _REQUEST))
        self.arrived(rank, tag).put((number, wire.Parts(body, buffers)))

    def arrived(self, rank: int, tag: int) -> Any:
        """What comes from a process with a tag; None at the end."""
        with self._lock:
            return self._arrived[rank, tag]

    def close(self) -> None:
        """Receive no more; whoever waits is told."""
        self._is_open = False
        self._reader.join()
        self._opened.put(None)
        for queue in list(self._arrived.values()):
            queue.put(None)


class MPIChannel:
    """Objects to and from one process.

    Args:
        messages: carries them
        rank: the process
        out: the tag of what goes there
        back: the tag of what comes from there
    """

    def __init__(self, messages: MPIMessages, rank: int, out: int, back: int) -> None:
        self._messages, self._rank, self._out = messages, rank, out
        self._arrived = messages.arrived(rank, back)
        # What `wait` has found.
        self._next: list[Any] = []

    def send(self, number: int, parts: wire.Parts) -> None:
        """Send an object under a number."""
        self._messages.send(self._rank, self._out, number, parts)

    def wait(self, seconds: float) -> bool:
        """Wait until something comes, or the end; whether it has."""
        if not self._next:
            with contextlib.suppress(Empty):
                self._next.append(self._arrived.get(timeout=seconds))
        return bool(self._next)

    def receive(self) -> tuple[int, wire.Parts]:
        """The next object and its number; raises EOFError when there will be none."""
        found = self._next.pop() if self._next else self._arrived.get()
        if found is None:
            raise EOFError
        number, parts = found
        return int(number), parts

    def close(self) -> None:
        """What waits for something to come waits no more."""
        self._arrived.put(None)
