"""Rounds in which launchers meet at a store: each gets a number, and learns how many workers all have.

In a *static* meeting everybody says its own number, and there is one round. Otherwise numbers are given in order
of arrival; a round closes when the most have come, or some time after the fewest have. Whoever comes later asks for the
next round if there is room for more, and waits for it otherwise; whoever leaves asks for it, too. A launcher that gives no
sign of life for too long counts as one that has left.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from dataclasses import fields
from datetime import timedelta
from typing import Any

from rushlight.distributed._stores.base import PrefixStore, Store
from rushlight.distributed._stores.tcp import TCPStore
from rushlight.distributed.elastic.rendezvous.api import (
    RendezvousClosedError,
    RendezvousConnectionError,
    RendezvousTimeoutError,
)
from rushlight.engine.core.errors import DistNetworkError
from rushlight.engine.native.records import dataclass

__all__ = ["Meeting", "Place", "Times", "is_this_machine", "open_store"]

_POLL = 0.05


@dataclass
class Times:
    """How long launchers wait, in seconds.

    Args:
        join_timeout: for the fewest to come
        last_call_timeout: for more than the fewest
        keep_alive_interval: between two signs of life
        keep_alive_max_attempt: after how many that are missing a launcher counts as gone
    """

    join_timeout: float = 900.0
    last_call_timeout: float = 1.0
    keep_alive_interval: float = 5.0
    keep_alive_max_attempt: float = 3.0

    @staticmethod
    def of(settings: dict[str, Any]) -> Times:
        """Those that a configuration has."""
        found = {f.name: float(settings[f.name]) for f in fields(Times) if f.name in settings}
        if "timeout" in settings:
            found.setdefault("join_timeout", float(settings["timeout"]))
        return Times(**found)


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
        times: how long to wait for others
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
        times: Times | None = None,
    ) -> None:
        self._store = PrefixStore(f"launch/{run_id}", store)
        self._run_id, self._fewest, self._most, self._workers = run_id, fewest, most, workers
        self._number, self._address, self._port = number, address, port
        self._times = times or Times()
        self.round = -1
        self._place: Place | None = None
        # The signs of life of others, and since when they are as they are.
        self._signs: dict[int, tuple[int, float]] = {}
        self._last_sign = 0.0

    @property
    def may_change(self) -> bool:
        """Whether launchers may come and leave."""
        return self._fewest < self._most

    def _key(self, what: str) -> str:
        return f"{self.round}/{what}"

    # -- joining --
    def join(self) -> Place:
        """Take part in the next round that is open; returns when it closes."""
        self._place, self._signs = None, {}
        self.round += 1
        try:
            while True:
                self._place = self._join_this_round()
                if self._place is not None:
                    return self._place
                self._wait_for_next()
                self.round += 1
        except DistNetworkError as error:
            raise RendezvousConnectionError(
                f"the store where launchers of {self._run_id} meet has gone: the program has ended, or the launcher "
                "that had the store"
            ) from error

    def _join_this_round(self) -> Place | None:
        store, timeout = self._store, timedelta(seconds=self._times.join_timeout)
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
        store.wait([self._key("closed")], timeout)
        count = int(store.get(self._key("closed")))
        if number >= count:
            return None
        every = [json.loads(store.get(self._key(f"told/{k}"))) for k in range(count)]
        sizes = [one["workers"] for one in every]
        return Place(number, sizes, every[0]["address"], every[0]["port"])

    def _close(self) -> None:
        """Wait until enough have come, and say how many they are."""
        end = time.monotonic() + self._times.join_timeout
        call_ends = None
        while True:
            now = time.monotonic()
            joined = min(self._store.add(self._key("joined"), 0), self._most)
            if joined >= self._fewest and call_ends is None:
                call_ends = now + self._times.last_call_timeout
            if joined == self._most or (call_ends is not None and now > call_ends):
                break
            if now > end:
                raise RendezvousTimeoutError(
                    f"{joined} of at least {self._fewest} launchers came within "
                    f"{self._times.join_timeout:g} seconds"
                )
            time.sleep(0.02)
        self._store.set(self._key("closed"), str(joined))

    def _wait_for_next(self) -> None:
        """Wait for the end of a round that has closed without this launcher; ask for it if there is room for more."""
        store = self._store
        store.wait([self._key("closed")], timedelta(seconds=self._times.join_timeout))
        count = int(store.get(self._key("closed")))
        while not self.is_over():
            if self.has_failed() or store.add(self._key("done"), 0):
                raise RendezvousClosedError(
                    f"{self._run_id} has ended, or is about to: nobody joins it any more"
                )
            if count < self._most:
                self.ask_for_next()
            else:
                time.sleep(_POLL)

    # -- leaving --
    def ask_for_next(self) -> None:
        """Let everybody begin another round."""
        self._store.set(self._key("over"), "1")

    def is_over(self) -> bool:
        """Whether somebody wants another round, or gives no sign of life any more."""
        if not self._store.check([self._key("over")]):
            gone = self._gone()
            if gone is None:
                return False
            print(f"launcher {gone} has gone; the workers are started again", file=sys.stderr)
            self.ask_for_next()
        return True

    def _gone(self) -> int | None:
        """Give a sign of life; the number of a launcher from which none has come for too long."""
        now, place = time.monotonic(), self._place
        if place is None or now - self._last_sign < self._times.keep_alive_interval:
            return None
        self._last_sign = now
        self._store.add(self._key(f"alive/{place.number}"), 1)
        limit = self._times.keep_alive_interval * self._times.keep_alive_max_attempt
        for number in range(len(place.sizes)):
            if number == place.number:
                continue
            sign = self._store.add(self._key(f"alive/{number}"), 0)
            known, since = self._signs.get(number, (-1, now))
            if sign != known:
                self._signs[number] = sign, now
            elif now - since > limit:
                return number
        return None

    def leave(self) -> None:
        """Say that this launcher goes: the others go on without it, if they may."""
        if self.may_change:
            self.ask_for_next()
        else:
            self.fail()

    def fail(self, why: str = "a launcher has left") -> None:
        """Say that the program has failed for good; of several reasons the first one counts."""
        self._store.compare_set("failed", "", why)
        self.ask_for_next()

    def has_failed(self) -> bool:
        """Whether somebody said so."""
        return self._store.check(["failed"])

    def failure(self) -> str:
        """Why it has."""
        return self._store.get("failed").decode()

    # -- the end --
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
                time.sleep(_POLL)
        except DistNetworkError:
            # the launcher that has the store goes when it knows that all have ended
            return False
        return False
