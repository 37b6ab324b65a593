"""A store whose table a thread of one process keeps; the others ask it over sockets.

A message is its length and a list in a small format of its own (`_packed`): the name of a method of
`Table` and its arguments, or a status and the result. Nothing that comes over the network is executed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from rushlight.distributed._stores.base import Store, Value, as_bytes, in_milliseconds
from rushlight.distributed._stores.table import Table
from rushlight.engine.core.errors import DistNetworkError, DistStoreError, QueueEmptyError

__all__ = ["TCPStore"]

# What a client may ask of the table.
_ASKED = frozenset({
    "set", "get", "add", "delete", "has", "count", "keys", "compare_set", "wait", "append", "get_all",
    "set_all", "push", "pop", "length",
})  # fmt: skip
# The first message of a client, which tells it from a stranger.
_GREETING = "rushlight store 1"
_DONE, _TIMEOUT, _EMPTY, _WRONG = range(4)
_LENGTH = struct.Struct("<Q")
_MOST = 1 << 34
_CLIENTS = "init/clients"


# -- messages --


def _packed(value: Any) -> bytes:
    """A value as bytes: a letter for its kind, then what it is."""
    if value is None:
        return b"n"
    if isinstance(value, bool):
        return b"t" if value else b"f"
    if isinstance(value, int):
        text = str(value).encode()
        return b"i" + _LENGTH.pack(len(text)) + text
    if isinstance(value, float):
        return b"d" + struct.pack("<d", value)
    if isinstance(value, (str, bytes)):
        raw = as_bytes(value)
        return (b"s" if isinstance(value, str) else b"b") + _LENGTH.pack(len(raw)) + raw
    return b"l" + _LENGTH.pack(len(value)) + b"".join(map(_packed, value))


def _unpacked(data: memoryview, at: int = 0) -> tuple[Any, int]:
    """The value at a place of a message, and where the next one begins."""
    kind, at = data[at : at + 1].tobytes(), at + 1
    if kind in b"ntf":
        return {b"n": None, b"t": True, b"f": False}[kind], at
    if kind == b"d":
        return struct.unpack_from("<d", data, at)[0], at + 8
    (length,) = _LENGTH.unpack_from(data, at)
    at += _LENGTH.size
    if kind == b"l":
        items = []
        for _ in range(length):
            item, at = _unpacked(data, at)
            items.append(item)
        return items, at
    raw = data[at : at + length].tobytes()
    if len(raw) != length or kind not in b"isb":
        raise ValueError("malformed message")
    content = {b"i": int, b"s": bytes.decode, b"b": bytes}[kind](raw)  # type: ignore[operator]
    return content, at + length


def _send(connection: socket.socket, value: Any) -> None:
    raw = _packed(value)
    connection.sendall(_LENGTH.pack(len(raw)) + raw)


def _read_exactly(connection: socket.socket, count: int) -> memoryview:
    read = bytearray(count)
    rest = memoryview(read)
    while rest:
        got = connection.recv_into(rest)
        if not got:
            raise ConnectionError("the other side has gone")
        rest = rest[got:]
    return memoryview(read)


def _receive(connection: socket.socket) -> Any:
    (length,) = _LENGTH.unpack(_read_exactly(connection, _LENGTH.size))
    if length > _MOST:
        raise ValueError(f"a message of {length} bytes")
    return _unpacked(_read_exactly(connection, length))[0]


# -- the server --


class _Server:
    """Answers clients out of one table, each in a thread of its own.

    Args:
        listening: a socket that listens
    """

    def __init__(self, listening: socket.socket) -> None:
        self._listening, self._table = listening, Table()
        self.port = listening.getsockname()[1]
        self._connections: set[socket.socket] = set()
        self._process = os.getpid()
        threading.Thread(target=self._accept, daemon=True, name="store").start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connections.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            if _receive(connection) != _GREETING:
                return
            _send(connection, _GREETING)
            while True:
                name, *args = _receive(connection)
                _send(connection, self._answer(name, args))
        except (OSError, ValueError, TypeError, struct.error):
            # a client that goes, or a stranger who talks nonsense, ends the conversation
            return
        finally:
            self._connections.discard(connection)
            connection.close()

    def _answer(self, name: Any, args: list[Any]) -> list[Any]:
        if name not in _ASKED:
            return [_WRONG, f"unknown request {name!r}"]
        try:
            return [_DONE, getattr(self._table, name)(*args)]
        except QueueEmptyError as error:
            # which is a DistStoreError as well
            return [_EMPTY, str(error)]
        except DistStoreError:
            return [_TIMEOUT, None]
        except (TypeError, ValueError) as error:
            return [_WRONG, str(error)]

    def close(self) -> None:
        """Stop answering."""
        if os.getpid() != self._process:
            return
        with contextlib.suppress(OSError):
            # wakes the thread that accepts
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for connection in list(self._connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


_servers: dict[int, _Server] = {}


def _serving(port: int, shared: bool, descriptor: int | None) -> _Server:
    """The server of a port; one that is there already if it may be shared."""
    if shared and port in _servers:
        return _servers[port]
    if descriptor is not None:
        server = _Server(socket.socket(fileno=descriptor))
    else:
        server = _Server(_listen(port))
    if shared:
        _servers[server.port] = server
    return server


def _listen(port: int) -> socket.socket:
    families = (socket.AF_INET6, socket.AF_INET) if socket.has_dualstack_ipv6() else ()
    failure: OSError | None = None
    for family in families or (socket.AF_INET,):
        try:
            return socket.create_server(
                ("", port), family=family, backlog=1024, dualstack_ipv6=family == socket.AF_INET6
            )
        except OSError as error:
            failure = error
    assert failure is not None
    name = errno.errorcode.get(failure.errno or 0, "unknown")
    raise DistNetworkError(
        "The server socket has failed to listen on any local network address. "
        f"port: {port}, name: {name}, message: {failure.strerror}"
    )


# -- the client --


class TCPStore(Store):
    """A store over sockets.

    Args:
        host_name: where the server is
        port: its port; 0 lets the system choose one
        world_size: how many stores connect to it; None if that is not known
        is_master: whether the server is here
        timeout: how long to wait for anything
        wait_for_workers: whether the server's store waits for all others before it is ready
        multi_tenant: whether stores of this process on the same port share a server
        master_listen_fd: a socket that listens already
        use_libuv: which of two servers; there is one
    """

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta = timedelta(seconds=300),
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: int | None = None,
        use_libuv: bool = True,
    ) -> None:
        super().__init__()
        self._timeout, self._libuv = timeout, use_libuv
        self._server = _serving(port, multi_tenant, master_listen_fd) if is_master else None
        # As clones of a store keep it, too.
        self._server_kept = self._server
        self._host = host_name
        self._port = self._server.port if self._server else port
        self._lock = threading.Lock()
        self._connect()
        if world_size is not None and world_size > 0:
            joined = self.add(_CLIENTS, 1)
            if is_master and wait_for_workers:
                self._wait_for_clients(joined, world_size)

    # -- the connection --
    def _connect(self) -> None:
        self._process = os.getpid()
        end = time.monotonic() + self._timeout.total_seconds()
        delay = 0.01
        while True:
            try:
                self._connection = self._greeted(end)
                return
            except (OSError, ValueError) as error:
                if time.monotonic() + delay >= end:
                    raise DistNetworkError(
                        f"The client socket has timed out after {in_milliseconds(self._timeout)}ms "
                        f"while trying to connect to ({self._host}, {self._port}): {error}"
                    ) from None
            time.sleep(delay)
            delay = min(2 * delay, 1.0)

    def _greeted(self, end: float) -> socket.socket:
        left = max(end - time.monotonic(), 0.01)
        connection = socket.create_connection((self._host, self._port), timeout=left)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _send(connection, _GREETING)
            if _receive(connection) != _GREETING:
                raise ValueError("what answers there is no store")
            connection.settimeout(None)
            return connection
        except BaseException:
            connection.close()
            raise

    def _ask(self, name: str, *args: Any, unless: Callable[[], str] | None = None) -> Any:
        """The server's answer; ``unless`` says what an error tells when time runs out."""
        if os.getpid() != self._process:
            # a forked child needs a conversation of its own
            self._lock = threading.Lock()
            self._server = self._server_kept = None
            self._connect()
        with self._lock:
            try:
                _send(self._connection, [name, *args])
                status, result = _receive(self._connection)
            except OSError as error:
                raise DistNetworkError(
                    f"the store at ({self._host}, {self._port}) has gone: {error}"
                ) from None
        if status == _DONE:
            return result
        if status == _TIMEOUT:
            raise DistStoreError(unless() if unless else "Wait timeout")
        raise QueueEmptyError(result) if status == _EMPTY else ValueError(result)

    def _wait(self, name: str, keys: Sequence[str], *args: Any, timeout: timedelta) -> Any:
        def said() -> str:
            named = ", ".join(f"/{key}" for key in keys)
            return f"wait timeout after {in_milliseconds(timeout)}ms, keys: {named}"

        return self._ask(name, *args, timeout.total_seconds(), unless=said)

    def _wait_for_clients(self, joined: int, world_size: int) -> None:
        end = time.monotonic() + self._timeout.total_seconds()
        delay = 0.001
        while joined < world_size:
            if time.monotonic() > end:
                raise DistStoreError(
                    f"Timed out after {self._timeout.total_seconds():g} seconds waiting for clients. "
                    f"{joined}/{world_size} clients joined."
                )
            time.sleep(delay)
            delay = min(2 * delay, 0.05)
            joined = self.add(_CLIENTS, 0)

    def __del__(self, getpid: Callable[[], int] = os.getpid) -> None:
        if getattr(self, "_process", None) != getpid():
            return
        if hasattr(self, "_connection"):
            self._connection.close()
        if self._server is not None and self._server not in _servers.values():
            self._server.close()

    # -- facts --
    @property
    def host(self) -> str:
        """Where the server is."""
        return self._host

    @property
    def port(self) -> int:
        """The server's port."""
        return int(self._port)

    @property
    def _is_served_here(self) -> bool:
        """Whether the server is in this process."""
        return self._server_kept is not None and os.getpid() == self._process

    @property
    def libuvBackend(self) -> bool:
        """Which of two servers was asked for."""
        return self._libuv

    def __repr__(self) -> str:
        server = f", server=TCPServer(port={self._port})" if self._server else ""
        return f"TCPStore(client=TCPClient({self._host}:{self._port}){server})"

    # -- the table --
    def set(self, key: str, value: Value) -> None:
        self._ask("set", key, as_bytes(value))

    def get(self, key: str) -> bytes:
        found: bytes = self._wait("get", [key], key, timeout=self._timeout)
        return found

    def add(self, key: str, value: int) -> int:
        return int(self._ask("add", key, value))

    def delete_key(self, key: str) -> bool:
        return bool(self._ask("delete", key))

    def check(self, keys: Sequence[str]) -> bool:
        return bool(self._ask("has", list(keys)))

    def num_keys(self) -> int:
        return len(self.list_keys())

    def compare_set(self, key: str, expected_value: Value, desired_value: Value) -> bytes:
        found: bytes = self._ask(
            "compare_set", key, as_bytes(expected_value), as_bytes(desired_value)
        )
        return found

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        limit = self._timeout if timeout is None else timeout
        self._wait("wait", keys, list(keys), timeout=limit)

    def append(self, key: str, value: Value) -> None:
        self._ask("append", key, as_bytes(value))

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        found: list[bytes] = self._wait("get_all", keys, list(keys), timeout=self._timeout)
        return found

    def multi_set(self, keys: Sequence[str], values: Sequence[Value]) -> None:
        self._ask("set_all", list(keys), list(map(as_bytes, values)))

    def list_keys(self) -> list[str]:
        return [key for key in self._ask("keys") if key != _CLIENTS]

    def queue_push(self, key: str, value: Value) -> None:
        self._ask("push", key, as_bytes(value))

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        found: bytes = self._ask("pop", key, block, self._timeout.total_seconds())
        return found

    def queue_len(self, key: str) -> int:
        return int(self._ask("length", key))

    def has_extended_api(self) -> bool:
        return True

    def clone(self) -> TCPStore:
        made = TCPStore(self._host, self._port, timeout=self._timeout, use_libuv=self._libuv)
        # the server lives as long as somebody in its process asks it
        made._server_kept = self._server_kept
        return made
