"""Collectives between simulated ranks: what each rank would get, computed from what all have."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import rushlight as torch
from rushlight.distributed._groups.backend import Backend
from rushlight.distributed._groups.process_group import ProcessGroup
from rushlight.distributed._groups.reduce_op import ReduceOp
from rushlight.distributed._groups.work import NO_TIMEOUT, DoneWork, Work
from rushlight.distributed._groups.world import world
from rushlight.distributed._local_tensor import _active
from rushlight.distributed._local_tensor._integers import LocalIntNode
from rushlight.distributed._local_tensor._mode import maybe_disable_local_tensor_mode
from rushlight.distributed._local_tensor._tensor import LocalTensor, on_rank, tensors_in

__all__ = ["LocalBackend", "groups_beside", "local_p2p_op", "wait_all"]

Tensor = torch.Tensor

_COMBINING: dict[Any, Callable[[Any, Any], Any]] = {
    ReduceOp.SUM: torch.add,
    ReduceOp.AVG: torch.add,
    ReduceOp.PREMUL_SUM: torch.add,
    ReduceOp.PRODUCT: torch.mul,
    ReduceOp.MIN: torch.minimum,
    ReduceOp.MAX: torch.maximum,
    ReduceOp.BAND: torch.bitwise_and,
    ReduceOp.BOR: torch.bitwise_or,
    ReduceOp.BXOR: torch.bitwise_xor,
}


def reduced(tensors: Sequence[Tensor], op: Any) -> Tensor:
    """What a reduction makes of the tensors of all ranks, in the order of ranks."""
    given = ReduceOp(op)
    parts = list(tensors)
    if given == ReduceOp.PREMUL_SUM:
        parts = [part * given.factor for part in parts]
    found: Tensor = functools.reduce(_COMBINING[given.op], parts)
    if given == ReduceOp.AVG:
        found = torch.div(found, len(parts)).to(parts[0].dtype)
    return found


def groups_beside(ranks: Sequence[int], everybody: frozenset[int]) -> list[list[int]]:
    """The groups that one program forms on all ranks, of which one is known.

    Those of the other ranks are taken to lie as this one does: moved by some number of ranks.
    """
    first = min(ranks)
    steps = [rank - first for rank in ranks]
    left, found = set(everybody), []
    while left:
        moved = [min(left) + step for step in steps]
        if not left.issuperset(moved):
            if set(ranks) == everybody:
                break
            raise NotImplementedError(
                f"a collective of ranks {list(ranks)} among the simulated ranks {sorted(everybody)}: the other "
                f"ranks cannot be divided into groups that lie as this one does (tried {moved})"
            )
        left -= set(moved)
        found.append(moved)
    return found


class LocalBackend(Backend):
    """The collectives of a group, and of those beside it, on `LocalTensor`\\ s.

    Args:
        group: the group that this process is in
    """

    def __init__(self, group: ProcessGroup) -> None:
        super().__init__(group.rank(), group.size())
        self.ranks = world.member(group).ranks

    def getBackendName(self) -> str:
        return "local"

    def _play(self, compute: Callable[[list[Any]], None], *values: Any) -> Work:
        """A collective of each group.

        Args:
            compute: gets for each rank of a group the values that it has, and writes what it gets into its tensors
            values: the arguments, the same that a backend gets
        """
        found = [x for x in tensors_in(values) if isinstance(x, LocalTensor)]
        here = frozenset.intersection(*(x._ranks for x in found))
        with maybe_disable_local_tensor_mode(), torch.no_grad():
            for ranks in groups_beside(self.ranks, here):
                compute([on_rank(values, rank) for rank in ranks])
        return DoneWork(list(tensors_in(values[0])))

    # -- one tensor --
    def allreduce(self, tensors: Any, opts: Any) -> Work:
        """All get what is made of all."""

        def compute(ranks: list[Any]) -> None:
            for column in zip(*(own for (own,) in ranks)):
                found = reduced(column, opts.reduceOp)
                for x in column:
                    x.copy_(found)

        return self._play(compute, tensors)

    allreduce_coalesced = allreduce

    def broadcast(self, tensors: Any, opts: Any) -> Work:
        """All get what one has."""

        def compute(ranks: list[Any]) -> None:
            for column in zip(*(own for (own,) in ranks)):
                for x in column:
                    x.copy_(column[opts.rootRank])

        return self._play(compute, tensors)

    def reduce(self, tensors: Any, opts: Any) -> Work:
        """One gets what is made of all."""

        def compute(ranks: list[Any]) -> None:
            for column in zip(*(own for (own,) in ranks)):
                column[opts.rootRank].copy_(reduced(column, opts.reduceOp))

        return self._play(compute, tensors)

    def barrier(self, opts: Any = None) -> Work:
        """All ranks are in one process, and have come."""
        return DoneWork([])

    # -- from all --
    def allgather(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        """All get the tensors of all."""

        def compute(ranks: list[Any]) -> None:
            for lists, _ in ranks:
                for k, targets in enumerate(lists):
                    for target, (_, others) in zip(targets, ranks, strict=True):
                        target.copy_(others[k])

        return self._play(compute, outputs, inputs)

    def _allgather_base(self, output: Any, own: Any, opts: Any = None) -> Work:
        def compute(ranks: list[Any]) -> None:
            whole = torch.cat([part.reshape(-1) for _, part in ranks])
            for target, _ in ranks:
                target.copy_(whole.view(target.shape))

        return self._play(compute, output, own)

    def allgather_into_tensor_coalesced(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        """The same for several tensors."""
        for output, own in zip(outputs, inputs, strict=True):
            self._allgather_base(output, own)
        return DoneWork(list(outputs))

    def gather(self, outputs: Any, inputs: Any, opts: Any) -> Work:
        """One gets the tensors of all."""

        def compute(ranks: list[Any]) -> None:
            lists, _ = ranks[opts.rootRank]
            for target, (_, own) in zip(lists[0], ranks, strict=True):
                target.copy_(own[0])

        return self._play(compute, outputs, inputs)

    # -- to all --
    def scatter(self, outputs: Any, inputs: Any, opts: Any) -> Work:
        """Each gets one of the tensors of one."""

        def compute(ranks: list[Any]) -> None:
            _, lists = ranks[opts.rootRank]
            for (own, _), given in zip(ranks, lists[0], strict=True):
                own[0].copy_(given)

        return self._play(compute, outputs, inputs)

    def reduce_scatter(self, outputs: Any, inputs: Any, opts: Any) -> Work:
        """Each gets what is made of one of the tensors of all."""

        def compute(ranks: list[Any]) -> None:
            found = [reduced(column, opts.reduceOp) for column in zip(*(x[0] for _, x in ranks))]
            for (own, _), x in zip(ranks, found, strict=True):
                own[0].copy_(x)

        return self._play(compute, outputs, inputs)

    def _reduce_scatter_base(self, output: Any, whole: Any, opts: Any) -> Work:
        def compute(ranks: list[Any]) -> None:
            found = reduced([given for _, given in ranks], opts.reduceOp).reshape(len(ranks), -1)
            for (own, _), x in zip(ranks, found):
                own.copy_(x.view(own.shape))

        return self._play(compute, output, whole)

    def reduce_scatter_tensor_coalesced(self, outputs: Any, inputs: Any, opts: Any) -> Work:
        """The same for several tensors."""
        for output, whole in zip(outputs, inputs, strict=True):
            self._reduce_scatter_base(output, whole, opts)
        return DoneWork(list(outputs))

    def alltoall(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        """Each gets one of the tensors of each."""

        def compute(ranks: list[Any]) -> None:
            for k, (targets, _) in enumerate(ranks):
                for target, (_, given) in zip(targets, ranks, strict=True):
                    target.copy_(given[k])

        return self._play(compute, outputs, inputs)

    def alltoall_base(
        self, output: Any, whole: Any, received: Any = (), sent: Any = (), opts: Any = None
    ) -> Work:
        """Each gets some rows of each."""

        def compute(ranks: list[Any]) -> None:
            rows = [
                given.split(list(sizes) or given.shape[0] // len(ranks))
                for _, given, sizes in ranks
            ]
            for k, (target, _, _) in enumerate(ranks):
                target.copy_(torch.cat([pieces[k] for pieces in rows]).view(target.shape))

        return self._play(compute, output, whole, sent)

    # -- messages --
    def send(self, tensors: Any, destination: int, tag: int = 0) -> Work:
        """Leave what a rank has for another one."""
        from rushlight.distributed._local_tensor._runner import LocalRunnerMode

        source = _own_rank("send")
        with maybe_disable_local_tensor_mode():
            message = [on_rank(x, source).detach().clone() for x in tensors]
        runner = LocalRunnerMode.current()
        runner._signal_send(source, self.ranks[destination], (tag, message))
        return DoneWork(list(tensors))

    def recv(self, tensors: Any, source: int, tag: int = 0) -> Work:
        """Take what another rank has left, when it is waited for."""
        return _Receiving(tensors, self.ranks[source], _own_rank("recv"), tag)

    def recv_anysource(self, tensors: Any, tag: int = 0) -> Work:
        """Take what any rank has left."""
        return _Receiving(tensors, -1, _own_rank("recv"), tag)


def _own_rank(what: str) -> int:
    rank = _active.simulated_rank()
    if rank is None:
        raise RuntimeError(
            f"{what} on a LocalTensor: which rank does it? local_p2p_op calls it for each, within LocalRunnerMode"
        )
    return rank


class _Receiving(Work):
    """A message that is taken when it is waited for.

    Args:
        tensors: where it goes
        source: whose message it is; -1 for anybody's
        destination: which of the simulated ranks gets it
        tag: the tag of the message
    """

    def __init__(self, tensors: Any, source: int, destination: int, tag: int) -> None:
        super().__init__()
        self._tensors, self._tag = tensors, tag
        self._source, self._destination = source, destination
        self._has_come = False

    def is_completed(self) -> bool:
        return self._has_come

    def wait(self, timeout: timedelta = NO_TIMEOUT) -> bool:
        from rushlight.distributed._local_tensor._runner import LocalRunnerMode

        if not self._has_come:
            runner = LocalRunnerMode.current()
            message = runner._wait_recv(self._source, self._destination, self._tag)
            with maybe_disable_local_tensor_mode(), torch.no_grad():
                for target, x in zip(self._tensors, message, strict=True):
                    on_rank(target, self._destination).copy_(x)
            self._has_come = True
        return True

    def result(self) -> list[Any]:
        return list(self._tensors)


def local_p2p_op(dst: Any, tensor: Tensor, op: Callable[..., Any]) -> list[Any]:
    """Send or receive on several simulated ranks.

    Args:
        dst: to whom each sends, or from whom it receives: the peer by rank. Ranks that are left out do neither
        tensor: what is sent, or where it goes
        op: `isend` or `irecv`
    """
    if not isinstance(dst.node, LocalIntNode):
        raise AssertionError(
            f"dst must be a SymInt of a LocalIntNode, which has a peer for each rank, not {dst!r}"
        )
    local = getattr(tensor, "_local_tensor", tensor)
    works = []
    for rank, peer in dst.node._local_ints.items():
        with _active.standing_for(rank):
            works.append(op(local, peer))
    return works


def wait_all(work: Any) -> None:
    """Wait for work, for each of a list, or for none.

    Args:
        work: what `local_p2p_op` or a collective has given
    """
    for one in work if isinstance(work, (list, tuple)) else [work]:
        if one is not None:
            one.wait()
