"""Collectives over tensors in this machine's memory: jobs are put in order, and results are packed as `Work`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import rushlight as torch
from rushlight.distributed._groups.lanes import Lane
from rushlight.distributed._groups.options import OpType
from rushlight.distributed._groups.transport import Staging, Transport
from rushlight.distributed._groups.transport_backend import TransportBackend
from rushlight.distributed._groups.work import DoneWork, FutureWork, Work
from rushlight.engine.core.tensor import Tensor

__all__ = ["HostBackend"]


class HostBackend(TransportBackend):
    """A backend over a transport, whose callers wait, or have the jobs done by threads beside."""

    def __init__(
        self, transport: Transport, rank: int, size: int, name: str, timeout: timedelta
    ) -> None:
        super().__init__(transport, rank, size, name, timeout)
        self._lane = Lane("collectives")
        # Messages to and from each rank have a lane of their own: none waits for another.
        self._message_lanes: dict[tuple[str, int], Lane] = {}
        # What compares calls before they are made, if somebody asked for that.
        self.checks: Callable[[str, Sequence[Tensor], int, str], None] | None = None
        self._coalesced: list[Work] | None = None

    def shutdown(self) -> None:
        for lane in (self._lane, *self._message_lanes.values()):
            lane.close()
        self.transport.close()

    def abort(self) -> None:
        self.transport.abort("it has been aborted")
        self.shutdown()

    # -- how calls are made --
    def _do(
        self,
        kind: OpType,
        opts: Any,
        results: list[Any],
        tensors: Sequence[Tensor],
        job: Callable[[Staging, timedelta], None],
        facts: str = "",
    ) -> Work:
        """Make a collective: now if it is waited for, else beside what the caller does."""
        self._sequence += 1
        timeout, number = self._time(opts), self._sequence

        def work() -> list[Any]:
            if self.checks is not None:
                self.checks(kind.name, tensors, number, facts)
            staging = Staging()
            job(staging, timeout)
            staging.end()
            return results

        if not opts.asyncOp and self._coalesced is None:
            self._lane.run(work)
            return DoneWork(results, kind)
        made = FutureWork(self._lane.submit(work), kind)
        if self._coalesced is not None:
            self._coalesced.append(made)
        return made

    def _start_coalescing(self) -> None:
        self._coalesced = []

    def _end_coalescing(self) -> Work:
        works, self._coalesced = self._coalesced or [], None
        together = torch.futures.collect_all([work.get_future() for work in works])
        return FutureWork(
            together.then(lambda done: [t for f in done.value() for t in f.value()]),
            OpType.COALESCED,
        )

    def _message(
        self, kind: OpType, key: tuple[str, int], tensor: Tensor, job: Callable[[Staging], int]
    ) -> Work:
        lane = self._message_lanes.get(key)
        if lane is None:
            lane = self._message_lanes[key] = Lane(f"{key[0]} {key[1]}")

        def work() -> int:
            staging = Staging()
            found = job(staging)
            staging.end()
            return found

        made = _Message(lane.submit(work), kind)
        if self._coalesced is not None:
            self._coalesced.append(made)
        return made


class _Message(FutureWork):
    """A send or a receive, whose job gives the rank that the message came from."""

    def source_rank(self) -> int:
        return int(self._future.wait())

    _source_rank = source_rank

    def result(self) -> list[Any]:
        self.wait()
        return []
