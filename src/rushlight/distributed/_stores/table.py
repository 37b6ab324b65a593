"""The table that a store of one process keeps, and the server of a `TCPStore`."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from datetime import timedelta

from rushlight.distributed._stores.base import Store, Value, as_bytes
from rushlight.engine.core.errors import DistStoreError, QueueEmptyError

__all__ = ["HashStore", "Table"]


class Table:
    """Keys with bytes, and queues, for any number of threads. Times are in seconds."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}
        self._queues: dict[str, deque[bytes]] = {}
        self._changed = threading.Condition()

    def set(self, key: str, value: bytes) -> None:
        with self._changed:
            self._values[key] = value
            self._changed.notify_all()

    def get(self, key: str, seconds: float) -> bytes:
        with self._changed:
            self._wait_for(lambda: key in self._values, seconds)
            return self._values[key]

    def add(self, key: str, number: int) -> int:
        with self._changed:
            total = int(self._values.get(key, b"0")) + number
            self._values[key] = str(total).encode()
            self._changed.notify_all()
            return total

    def delete(self, key: str) -> bool:
        with self._changed:
            return self._values.pop(key, None) is not None

    def has(self, keys: list[str]) -> bool:
        with self._changed:
            return all(key in self._values for key in keys)

    def count(self) -> int:
        with self._changed:
            return len(self._values)

    def keys(self) -> list[str]:
        with self._changed:
            return list(self._values)

    def compare_set(self, key: str, expected: bytes, desired: bytes) -> bytes:
        with self._changed:
            present = self._values.get(key)
            if present is None and expected:
                return expected
            if present is None or present == expected:
                self._values[key] = desired
                self._changed.notify_all()
            return self._values[key]

    def wait(self, keys: list[str], seconds: float) -> None:
        with self._changed:
            self._wait_for(lambda: all(key in self._values for key in keys), seconds)

    def append(self, key: str, value: bytes) -> None:
        with self._changed:
            self._values[key] = self._values.get(key, b"") + value
            self._changed.notify_all()

    def get_all(self, keys: list[str], seconds: float) -> list[bytes]:
        self.wait(keys, seconds)
        with self._changed:
            return [self._values[key] for key in keys]

    def set_all(self, keys: list[str], values: list[bytes]) -> None:
        with self._changed:
            self._values.update(zip(keys, values, strict=True))
            self._changed.notify_all()

    def push(self, key: str, value: bytes) -> None:
        with self._changed:
            self._queues.setdefault(key, deque()).append(value)
            self._changed.notify_all()

    def pop(self, key: str, block: bool, seconds: float) -> bytes:
        with self._changed:
            if not block and not self._queues.get(key):
                raise QueueEmptyError("queue is empty")
            self._wait_for(lambda: bool(self._queues.get(key)), seconds)
            return self._queues[key].popleft()

    def length(self, key: str) -> int:
        with self._changed:
            return len(self._queues.get(key, ()))

    def _wait_for(self, condition: Callable[[], bool], seconds: float) -> None:
        end = time.monotonic() + seconds
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                raise DistStoreError("Wait timeout")
            # a long wait in one piece is deaf to signals on some systems
            self._changed.wait(min(left, 1.0))


class HashStore(Store):
    """A store for the threads of one process."""

    def __init__(self) -> None:
        super().__init__()
        self._table = Table()

    def _seconds(self, timeout: timedelta | None = None) -> float:
        return (self._timeout if timeout is None else timeout).total_seconds()

    def set(self, key: str, value: Value) -> None:
        self._table.set(key, as_bytes(value))

    def get(self, key: str) -> bytes:
        return self._table.get(key, self._seconds())

    def add(self, key: str, value: int) -> int:
        return self._table.add(key, value)

    def delete_key(self, key: str) -> bool:
        return self._table.delete(key)

    def check(self, keys: Sequence[str]) -> bool:
        return self._table.has(list(keys))

    def num_keys(self) -> int:
        return self._table.count()

    def compare_set(self, key: str, expected_value: Value, desired_value: Value) -> bytes:
        return self._table.compare_set(key, as_bytes(expected_value), as_bytes(desired_value))

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        self._table.wait(list(keys), self._seconds(timeout))

    def append(self, key: str, value: Value) -> None:
        self._table.append(key, as_bytes(value))

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        return self._table.get_all(list(keys), self._seconds())

    def multi_set(self, keys: Sequence[str], values: Sequence[Value]) -> None:
        self._table.set_all(list(keys), list(map(as_bytes, values)))

    def list_keys(self) -> list[str]:
        return self._table.keys()

    def queue_push(self, key: str, value: Value) -> None:
        self._table.push(key, as_bytes(value))

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        return self._table.pop(key, block, self._seconds())

    def queue_len(self, key: str) -> int:
        return self._table.length(key)

    def has_extended_api(self) -> bool:
        return True

    def clone(self) -> HashStore:
        return self
