"""Carries calls between the processes of one machine: each listens at a socket in the file system."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import struct
import tempfile
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

from rushlight.distributed.rpc import wire

__all__ = ["SocketChannel", "Sockets"]


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


class SocketChannel:
    """Objects to and from one process.

    Args:
        connection: to it
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def send(self, number: int, parts: wire.Parts) -> None:
        """Send an object under a number."""
        sizes = [len(buffer) for buffer in parts.buffers]
        self._connection.send_bytes(struct.pack(f"<{len(sizes) + 1}Q", number, *sizes))
        self._connection.send_bytes(parts.body)
        if sizes:
            with self._socket() as channel:
                for buffer in parts.buffers:
                    channel.sendall(buffer)

    def receive(self) -> tuple[int, wire.Parts]:
        """The next object and its number; raises EOFError or OSError when there will be none."""
        head = self._connection.recv_bytes()
        number, *sizes = struct.unpack(f"<{len(head) // 8}Q", head)
        body = self._connection.recv_bytes()
        buffers = wire.room(sizes)
        if sizes:
            with self._socket() as channel:
                for buffer in buffers:
                    _fill(channel, memoryview(buffer))
        return number, wire.Parts(body, buffers)

    def _socket(self) -> socket.socket:
        """The connection's socket, which copies large buffers once only."""
        return socket.fromfd(self._connection.fileno(), socket.AF_UNIX, socket.SOCK_STREAM)

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self._connection.close()


def _fill(channel: socket.socket, buffer: memoryview) -> None:
    while buffer:
        count = channel.recv_into(buffer)
        if not count:
            raise EOFError
        buffer = buffer[count:]
