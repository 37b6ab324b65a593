"""Moves bytes between processes of one machine: collectives by `Exchange`, messages by `Channels`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from rushlight.distributed._groups.reduce_op import ReduceOp
from rushlight.distributed._groups.shared_memory import programs
from rushlight.distributed._groups.shared_memory.channels import Channels
from rushlight.distributed._groups.shared_memory.exchange import Exchange
from rushlight.distributed._groups.shared_memory.programs import Place, Program, Reduction
from rushlight.distributed._groups.shared_memory.reducing import computed_as
from rushlight.distributed._stores.base import PrefixStore, Store

__all__ = ["SharedMemoryTransport"]


# Writers take their places one by one; these take lists of them.


def _all_gather(p: Program, source: Place, *rest: Any) -> None:
    *targets, lengths = rest
    programs.all_gather(p, source, targets, lengths)


def _gather(p: Program, source: Place, *rest: Any) -> None:
    *targets, lengths, root = rest
    programs.gather(p, source, targets, lengths, root)


def _scatter(p: Program, target: Place, *rest: Any) -> None:
    *sources, lengths, root = rest
    programs.scatter(p, sources, target, lengths, root)


def _reduce_scatter(p: Program, target: Place, *rest: Any) -> None:
    *sources, lengths, how = rest
    programs.reduce_scatter(p, sources, target, lengths, how)


def _all_to_all(p: Program, *rest: Any) -> None:
    *places, sent, received, longest = rest
    size = p.layout.size
    programs.all_to_all(p, places[:size], places[size:], sent, received, longest)


@functools.cache
def _how(op: Any, dtype: Any, size: int) -> tuple[Reduction, int]:
    """How elements of a type are combined, and how many bytes they have."""
    name, memory, numbers = computed_as(op, dtype)
    divisor = size if op is ReduceOp.AVG else 1
    return Reduction(name, memory, dtype.itemsize // numbers, divisor), dtype.itemsize


class SharedMemoryTransport:
    """The ranks of a group that are processes of one machine.

    Args:
        store: where they find each other
        rank: this one
        size: how many there are
        timeout: how long to wait for the others to come
    """

    def __init__(self, store: Store, rank: int, size: int, timeout: timedelta) -> None:
        self.rank, self.size = rank, size
        self.exchange = Exchange(store, rank, size, timeout)
        self.channels = Channels(PrefixStore("channel", store), self.exchange)

    def _reduction(self, op: Any, dtype: Any) -> tuple[Reduction, int]:
        return _how(op, dtype, self.size)

    def barrier(self, timeout: timedelta) -> None:
        self.exchange.perform(("barrier",), programs.barrier, (), timeout, "barrier")

    def all_reduce(
        self, source: int, target: int, count: int, dtype: Any, op: Any, timeout: timedelta
    ) -> None:
        how, itemsize = self._reduction(op, dtype)
        key = "all_reduce", count, dtype, op
        self.exchange.perform(
            key, programs.all_reduce, (source, target), timeout, "all_reduce", count * itemsize, how
        )

    def reduce(
        self,
        source: int,
        target: int,
        count: int,
        dtype: Any,
        op: Any,
        root: int,
        timeout: timedelta,
    ) -> None:
        how, itemsize = self._reduction(op, dtype)
        key = "reduce", count, dtype, op, root
        self.exchange.perform(
            key, programs.reduce, (source, target), timeout, "reduce", count * itemsize, how, root
        )

    def broadcast(self, place: int, nbytes: int, root: int, timeout: timedelta) -> None:
        key = "broadcast", nbytes, root
        self.exchange.perform(key, programs.broadcast, (place,), timeout, "broadcast", nbytes, root)

    def all_gather(
        self, source: int, targets: Sequence[int], lengths: Sequence[int], timeout: timedelta
    ) -> None:
        known = tuple(lengths)
        self.exchange.perform(
            ("all_gather", known), _all_gather, (source, *targets), timeout, "all_gather", known
        )

    def gather(
        self, source: int, targets: Sequence[int], nbytes: int, root: int, timeout: timedelta
    ) -> None:
        lengths = (nbytes,) * self.size
        key = "gather", nbytes, root
        self.exchange.perform(key, _gather, (source, *targets), timeout, "gather", lengths, root)

    def scatter(
        self, sources: Sequence[int], target: int, nbytes: int, root: int, timeout: timedelta
    ) -> None:
        lengths = (nbytes,) * self.size
        key = "scatter", nbytes, root
        self.exchange.perform(key, _scatter, (target, *sources), timeout, "scatter", lengths, root)

    def reduce_scatter(
        self, sources: Sequence[int], target: int, counts: Sequence[int], dtype: Any, op: Any,
        timeout: timedelta,
    ) -> None:  # fmt: skip
        how, itemsize = self._reduction(op, dtype)
        key = "reduce_scatter", tuple(counts), dtype, op
        lengths = tuple(count * itemsize for count in counts)
        self.exchange.perform(
            key, _reduce_scatter, (target, *sources), timeout, "reduce_scatter", lengths, how
        )

    def all_to_all(
        self, sources: Sequence[int], targets: Sequence[int], sent: Sequence[int],
        received: Sequence[int], timeout: timedelta,
    ) -> None:  # fmt: skip
        longest = self.exchange.largest(max((*sent, *received)), timeout)
        self.exchange.perform(
            ("all_to_all", longest), _all_to_all, (*sources, *targets), timeout, "all_to_all",
            tuple(sent), tuple(received), longest,
        )  # fmt: skip

    def send(self, place: int, nbytes: int, rank: int, tag: int, timeout: timedelta) -> None:
        self.channels.send(place, nbytes, rank, tag, timeout)

    def receive(self, place: int, nbytes: int, rank: int, tag: int, timeout: timedelta) -> None:
        self.channels.receive(place, nbytes, rank, tag, timeout)

    def receive_any(self, place: int, nbytes: int, tag: int, timeout: timedelta) -> int:
        return self.channels.receive_any(place, nbytes, tag, timeout)

    def missing(self) -> list[int]:
        return self.exchange.missing()

    def abort(self, reason: str) -> None:
        self.exchange.abort(reason)

    def close(self) -> None:
        self.channels.close()
        self.exchange.close()
