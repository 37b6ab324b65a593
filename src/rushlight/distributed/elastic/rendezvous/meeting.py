"""Rounds in which launchers meet at a store: each gets a number, and learns how many workers all have.

In a *static* meeting everybody says its own number, and there is one round. Otherwise numbers are given in order
of arrival; a round closes when the most have come, or some time after the fewest have. Whoever comes later waits
for the next round, which begins when somebody asks for it.
"""

from __future__ import annotations

import json
import socket
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from rushlight.distributed._stores.base import PrefixStore, Store
from rushlight.distributed._stores.tcp import TCPStore
from rushlight.engine.core.errors import DistNetworkError

__all__ = ["Meeting", "Place", "is_this_machine", "open_store"]

# How long a round stays open for more than the fewest.
LAST_CALL = 1.0


@dataclass
class Place:
    """A launcher's place in a round.

    Args:
        number: its number among the launchers
        sizes: how many workers each launcher starts
        address: where the first worker is
        port: the port that is free there
    """

    number: int
    sizes: list[int]
    address: str
    port: int

    @property
    def first_rank(self) -> int:
        """The global rank of the launcher's first worker."""
        return sum(self.sizes[: self.number])


def is_this_machine(host: str) -> bool:
    """Whether a name or an address is this machine's."""
    if host in ("localhost", "127.0.0.1", "::1", socket.gethostname(), socket.getfqdn()):
        return True
    try:
        given = {info[4][0] for info in socket.getaddrinfo(host, None)}
        own = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}
    except OSError:
        return False
    return bool(given & (own | {"127.0.0.1", "::1"}))


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])


def open_store(host: str, port: int, is_host: bool | None, timeout: timedelta) -> TCPStore:
    """The store at an address; its server is here if the address is, and nobody has it yet."""
    if is_host or (is_host is None and is_this_machine(host)):
        try:
            return TCPStore(host, port, None, is_master=True, timeout=timeout)
        except DistNetworkError:
            if is_host:
                raise
    return TCPStore(host, port, None, is_master=False, timeout=timeout)


class Meeting:
    """The rounds of one program.

    Args:
        store: where launchers meet
        run_id: the program's name
        fewest: how many launchers there are at least
        most: how many there are at most
        workers: how many workers this one starts
        number: this launcher's number, in a static meeting
        address: where the first worker is to be found; what this machine is called otherwise
        port: its port; a free one otherwise
        timeout: how long to wait for the fewest
    """

    def __init__(
        self,
        store: Store,
        run_id: str,
        fewest: int,
        most: int,
        workers: int,
        number: int | None = None,
        address: str | None = None,
        port: int = 0,
        timeout: timedelta = timedelta(seconds=600),
    ) -> None:
        self._store = PrefixStore(f"launch/{run_id}", store)
        self._fewest, self._most, self._workers = fewest, most, workers
        self._number, self._address, self._port = number, address, port
        self._timeout = timeout
        self.round = -1

    def _key(self, what: str, number: int | None = None) -> str:
        return f"{self.round if number is None else number}/{what}"

    def join(self) -> Place:
        """Take part in the next round that is open; returns when it closes."""
        self.round += 1
        while True:
            place = self._join_this_round()
            if place is not None:
                return place
            # it closed without this one: ask for another
            self.ask_for_next()
            self.round += 1

    def _join_this_round(self) -> Place | None:
        store = self._store
        number = self._number
        if number is None:
            number = store.add(self._key("joined"), 1) - 1
        else:
            store.add(self._key("joined"), 1)
        if number >= self._most:
            return None
        host = self._address or socket.gethostname()
        told: dict[str, Any] = {"workers": self._workers, "address": host}
        if number == 0:
            told["port"] = self._port or free_port()
        store.set(self._key(f"told/{number}"), json.dumps(told))
        if number == 0:
            self._close()
        store.wait([self._key("closed")], self._timeout)
        count = int(store.get(self._key("closed")))
        if number >= count:
            return None
        every = [json.loads(store.get(self._key(f"told/{k}"))) for k in range(count)]
        sizes = [one["workers"] for one in every]
        return Place(number, sizes, every[0]["address"], every[0]["port"])

    def _close(self) -> None:
        """Wait until enough have come, and say how many they are."""
        end = time.monotonic() + self._timeout.total_seconds()
        call_ends = None
        while True:
            now = time.monotonic()
            joined = min(self._store.add(self._key("joined"), 0), self._most)
            if joined >= self._fewest and call_ends is None:
                call_ends = now + LAST_CALL
            if joined == self._most or (call_ends is not None and now > call_ends):
                break
            if now > end:
                raise TimeoutError(
                    f"{joined} of at least {self._fewest} launchers came within "
                    f"{self._timeout.total_seconds():g} seconds"
                )
            time.sleep(0.02)
        self._store.set(self._key("closed"), str(joined))

    def ask_for_next(self) -> None:
        """Let everybody begin another round."""
        self._store.set(self._key("over"), "1")

    def is_over(self) -> bool:
        """Whether somebody wants another round."""
        return self._store.check([self._key("over")])

    def say_done(self) -> None:
        """Say that this launcher's workers have ended well."""
        self._store.add(self._key("done"), 1)

    def wait_for_others(self, count: int, timeout: timedelta) -> bool:
        """Wait until the workers of all launchers have ended; whether somebody wants another round instead."""
        end = time.monotonic() + timeout.total_seconds()
        try:
            while self._store.add(self._key("done"), 0) < count:
                if self.is_over():
                    return True
                if time.monotonic() > end:
                    return False
                time.sleep(0.05)
        except DistNetworkError:
            # the launcher that has the store goes when it knows that all have ended
            return False
        return False

    def fail(self) -> None:
        """Say that the program has failed for good."""
        self._store.set("failed", "1")
        self.ask_for_next()

    def has_failed(self) -> bool:
        """Whether somebody said so."""
        return self._store.check(["failed"])
