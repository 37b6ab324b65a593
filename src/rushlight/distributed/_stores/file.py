"""A store in a file: a list of changes, at whose end each process adds its own.

Every process reads the changes that it has not seen yet, under a lock of the file.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

from rushlight.distributed._stores.base import Store, Value, as_bytes, in_milliseconds

__all__ = ["FileStore"]

_LENGTHS = struct.Struct("<qq")
_REMOVED = -1
# Under this key stands how many stores use the file.
_USERS = "efcount/"
# Begins the keys of stores that have gone.
_DONE_BY = "done by/"


class _FileGoneError(RuntimeError):
    """The file of a store was removed, or cut, by somebody else."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(
            f"the file of the store, {path}, {what}: it was removed, or cut, while processes "
            "still used it"
        )


class FileStore(Store):
    """A store in a file, for processes that see the same files.

    Args:
        file_name: the file
        world_size: how many stores use it; the last one that goes removes the file. Negative: not known,
            and the last of those that are there removes it
    """

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        super().__init__()
        self._path, self._world_size = os.fspath(file_name), world_size
        self._values: dict[str, bytes] = {}
        self._read = 0
        self._lock = threading.Lock()
        self.add(_USERS, 1)
        # only a store that has come leaves again, and only in the process where it came
        self._process = os.getpid()

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    # -- the file --
    @contextlib.contextmanager
    def _opened(self) -> Iterator[int]:
        """The file, locked, after everything that others wrote was read."""
        with self._lock:
            # only who comes makes the file: one that has been removed is not made again
            create = 0 if self._read else os.O_CREAT
            try:
                descriptor = os.open(self._path, os.O_RDWR | os.O_CLOEXEC | create, 0o644)
            except FileNotFoundError:
                if create:
                    raise
                raise _FileGoneError(self._path, "is not there any more") from None
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                self._catch_up(descriptor)
                yield descriptor
            finally:
                os.close(descriptor)

    def _catch_up(self, descriptor: int) -> None:
        unread = os.fstat(descriptor).st_size - self._read
        if unread < 0:
            raise _FileGoneError(self._path, f"has lost {-unread} bytes that were read before")
        data = os.pread(descriptor, unread, self._read)
        at = 0
        while at + _LENGTHS.size <= len(data):
            key_length, length = _LENGTHS.unpack_from(data, at)
            key_at = at + _LENGTHS.size
            end = key_at + key_length + max(length, 0)
            if end > len(data):
                # who wrote this was killed in between; the next one writes over it
                break
            key = data[key_at : key_at + key_length].decode()
            if length == _REMOVED:
                self._values.pop(key, None)
            else:
                self._values[key] = data[key_at + key_length : end]
            at = end
        self._read += at

    def _write(self, descriptor: int, key: str, value: bytes | None) -> None:
        name = key.encode()
        length = _REMOVED if value is None else len(value)
        change = _LENGTHS.pack(len(name), length) + name + (value or b"")
        os.ftruncate(descriptor, self._read)
        written = 0
        while written < len(change):
            written += os.pwrite(descriptor, change[written:], self._read + written)
        self._catch_up(descriptor)

    def _wait_for(self, keys: Sequence[str], timeout: timedelta, said: Callable[[], str]) -> None:
        end = time.monotonic() + timeout.total_seconds()
        delay = 0.001
        while not self.check(keys):
            if time.monotonic() > end:
                raise RuntimeError(said())
            time.sleep(delay)
            delay = min(2 * delay, 0.05)

    def __del__(self, getpid: Callable[[], int] = os.getpid) -> None:
        if getattr(self, "_process", None) != getpid():
            return
        # whoever has removed the file has done what is left to do
        with contextlib.suppress(_FileGoneError), self._opened() as descriptor:
            self._leave(descriptor)

    def _leave(self, descriptor: int) -> None:
        """Counts this store out; the last one removes the file."""
        left = int(self._values[_USERS]) - 1
        come = sum(key.startswith(_DONE_BY) for key in self._values) + 1
        # a store that was never used by all of the others leaves the file to them
        if left == 0 and (self._world_size < 0 or come >= self._world_size):
            os.unlink(self._path)
            return
        self._write(descriptor, _USERS, str(left).encode())
        self._write(descriptor, f"{_DONE_BY}{self._process}.{id(self)}", b"")

    # -- the table --
    def set(self, key: str, value: Value) -> None:
        with self._opened() as descriptor:
            self._write(descriptor, key, as_bytes(value))

    def get(self, key: str) -> bytes:
        limit = self._timeout
        self._wait_for(
            [key],
            limit,
            lambda: f"Timeout waiting for key: {key} after {in_milliseconds(limit)} ms",
        )
        return self._values[key]

    def add(self, key: str, value: int) -> int:
        with self._opened() as descriptor:
            total = int(self._values.get(key, b"0")) + value
            self._write(descriptor, key, str(total).encode())
            return total

    def delete_key(self, key: str) -> bool:
        with self._opened() as descriptor:
            found = key in self._values
            if found:
                self._write(descriptor, key, None)
            return found

    def check(self, keys: Sequence[str]) -> bool:
        with self._opened():
            return all(key in self._values for key in keys)

    def num_keys(self) -> int:
        with self._opened():
            return sum(not key.startswith(_DONE_BY) for key in self._values)

    def list_keys(self) -> list[str]:
        with self._opened():
            return [key for key in self._values if not key.startswith(_DONE_BY)]

    def compare_set(self, key: str, expected_value: Value, desired_value: Value) -> bytes:
        expected, desired = as_bytes(expected_value), as_bytes(desired_value)
        with self._opened() as descriptor:
            present = self._values.get(key)
            if present is None and expected:
                return expected
            if present is None or present == expected:
                self._write(descriptor, key, desired)
            return self._values[key]

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        limit = self._timeout if timeout is None else timeout
        self._wait_for(
            keys,
            limit,
            lambda: (
                f"Timeout waiting for keys: {', '.join(keys)} after {in_milliseconds(limit)} ms"
            ),
        )

    def append(self, key: str, value: Value) -> None:
        with self._opened() as descriptor:
            self._write(descriptor, key, self._values.get(key, b"") + as_bytes(value))

    def has_extended_api(self) -> bool:
        return True

    def clone(self) -> FileStore:
        return FileStore(self._path, self._world_size)
