"""Messages that carry their descriptors with them, through a connection that is a Unix socket.

The receiver needs nothing more from the sender: what is on its way belongs to the system, which
frees it if nobody is left to receive it. The receiver closes the descriptors once the memory is
mapped.
"""

from __future__ import annotations

import array
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

from rushlight.multiprocessing import reductions

# The system passes no more than 253 descriptors at once.
_AT_ONCE = 250
_HEADER = 4
_LOST = (
    "descriptors of shared memory were lost on their way: too many files are open. Increase the "
    "limit with `ulimit -n`, or make smaller batches of fewer tensors"
)


@contextmanager
def _socket_of(connection: Connection) -> Iterator[socket.socket]:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=connection.fileno())
    try:
        yield made
    finally:
        # The descriptor stays the connection's.
        made.detach()


def _groups(count: int) -> list[tuple[int, int]]:
    return [(first, min(first + _AT_ONCE, count)) for first in range(0, count, _AT_ONCE)]


class Parcel:
    """A message that is ready to be sent; tensors in it have been moved to shared memory.

    Args:
        message: any object
    """

    def __init__(self, message: Any) -> None:
        # The descriptors belong to the storages of the message.
        self.message = message
        self.descriptors: list[int] = []
        with reductions.descriptors_beside(self.descriptors):
            self.packed = ForkingPickler.dumps(message)

    def send(self, connection: Connection) -> None:
        """Send the message."""
        count = len(self.descriptors)
        connection.send_bytes(count.to_bytes(_HEADER, "little") + self.packed)
        with _socket_of(connection) as channel:
            for first, last in _groups(count):
                _send_group(channel, self.descriptors[first:last])


def _send_group(channel: socket.socket, descriptors: list[int]) -> None:
    content = array.array("i", descriptors)
    try:
        channel.sendmsg([b"d"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, content)])
    except BrokenPipeError:
        raise
    except OSError:
        # Too many are on their way. The receiver waits for a group and sees that this is none.
        channel.send(b"d")


def receive(connection: Connection) -> Any:
    """Wait for a message."""
    packed = connection.recv_bytes()
    descriptors: list[int] = []
    try:
        with _socket_of(connection) as channel:
            for first, last in _groups(int.from_bytes(packed[:_HEADER], "little")):
                descriptors += _receive_group(channel, last - first)
        if None in descriptors:
            raise RuntimeError(_LOST)
        with reductions.descriptors_beside(descriptors):
            return ForkingPickler.loads(memoryview(packed)[_HEADER:])
    finally:
        for descriptor in descriptors:
            if descriptor is not None:
                os.close(descriptor)


def _receive_group(channel: socket.socket, count: int) -> list[Any]:
    """A group of descriptors; None for each that could not be opened here."""
    content = array.array("i")
    space = socket.CMSG_SPACE(count * content.itemsize)
    mark, found, _, _ = channel.recvmsg(1, space, socket.MSG_CMSG_CLOEXEC)
    if not mark:
        raise EOFError
    for level, kind, data in found:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            content.frombytes(data[: len(data) - len(data) % content.itemsize])
    return [*content, *[None] * (count - len(content))]
