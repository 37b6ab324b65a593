"""Carries calls between the processes of one machine: each listens at a socket in the file system."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import socket
import struct
import tempfile
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from rushlight.distributed.rpc import wire

__all__ = ["SocketChannel", "Sockets"]


# The system takes so many pieces of memory in one call (IOV_MAX).
_MOST_PIECES = 1024
# Bytes that a socket holds, if the system grants so many.
_ON_ITS_WAY = 1 << 22
# Bytes that are read at once.
_AHEAD = 1 << 14


class Sockets:
    """Where this process listens, and how it reaches others.

    Args:
        key: what all who take part know
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._folder = tempfile.mkdtemp(prefix="rushlight_rpc_")
        path = os.path.join(self._folder, "socket")
        self._listener = Listener(path, "AF_UNIX", backlog=1024, authkey=key)
        self._addresses: list[Any] = []

    @property
    def address(self) -> Any:
        """Where this process listens."""
        return self._listener.address

    def know(self, addresses: list[Any]) -> None:
        """Learn where the others listen, by rank."""
        self._addresses = addresses

    def accept(self) -> SocketChannel:
        """The next channel that another process opens; raises for one that does not know the key."""
        return SocketChannel(self._listener.accept())

    def connect(self, rank: int) -> SocketChannel:
        """A channel to another process."""
        return SocketChannel(Client(self._addresses[rank], "AF_UNIX", authkey=self._key))

    def close(self) -> None:
        """Listen no more."""
        # Whoever waits in `accept` wakes up by a connection.
        with contextlib.suppress(OSError):
            Client(self.address, "AF_UNIX").close()
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)


# The number, the length of the pickle, and how many buffers there are; then come the lengths of the buffers.
_HEAD = struct.Struct("<3Q")


class SocketChannel:
    """Objects to and from one process.

    An object goes out by as few calls of the system as the socket allows, and from where it lies: the other process wakes up
    once for a small one, and a large one is copied only into the socket and out of it.

    Args:
        connection: to it
    """

    def __init__(self, connection: Connection) -> None:
        # a connection adds frames of its own, and copies; it has served to see who is there
        self._socket = socket.socket(fileno=os.dup(connection.fileno()))
        connection.close()
        # whatever a program says of sockets in general
        self._socket.setblocking(True)
        # the more is on its way, the less often the two processes take turns
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _ON_ITS_WAY)
        # What has been read beyond what was asked for: a small object is there after one call of the system.
        self._ahead = memoryview(bytearray(_AHEAD))
        self._first = self._end = 0
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)

    def send(self, number: int, parts: wire.Parts) -> None:
        """Send an object under a number."""
        sizes = [len(buffer) for buffer in parts.buffers]
        head = _HEAD.pack(number, len(parts.body), len(sizes)) + struct.pack(
            f"<{len(sizes)}Q", *sizes
        )
        pieces = [memoryview(piece).cast("B") for piece in (head, parts.body, *parts.buffers)]
        while pieces:
            sent = self._socket.sendmsg(pieces[:_MOST_PIECES])
            pieces = _rest(pieces, sent)

    def wait(self, seconds: float) -> bool:
        """Wait until something comes, or the end; whether it has."""
        return self._first < self._end or bool(self._poll.poll(seconds * 1000))

    def receive(self) -> tuple[int, wire.Parts]:
        """The next object and its number; raises EOFError or OSError when there will be none."""
        self._read_ahead(_HEAD.size)
        number, length, count = _HEAD.unpack_from(self._ahead, self._first)
        self._first += _HEAD.size
        rest = memoryview(bytearray(8 * count + length))
        self._fill(rest)
        buffers = wire.room(struct.unpack(f"<{count}Q", rest[: 8 * count]))
        for buffer in buffers:
            self._fill(memoryview(buffer))
        return number, wire.Parts(rest[8 * count :], buffers)

    def _read_ahead(self, count: int) -> None:
        """Have so many bytes, or more."""
        there = self._end - self._first
        if there < count:
            self._ahead[:there] = bytes(self._ahead[self._first : self._end])
            self._first, self._end = 0, there
        while self._end < count:
            came = self._socket.recv_into(self._ahead[self._end :])
            if not came:
                raise EOFError
            self._end += came

    def _fill(self, buffer: memoryview) -> None:
        there = min(len(buffer), self._end - self._first)
        buffer[:there] = self._ahead[self._first : self._first + there]
        self._first += there
        buffer = buffer[there:]
        while buffer:
            # with the flag the system fills all of it, unless a signal comes
            count = self._socket.recv_into(buffer, flags=socket.MSG_WAITALL)
            if not count:
                raise EOFError
            buffer = buffer[count:]

    def close(self) -> None:
        """Hang up; whoever waits here or there for something to come is told."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def _rest(pieces: list[memoryview], sent: int) -> list[memoryview]:
    """What is left of pieces of which so many bytes are on their way."""
    for at, piece in enumerate(pieces):
        if sent < len(piece):
            return [piece[sent:], *pieces[at + 1 :]]
        sent -= len(piece)
    return []
