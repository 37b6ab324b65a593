"""Collectives over tensors, for any way to move bytes.

Whatever way there is (`Transport`) gets addresses of contiguous memory. Here calls are checked, and tensors of other
layouts are copied before and after. How jobs are put in order is left to backends: see `HostBackend`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import rushlight as torch
from rushlight.distributed._groups import options
from rushlight.distributed._groups.backend import Backend, BackendOptions
from rushlight.distributed._groups.options import NO_TIMEOUT, OpType
from rushlight.distributed._groups.reduce_op import ReduceOp
from rushlight.distributed._groups.transport import Staging
from rushlight.distributed._groups.work import Work
from rushlight.engine.core.tensor import Tensor, data_pointer

__all__ = ["TransportBackend"]


def _nbytes(tensor: Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _check_alike(tensors: Sequence[Tensor], what: str) -> None:
    first = tensors[0]
    for tensor in tensors:
        if tensor.dtype is not first.dtype:
            raise RuntimeError(
                f"{what}: tensors of {first.dtype} and {tensor.dtype} do not go together"
            )


def _check_even(tensors: Sequence[Tensor], like: Tensor, size: int, what: str) -> None:
    """Raise unless there is a tensor for each rank that is as large as the own one."""
    if len(tensors) != size:
        raise ValueError(f"{what}: expected {size} tensors, one for each rank, got {len(tensors)}")
    _check_alike([like, *tensors], what)
    for tensor in tensors:
        if tensor.numel() != like.numel():
            raise RuntimeError(
                f"{what}: tensors of {tensor.numel()} and of {like.numel()} elements; sizes must match"
            )


class TransportBackend(Backend):
    """A backend over a transport.

    Args:
        transport: what moves the bytes
        rank: this process's rank
        size: how many processes there are
        name: what the backend is called
        timeout: how long a collective may take
    """

    supports_coalescing = True
    # The type of the device that tensors are on, and what messages call it.
    device_type, device_title = "cpu", "the CPU"

    def __init__(self, transport: Any, rank: int, size: int, name: str, timeout: timedelta) -> None:
        super().__init__(rank, size)
        self.transport, self._name, self._timeout = transport, name, timeout

    def getBackendName(self) -> str:
        return self._name

    @property
    def options(self) -> BackendOptions:
        return BackendOptions(self._name, self._timeout)

    def _time(self, opts: Any) -> timedelta:
        timeout: timedelta = opts.timeout
        return self._timeout if timeout == NO_TIMEOUT else timeout

    def _do(
        self,
        kind: OpType,
        opts: Any,
        results: list[Any],
        tensors: Sequence[Tensor],
        job: Callable[[Staging, timedelta], None],
        facts: str = "",
    ) -> Work:
        """Make a collective, after those that were asked for before."""
        raise NotImplementedError

    def _message(
        self, kind: OpType, key: tuple[str, int], tensor: Tensor, job: Callable[[Staging], int]
    ) -> Work:
        """Send or receive; the job gives the rank that a message came from."""
        raise NotImplementedError

    def _check_strided(self, tensors: Sequence[Any], what: str) -> None:
        for tensor in tensors:
            if not isinstance(tensor, torch.Tensor):
                raise TypeError(f"{what}: expected tensors, got {type(tensor).__name__}")
            if tensor.layout is not torch.strided:
                raise RuntimeError(f"{what}: unsupported layout {tensor.layout}")
            if tensor.device.type != self.device_type:
                raise RuntimeError(
                    f"{what}: tensors are to be on {self.device_title}, not on {tensor.device}"
                )

    # -- collectives --
    def barrier(self, opts: Any = None) -> Work:
        opts = opts or options.BarrierOptions()
        return self._do(OpType.BARRIER, opts, [], (), lambda _, t: self.transport.barrier(t))

    def allreduce(self, tensors: Any, opts: Any = None) -> Work:
        opts = opts or options.AllreduceOptions()
        tensors = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        how = ReduceOp(opts.reduceOp)
        if any(tensor.layout is torch.sparse_coo for tensor in tensors):
            return self._all_reduce_sparse(tensors, opts, how)
        self._check_strided(tensors, "all_reduce")

        def job(staging: Staging, timeout: timedelta) -> None:
            for tensor in tensors:
                source, target = self._contribution(staging, tensor, tensor, how)
                self.transport.all_reduce(
                    source, target, tensor.numel(), tensor.dtype, how.op, timeout
                )

        return self._do(OpType.ALLREDUCE, opts, tensors, tensors, job, str(how.op))

    def allreduce_coalesced(self, tensors: Any, opts: Any = None) -> Work:
        return self.allreduce(tensors, opts or options.AllreduceCoalescedOptions())

    @staticmethod
    def _contribution(
        staging: Staging, tensor: Tensor, target: Tensor, how: ReduceOp
    ) -> tuple[int, int]:
        """Where a rank's part of a reduction is, and where the result goes."""
        place = staging.write(target, read=tensor is target)
        if how.op is ReduceOp.PREMUL_SUM:
            with torch.no_grad():
                factor = how.factor.detach() if isinstance(how.factor, torch.Tensor) else how.factor
                return staging.read((tensor.detach() * factor).to(tensor.dtype)), place
        return (place if tensor is target else staging.read(tensor)), place

    def _all_reduce_sparse(self, tensors: list[Tensor], opts: Any, how: ReduceOp) -> Work:
        if how.op is not ReduceOp.SUM:
            raise RuntimeError("unsupported reduction operation: sparse tensors are summed only")
        results: list[Any] = []

        def job(staging: Staging, timeout: timedelta) -> None:
            for tensor in tensors:
                results.append(self._sparse_sum(tensor.detach().coalesce(), timeout))
                with torch.no_grad():
                    tensor.copy_(results[-1])

        return self._do(OpType._ALLREDUCE_SPARSE, opts, results, (), job)

    def _sparse_sum(self, own: Tensor, timeout: timedelta) -> Tensor:
        counts = [n // 8 for n in self._exchange_lengths(own._nnz() * 8, timeout)]
        indices, values = own.indices().contiguous(), own.values().contiguous()
        all_indices = self._gathered(indices.t().contiguous(), counts, timeout)
        all_values = self._gathered(values, counts, timeout)
        made = torch.sparse_coo_tensor(torch.cat(all_indices).t(), torch.cat(all_values), own.shape)
        return made.coalesce()

    def _gathered(self, own: Tensor, counts: list[int], timeout: timedelta) -> list[Tensor]:
        """Everybody's rows, of which each rank has its own number."""
        found = [torch.empty((n, *own.shape[1:]), dtype=own.dtype) for n in counts]
        self.transport.all_gather(
            data_pointer(own), [data_pointer(t) for t in found], list(map(_nbytes, found)), timeout
        )
        return found

    def _exchange_lengths(self, own: int, timeout: timedelta) -> list[int]:
        """A number of each rank."""
        mine = torch.tensor([own])
        every = torch.empty(self._size, dtype=torch.int64)
        place = data_pointer(every)
        targets = [place + 8 * k for k in range(self._size)]
        self.transport.all_gather(data_pointer(mine), targets, [8] * self._size, timeout)
        found: list[int] = every.tolist()
        return found

    def reduce(self, tensors: Any, opts: Any = None) -> Work:
        opts = opts or options.ReduceOptions()
        self._check_strided(tensors, "reduce")
        (tensor,), how, root = tensors, ReduceOp(opts.reduceOp), opts.rootRank

        def job(staging: Staging, timeout: timedelta) -> None:
            source, target = (
                self._contribution(staging, tensor, tensor, how)
                if self._rank == root
                else (self._to_send(staging, tensor, how), 0)
            )
            self.transport.reduce(
                source, target, tensor.numel(), tensor.dtype, how.op, root, timeout
            )

        return self._do(OpType.REDUCE, opts, [tensor], [tensor], job, f"{how.op} to {root}")

    @staticmethod
    def _to_send(staging: Staging, tensor: Tensor, how: ReduceOp) -> int:
        if how.op is ReduceOp.PREMUL_SUM:
            with torch.no_grad():
                tensor = (tensor.detach() * how.factor).to(tensor.dtype)
        return staging.read(tensor)

    def broadcast(self, tensors: Any, opts: Any = None) -> Work:
        opts = opts or options.BroadcastOptions()
        tensors = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        self._check_strided(tensors, "broadcast")
        root = opts.rootRank

        def job(staging: Staging, timeout: timedelta) -> None:
            for tensor in tensors:
                own = self._rank == root
                place = staging.read(tensor) if own else staging.write(tensor)
                self.transport.broadcast(place, _nbytes(tensor), root, timeout)

        return self._do(OpType.BROADCAST, opts, tensors, tensors, job, f"from {root}")

    def allgather(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        opts = opts or options.AllgatherOptions()
        outputs, (own,) = outputs[0], inputs
        self._check_strided([own, *outputs], "all_gather")
        _check_alike([own, *outputs], "all_gather")
        if len(outputs) != self._size:
            raise ValueError(
                f"all_gather: expected {self._size} output tensors, one for each rank, got {len(outputs)}"
            )
        if outputs[self._rank].numel() != own.numel():
            raise RuntimeError(
                f"all_gather: the input has {own.numel()} elements, its place among the outputs "
                f"{outputs[self._rank].numel()}"
            )

        def job(staging: Staging, timeout: timedelta) -> None:
            source, targets = staging.read(own), list(map(staging.write, outputs))
            self.transport.all_gather(source, targets, list(map(_nbytes, outputs)), timeout)

        return self._do(OpType.ALLGATHER, opts, [outputs], [own], job)

    def _allgather_base(self, output: Tensor, own: Tensor, opts: Any = None) -> Work:
        opts = opts or options.AllgatherOptions()
        self._check_strided([output, own], "all_gather_into_tensor")
        _check_alike([output, own], "all_gather_into_tensor")
        if output.numel() != own.numel() * self._size:
            raise ValueError(
                "output tensor size must be equal to world_size times input tensor size: "
                f"{output.numel()} elements, {self._size} times {own.numel()}"
            )
        return self._do(OpType._ALLGATHER_BASE, opts, [output], [own], self._gathering(output, own))

    def _gathering(self, output: Tensor, own: Tensor) -> Callable[[Staging, timedelta], None]:
        def job(staging: Staging, timeout: timedelta) -> None:
            length, source, target = _nbytes(own), staging.read(own), staging.write(output)
            targets = [target + q * length for q in range(self._size)]
            self.transport.all_gather(source, targets, [length] * self._size, timeout)

        return job

    def allgather_into_tensor_coalesced(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        opts = opts or options.AllgatherOptions()
        jobs = [self._gathering(o, i) for o, i in zip(outputs, inputs, strict=True)]
        return self._do(OpType.COALESCED, opts, list(outputs), list(inputs), _one_by_one(jobs))

    def allgather_coalesced(self, output_lists: Any, inputs: Any, opts: Any = None) -> Work:
        opts = opts or options.AllgatherOptions()
        self._check_strided(inputs, "all_gather_coalesced")

        def job(staging: Staging, timeout: timedelta) -> None:
            for k, own in enumerate(inputs):
                outputs = [of_rank[k] for of_rank in output_lists]
                source, targets = staging.read(own), list(map(staging.write, outputs))
                self.transport.all_gather(source, targets, list(map(_nbytes, outputs)), timeout)

        return self._do(OpType.ALLGATHER_COALESCED, opts, list(output_lists), list(inputs), job)

    def gather(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        opts = opts or options.GatherOptions()
        (own,), root = inputs, opts.rootRank
        outputs = list(outputs[0]) if outputs else []
        self._check_strided([own, *outputs], "gather")
        if self._rank == root:
            _check_even(outputs, own, self._size, "gather")

        def job(staging: Staging, timeout: timedelta) -> None:
            source, targets = staging.read(own), list(map(staging.write, outputs))
            self.transport.gather(source, targets, _nbytes(own), root, timeout)

        return self._do(OpType.GATHER, opts, [outputs], [own], job, f"to {root}")

    def scatter(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        opts = opts or options.ScatterOptions()
        (output,), root = outputs, opts.rootRank
        inputs = list(inputs[0]) if inputs else []
        self._check_strided([output, *inputs], "scatter")
        if self._rank == root:
            _check_even(inputs, output, self._size, "scatter")

        def job(staging: Staging, timeout: timedelta) -> None:
            sources, target = list(map(staging.read, inputs)), staging.write(output)
            self.transport.scatter(sources, target, _nbytes(output), root, timeout)

        return self._do(OpType.SCATTER, opts, [output], [output], job, f"from {root}")

    def reduce_scatter(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        opts = opts or options.ReduceScatterOptions()
        (output,), inputs = outputs, list(inputs[0])
        self._check_strided([output, *inputs], "reduce_scatter")
        _check_alike([output, *inputs], "reduce_scatter")
        if len(inputs) != self._size:
            raise ValueError(
                f"reduce_scatter: expected {self._size} input tensors, one for each rank, "
                f"got {len(inputs)}"
            )
        if inputs[self._rank].numel() != output.numel():
            raise RuntimeError(
                f"reduce_scatter: the output has {output.numel()} elements, this rank's input "
                f"{inputs[self._rank].numel()}"
            )
        how = ReduceOp(opts.reduceOp)

        def job(staging: Staging, timeout: timedelta) -> None:
            sources = [self._to_send(staging, tensor, how) for tensor in inputs]
            target, counts = staging.write(output), [tensor.numel() for tensor in inputs]
            self.transport.reduce_scatter(sources, target, counts, output.dtype, how.op, timeout)

        return self._do(OpType.REDUCE_SCATTER, opts, [output], inputs, job, str(how.op))

    def _reduce_scatter_base(self, output: Tensor, whole: Tensor, opts: Any = None) -> Work:
        opts = opts or options.ReduceScatterOptions()
        self._check_strided([output, whole], "reduce_scatter_tensor")
        _check_alike([output, whole], "reduce_scatter_tensor")
        if whole.numel() != output.numel() * self._size:
            raise ValueError(
                "input tensor must be the same size as output size times world size: "
                f"{whole.numel()} elements, {self._size} times {output.numel()}"
            )
        how = ReduceOp(opts.reduceOp)
        job = self._scattering(output, whole, how)
        return self._do(OpType._REDUCE_SCATTER_BASE, opts, [output], [whole], job, str(how.op))

    def _scattering(
        self, output: Tensor, whole: Tensor, how: ReduceOp
    ) -> Callable[[Staging, timedelta], None]:
        def job(staging: Staging, timeout: timedelta) -> None:
            length, source = _nbytes(output), self._to_send(staging, whole, how)
            sources = [source + q * length for q in range(self._size)]
            target, counts = staging.write(output), [output.numel()] * self._size
            self.transport.reduce_scatter(sources, target, counts, output.dtype, how.op, timeout)

        return job

    def reduce_scatter_tensor_coalesced(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        opts = opts or options.ReduceScatterOptions()
        how = ReduceOp(opts.reduceOp)
        jobs = [self._scattering(o, i, how) for o, i in zip(outputs, inputs, strict=True)]
        return self._do(OpType.COALESCED, opts, list(outputs), list(inputs), _one_by_one(jobs))

    def alltoall(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        opts = opts or options.AllToAllOptions()
        outputs, inputs = list(outputs), list(inputs)
        self._check_strided([*outputs, *inputs], "all_to_all")
        _check_alike([*outputs, *inputs], "all_to_all")
        if len(outputs) != self._size or len(inputs) != self._size:
            raise ValueError(
                f"all_to_all: expected {self._size} inputs and outputs, one for each rank, got "
                f"{len(inputs)} and {len(outputs)}"
            )

        def job(staging: Staging, timeout: timedelta) -> None:
            sources, targets = list(map(staging.read, inputs)), list(map(staging.write, outputs))
            sent, received = list(map(_nbytes, inputs)), list(map(_nbytes, outputs))
            self.transport.all_to_all(sources, targets, sent, received, timeout)

        return self._do(OpType.ALLTOALL, opts, outputs, (), job)

    def alltoall_base(
        self,
        output: Tensor,
        whole: Tensor,
        output_split_sizes: Sequence[int] = (),
        input_split_sizes: Sequence[int] = (),
        opts: Any = None,
    ) -> Work:
        opts = opts or options.AllToAllOptions()
        self._check_strided([output, whole], "all_to_all_single")
        _check_alike([output, whole], "all_to_all_single")
        sent = self._split(whole, input_split_sizes)
        received = self._split(output, output_split_sizes)

        def job(staging: Staging, timeout: timedelta) -> None:
            source, target = staging.read(whole), staging.write(output)
            self.transport.all_to_all(
                _places(source, sent), _places(target, received), sent, received, timeout
            )

        return self._do(OpType.ALLTOALL_BASE, opts, [output], (), job)

    def _split(self, tensor: Tensor, rows: Sequence[int]) -> list[int]:
        """How many bytes of a tensor belong to each rank: equal shares, or so many rows."""
        if not rows:
            length = tensor.size(0) if tensor.dim() else 1
            if length % self._size:
                raise RuntimeError(
                    f"Tensor's dim 0 does not divide equally across group size: {length} rows, "
                    f"{self._size} ranks"
                )
            return [_nbytes(tensor) // self._size] * self._size
        if len(rows) != self._size:
            raise RuntimeError(
                f"Number of tensor splits not equal to group size: {len(rows)}, {self._size}"
            )
        if sum(rows) != tensor.size(0):
            raise RuntimeError(
                f"Split sizes doesn't match total dim 0 size: {sum(rows)}, {tensor.size(0)}"
            )
        row = _nbytes(tensor) // tensor.size(0) if tensor.size(0) else 0
        return [row * n for n in rows]

    # -- messages --
    def send(self, tensors: Any, rank: int, tag: int = 0) -> Work:
        """Send a tensor to a rank."""
        self._check_strided(tensors, "send")
        (tensor,), timeout = tensors, self._timeout

        def job(staging: Staging) -> int:
            self.transport.send(staging.read(tensor), _nbytes(tensor), rank, tag, timeout)
            return self._rank

        return self._message(OpType.SEND, ("send", rank), tensor, job)

    def recv(self, tensors: Any, rank: int, tag: int = 0) -> Work:
        """Receive a tensor from a rank."""
        self._check_strided(tensors, "recv")
        (tensor,), timeout = tensors, self._timeout

        def job(staging: Staging) -> int:
            self.transport.receive(staging.write(tensor), _nbytes(tensor), rank, tag, timeout)
            return rank

        return self._message(OpType.RECV, ("receive", rank), tensor, job)

    def recv_anysource(self, tensors: Any, tag: int = 0) -> Work:
        """Receive a tensor from whoever sends one first."""
        self._check_strided(tensors, "recv")
        (tensor,), timeout = tensors, self._timeout

        def job(staging: Staging) -> int:
            place = staging.write(tensor)
            return self.transport.receive_any(place, _nbytes(tensor), tag, timeout)

        return self._message(OpType.RECVANYSOURCE, ("receive", -1), tensor, job)

    # -- who is there --
    def monitored_barrier(self, opts: Any = None, wait_all_ranks: bool = False) -> Work:
        """A barrier whose error names the ranks that did not come."""
        opts = opts or options.BarrierOptions()
        try:
            return self._do(
                OpType.BARRIER,
                options.BarrierOptions(timeout=opts.timeout, asyncOp=False),
                [],
                (),
                lambda _, t: self.transport.barrier(t),
            )
        except RuntimeError as error:
            raise RuntimeError(f"[Rank {self._rank}]: monitoredBarrier: {error}") from None


def _one_by_one(
    jobs: Sequence[Callable[[Staging, timedelta], None]],
) -> Callable[[Staging, timedelta], None]:
    def job(staging: Staging, timeout: timedelta) -> None:
        for one in jobs:
            one(staging, timeout)

    return job


def _places(start: int, lengths: Sequence[int]) -> list[int]:
    """Where pieces of these lengths begin that lie one after the other."""
    return [start + sum(lengths[:k]) for k in range(len(lengths))]
