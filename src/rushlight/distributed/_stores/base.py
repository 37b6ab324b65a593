"""What every store can do, and the store that puts a prefix before the keys of another."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NoReturn

__all__ = ["PrefixStore", "Store", "as_bytes", "in_milliseconds"]

Value = str | bytes


def as_bytes(value: Value) -> bytes:
    """A value as it is kept: text becomes UTF-8."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise TypeError(f"values of a store are str or bytes, not {type(value).__name__}")


def in_milliseconds(duration: timedelta) -> int:
    """A duration as messages say it."""
    return round(duration / timedelta(milliseconds=1))


class Store:
    """A table that processes share. A program's own store overrides what it has."""

    _default_timeout = timedelta(seconds=300)

    def __init__(self) -> None:
        self._timeout = self._default_timeout

    # -- what a store has to have --
    def set(self, key: str, value: Value) -> None:
        """Keep a value under a key."""
        self._lacks("set")

    def get(self, key: str) -> bytes:
        """The value of a key; waits until there is one."""
        self._lacks("get")

    def add(self, key: str, value: int) -> int:
        """Add to the number under a key, which is 0 at first; the sum."""
        self._lacks("add")

    def delete_key(self, key: str) -> bool:
        """Forget a key; whether it was there."""
        self._lacks("delete_key")

    def check(self, keys: Sequence[str]) -> bool:
        """Whether all of the keys are there."""
        self._lacks("check")

    def num_keys(self) -> int:
        """How many keys there are."""
        self._lacks("num_keys")

    def compare_set(self, key: str, expected_value: Value, desired_value: Value) -> bytes:
        """Set a key if it has the expected value, or if it is absent and none is expected; what it has then.

        Args:
            key: the key
            expected_value: what it has to have; empty for a key that is not there
            desired_value: what it gets
        """
        self._lacks("compare_set")

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        """Wait until all of the keys are there.

        Args:
            keys: the keys
            timeout: how long; the store's own if there is none
        """
        self._lacks("wait")

    # -- what only some have --
    def append(self, key: str, value: Value) -> None:
        """Put bytes behind those of a key."""
        self._lacks("append")

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """The values of several keys."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys: Sequence[str], values: Sequence[Value]) -> None:
        """Set several keys."""
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def list_keys(self) -> list[str]:
        """The keys that are there."""
        self._lacks("list_keys")

    def queue_push(self, key: str, value: Value) -> None:
        """Put a value at the end of a queue."""
        self._lacks("queue_push")

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        """Take the first value of a queue; waits for one, or raises `QueueEmptyError` at once."""
        self._lacks("queue_pop")

    def queue_len(self, key: str) -> int:
        """How many values a queue has."""
        self._lacks("queue_len")

    def has_extended_api(self) -> bool:
        """Whether there are `append`, `multi_get` and `multi_set`."""
        return False

    def clone(self) -> Store:
        """The same table by a connection of its own."""
        self._lacks("clone")

    def barrier(
        self, key: str, world_size: int | None = None, timeout: timedelta | None = None
    ) -> None:
        """Wait until so many have come to this key; each key serves once.

        Args:
            key: where they meet
            world_size: how many are expected
            timeout: how long to wait; the store's own if there is none
        """
        if world_size is None:
            raise ValueError("barrier: world_size has to be given")
        if self.add(f"{key}/count", 1) == world_size:
            self.set(f"{key}/done", "1")
        self.wait([f"{key}/done"], self.timeout if timeout is None else timeout)

    # -- time --
    @property
    def timeout(self) -> timedelta:
        """How long to wait where nothing else is said."""
        return self._timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Say how long to wait where nothing else is said."""
        self._timeout = timeout

    def _lacks(self, name: str) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__} has no {name}()")


class PrefixStore(Store):
    """Another store's table, with a prefix before each key.

    Args:
        prefix: what comes before the keys, and a slash
        store: the other store
    """

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__()
        self._prefix, self._store = prefix, store

    @property
    def underlying_store(self) -> Store:
        """The store whose keys get the prefix."""
        return self._store

    @property
    def _underlying_non_prefix_store(self) -> Store:
        store = self._store
        while isinstance(store, PrefixStore):
            store = store._store
        return store

    def _named(self, key: str) -> str:
        return f"{self._prefix}/{key}"

    def _all_named(self, keys: Sequence[str]) -> list[str]:
        return [self._named(key) for key in keys]

    def set(self, key: str, value: Value) -> None:
        self._store.set(self._named(key), as_bytes(value))

    def get(self, key: str) -> bytes:
        return self._store.get(self._named(key))

    def add(self, key: str, value: int) -> int:
        return self._store.add(self._named(key), value)

    def delete_key(self, key: str) -> bool:
        return self._store.delete_key(self._named(key))

    def check(self, keys: Sequence[str]) -> bool:
        return self._store.check(self._all_named(keys))

    def num_keys(self) -> int:
        return self._store.num_keys()

    def compare_set(self, key: str, expected_value: Value, desired_value: Value) -> bytes:
        return self._store.compare_set(
            self._named(key), as_bytes(expected_value), as_bytes(desired_value)
        )

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        # a program's own store may take the keys only
        limit: Any = () if timeout is None else (timeout,)
        self._store.wait(self._all_named(keys), *limit)

    def append(self, key: str, value: Value) -> None:
        self._store.append(self._named(key), as_bytes(value))

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        return self._store.multi_get(self._all_named(keys))

    def multi_set(self, keys: Sequence[str], values: Sequence[Value]) -> None:
        self._store.multi_set(self._all_named(keys), list(map(as_bytes, values)))

    def list_keys(self) -> list[str]:
        start = f"{self._prefix}/"
        return [k.removeprefix(start) for k in self._store.list_keys() if k.startswith(start)]

    def queue_push(self, key: str, value: Value) -> None:
        self._store.queue_push(self._named(key), as_bytes(value))

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        return self._store.queue_pop(self._named(key), block)

    def queue_len(self, key: str) -> int:
        return self._store.queue_len(self._named(key))

    def has_extended_api(self) -> bool:
        return self._store.has_extended_api()

    def clone(self) -> PrefixStore:
        return PrefixStore(self._prefix, self._store.clone())

    @property
    def timeout(self) -> timedelta:
        return self._store.timeout

    def set_timeout(self, timeout: timedelta) -> None:
        self._store.set_timeout(timeout)
