"""The backend ``nccl``: collectives of tensors on GPUs, queued on a stream of their own.

Nothing waits on the host. A collective's stream waits for what the caller has queued so far, and the caller's stream
waits for the collective when its `Work` is waited for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import rushlight as torch
from rushlight.distributed._groups import options
from rushlight.distributed._groups.flight_recorder import Entry, recorder
from rushlight.distributed._groups.options import NO_TIMEOUT, OpType
from rushlight.distributed._groups.reduce_op import ReduceOp
from rushlight.distributed._groups.transport import Staging
from rushlight.distributed._groups.transport_backend import TransportBackend
from rushlight.distributed._groups.watchdog import Settings, Watchdog
from rushlight.distributed._groups.work import Work
from rushlight.distributed._stores.base import Store
from rushlight.engine.core.errors import DistBackendError
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import context, driver, nccl, streams
from rushlight.futures import Future

__all__ = ["NCCLBackend", "NCCLTransport", "StreamWork"]

_Op = ReduceOp.RedOpType
_OPERATIONS = {
    _Op.SUM: nccl.SUM, _Op.PRODUCT: nccl.PRODUCT, _Op.MAX: nccl.MAX, _Op.MIN: nccl.MIN, _Op.AVG: nccl.AVERAGE,
    # The factor has been multiplied with before.
    _Op.PREMUL_SUM: nccl.SUM,
}  # fmt: skip
# Sums of truth values: whether any is true. Products: whether all are.
_OF_BOOL = {
    _Op.SUM: nccl.MAX, _Op.PRODUCT: nccl.MIN, _Op.MAX: nccl.MAX, _Op.MIN: nccl.MIN,
}  # fmt: skip


def computed_as(op: Any, dtype: Any) -> tuple[int, int, int]:
    """The library's type, how many of its elements make one of ours, and its operation."""
    if op in (_Op.BAND, _Op.BOR, _Op.BXOR):
        raise ValueError(f"Cannot use ReduceOp.{op.name} with NCCL")
    if dtype is torch.bool:
        if op not in _OF_BOOL:
            raise TypeError(f"Cannot use ReduceOp.{op.name} with boolean inputs")
        return nccl.TYPES["u8"], 1, _OF_BOOL[op]
    memory, count = dtype.memory, 1
    if dtype.is_complex:
        if op not in (_Op.SUM, _Op.AVG, _Op.PREMUL_SUM):
            raise ValueError(f"ReduceOp.{op.name} does not support complex tensors")
        memory, count = {"c64": "f32", "c128": "f64", "c32": "f16"}[memory], 2
    if memory not in nccl.TYPES:
        raise TypeError(f"NCCL has no type for elements of {dtype}")
    return nccl.TYPES[memory], count, _OPERATIONS[op]


class NCCLTransport:
    """Moves elements between GPUs, on the current stream; places are addresses of the device.

    Args:
        store: where processes tell each other the communicator's name
        rank: this process's rank in the group
        size: how many processes there are
    """

    def __init__(self, store: Store, rank: int, size: int) -> None:
        self._store, self.rank, self.size = store, rank, size
        self._made: nccl.Communicator | None = None
        self.device = -1
        # Why it does nothing any more.
        self.ended = ""

    def use(self, device: int) -> None:
        """Make the communicator for a device, with all processes, if there is none yet."""
        self._check_ended()
        if self._made is None:
            self.device = device
            if self.rank == 0:
                self._store.set("unique id", nccl.unique_id())
            with context.on(device):
                self._made = nccl.Communicator(self.size, self._store.get("unique id"), self.rank)
        elif device != self.device:
            raise ValueError(
                f"this group's tensors are on cuda:{self.device}, this one is on cuda:{device}"
            )

    def _check_ended(self) -> None:
        if self.ended:
            raise DistBackendError(
                f"NCCL communicator was aborted on rank {self.rank}. Original reason for failure was: {self.ended}"
            )

    @property
    def communicator(self) -> nccl.Communicator:
        self._check_ended()
        assert self._made is not None
        return self._made

    @property
    def stream(self) -> int:
        return streams.current(self.device).handle

    def barrier(self, timeout: timedelta) -> None:
        with torch.no_grad():
            one = torch.zeros(1, dtype=torch.uint8, device=f"cuda:{self.device}")
        self.all_reduce(one.data_ptr(), one.data_ptr(), 1, torch.uint8, _Op.SUM, timeout)

    def all_reduce(
        self, source: int, target: int, count: int, dtype: Any, op: Any, timeout: timedelta
    ) -> None:
        kind, parts, how = computed_as(op, dtype)
        self.communicator.all_reduce(source, target, count * parts, kind, how, self.stream)

    def reduce(
        self, source: int, target: int, count: int, dtype: Any, op: Any, root: int, timeout: timedelta
    ) -> None:  # fmt: skip
        kind, parts, how = computed_as(op, dtype)
        # Only the root's place is written.
        self.communicator.reduce(
            source, target or source, count * parts, kind, how, root, self.stream
        )

    def broadcast(self, place: int, nbytes: int, root: int, timeout: timedelta) -> None:
        self.communicator.broadcast(place, place, nbytes, root, self.stream)

    def all_gather(
        self, source: int, targets: Sequence[int], lengths: Sequence[int], timeout: timedelta
    ) -> None:
        if _is_one_piece(targets, lengths) and len(set(lengths)) == 1:
            self.communicator.all_gather(source, targets[0], lengths[0], self.stream)
            return
        with nccl.group():
            for root, (target, length) in enumerate(zip(targets, lengths)):
                given = source if root == self.rank else target
                self.communicator.broadcast(given, target, length, root, self.stream)

    def gather(
        self, source: int, targets: Sequence[int], nbytes: int, root: int, timeout: timedelta
    ) -> None:
        received = targets if self.rank == root else ()
        self._exchange({root: (source, nbytes)}, {k: (t, nbytes) for k, t in enumerate(received)})

    def scatter(
        self, sources: Sequence[int], target: int, nbytes: int, root: int, timeout: timedelta
    ) -> None:
        sent = sources if self.rank == root else ()
        self._exchange({k: (s, nbytes) for k, s in enumerate(sent)}, {root: (target, nbytes)})

    def reduce_scatter(
        self, sources: Sequence[int], target: int, counts: Sequence[int], dtype: Any, op: Any,
        timeout: timedelta,
    ) -> None:  # fmt: skip
        kind, parts, how = computed_as(op, dtype)
        lengths = [count * dtype.itemsize for count in counts]
        if _is_one_piece(sources, lengths) and len(set(lengths)) == 1:
            self.communicator.reduce_scatter(
                sources[0], target, counts[0] * parts, kind, how, self.stream
            )
            return
        with nccl.group():
            for root, (source, count) in enumerate(zip(sources, counts)):
                into = target if root == self.rank else source
                self.communicator.reduce(source, into, count * parts, kind, how, root, self.stream)

    def all_to_all(
        self, sources: Sequence[int], targets: Sequence[int], sent: Sequence[int],
        received: Sequence[int], timeout: timedelta,
    ) -> None:  # fmt: skip
        self._exchange(dict(enumerate(zip(sources, sent))), dict(enumerate(zip(targets, received))))

    def _exchange(
        self, sent: dict[int, tuple[int, int]], received: dict[int, tuple[int, int]]
    ) -> None:
        """Messages to and from ranks, all at once; what this process sends itself is copied."""
        if self.rank in sent and self.rank in received:
            (source, nbytes), (target, _) = sent.pop(self.rank), received.pop(self.rank)
            if nbytes and source != target:
                driver.copy_within(target, source, nbytes, self.stream)
        with nccl.group():
            for rank, (place, nbytes) in sent.items():
                if nbytes:
                    self.communicator.send(place, nbytes, rank, self.stream)
            for rank, (place, nbytes) in received.items():
                if nbytes:
                    self.communicator.receive(place, nbytes, rank, self.stream)

    def send(self, place: int, nbytes: int, rank: int, tag: int, timeout: timedelta) -> None:
        self.communicator.send(place, nbytes, rank, self.stream)

    def receive(self, place: int, nbytes: int, rank: int, tag: int, timeout: timedelta) -> None:
        self.communicator.receive(place, nbytes, rank, self.stream)

    def receive_any(self, place: int, nbytes: int, tag: int, timeout: timedelta) -> int:
        raise RuntimeError("Backend nccl does not support recv from any rank: name the source")

    def missing(self) -> list[int]:
        """The library does not say who is gone."""
        return []

    def abort(self, reason: str) -> None:
        self.ended = self.ended or reason
        if self._made is not None:
            made, self._made = self._made, None
            made.abort()

    def close(self) -> None:
        if self._made is not None:
            self._made.destroy()
            self._made = None


def _milliseconds(time: timedelta) -> int:
    return int(time.total_seconds() * 1000)


def _is_one_piece(places: Sequence[int], lengths: Sequence[int]) -> bool:
    """Whether pieces of memory lie one behind the other."""
    return all(b == a + n for a, b, n in zip(places, places[1:], lengths))


class Facts(NamedTuple):
    """What messages say of a collective.

    Args:
        number: how many the group has had with it
        counts: how many elements its inputs and its outputs have
        timeout: how long it may take
        entry: what the flight recorder has
    """

    number: int
    counts: tuple[int, int]
    timeout: timedelta
    entry: Entry


class StreamWork(Work):
    """Work that a stream does.

    Args:
        tensors: what it writes
        kind: which collective it is
        event: what comes when it is done
        transport: what does it
        facts: what messages say of it
        blocks: whether the host waits, too
    """

    def __init__(
        self, tensors: list[Any], kind: OpType, event: Any, transport: NCCLTransport, facts: Facts,
        blocks: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(op_type=kind)
        self._tensors, self._event, self._transport, self._blocks = (
            tensors,
            event,
            transport,
            blocks,
        )
        self._facts, self._started = facts, time.monotonic()
        self._error: DistBackendError | None = None

    def __repr__(self) -> str:
        facts = self._facts
        return (
            f"WorkNCCL(SeqNum={facts.number}, OpType={self._op_type.name}, NumelIn={facts.counts[0]}, "
            f"NumelOut={facts.counts[1]}, Timeout(ms)={_milliseconds(facts.timeout)})"
        )

    def is_completed(self) -> bool:
        if self._error is not None:
            return True
        self._transport.communicator.check()
        if not self._event.query():
            return False
        if not self._facts.entry.retired:
            recorder.end(self._facts.entry, completed=True)
        return True

    def exception(self) -> BaseException | None:
        return self._error

    def check_time(self, timeout: timedelta | None) -> None:
        """Raise if it takes longer than a time-out, its own if None."""
        ran = timedelta(seconds=time.monotonic() - self._started)
        if ran > (self._facts.timeout if timeout is None else timeout):
            raise DistBackendError(
                f"[Rank {self._transport.rank}] Watchdog caught collective operation timeout: {self!r} ran for "
                f"{_milliseconds(ran)} milliseconds before timing out."
            )

    def fail(self, error: DistBackendError) -> None:
        """Let whoever waits get an error, the first one that is found."""
        self._error = self._error or error
        recorder.end(self._facts.entry, completed=False)

    def wait(self, timeout: timedelta = NO_TIMEOUT) -> bool:
        """Let the current stream wait; the host, too, if a time-out is given."""
        if self._error is None:
            self._transport.communicator.check()
            with torch.cuda.device(self._transport.device):
                self._event.wait()
        if timeout.total_seconds() > 0:
            self._wait_on_host(timeout)
        elif self._blocks:
            self._wait_on_host(None)
        elif self._error is not None:
            raise self._error
        return True

    def _wait_on_host(self, timeout: timedelta | None) -> None:
        try:
            while not self.is_completed():
                self.check_time(timeout)
                time.sleep(1e-4)
        except DistBackendError as error:
            self.fail(error)
        if self._error is not None:
            # The watchdog may have found it first; it is the one who waits that ends the communicator.
            self._transport.abort(str(self._error))
            raise self._error

    def result(self) -> list[Any]:
        return self._tensors

    def get_future(self) -> Future[Any]:
        """A future that is done at once: what reads its tensors comes after the work in the current stream."""
        self.wait()
        future: Future[Any] = Future()
        future.set_result(self._tensors)
        return future


class NCCLBackend(TransportBackend):
    """Collectives of tensors on one GPU for each process.

    Args:
        store: where processes tell each other the communicator's name
        rank: this process's rank
        size: how many processes there are
        timeout: how long a collective may take
        device: the GPU, if it is known before the first collective
    """

    device_type, device_title = "cuda", "a GPU"

    def __init__(
        self, store: Store, rank: int, size: int, timeout: timedelta, device: int | None = None
    ) -> None:
        super().__init__(NCCLTransport(store, rank, size), rank, size, "nccl", timeout)
        self.settings = Settings()
        self._watchdog = Watchdog(self)
        self._messages = 0
        self._stream: Any = None
        self._device = device
        # Copies back to tensors of other layouts, which come when all that is made together has been queued.
        self._coalesced: list[tuple[Staging, list[Any]]] | None = None

    def _on_stream(self, tensors: Sequence[Any]) -> Any:
        """The stream of collectives, behind what the caller has queued."""
        device = next((t.device.index for t in tensors), self._device)
        device = context.current() if device is None else device
        self._device = device
        self.transport.use(device)
        if self._stream is None:
            self._stream = torch.cuda.Stream(device)
        self._stream.wait_stream(torch.cuda.current_stream(device))
        return torch.cuda.stream(self._stream)

    def _end(self, staging: Staging) -> None:
        """Copy back, and say that this stream uses what it has read and written."""
        staging.end()
        for tensor in staging.memory():
            tensor.record_stream(self._stream)

    def tell_group(self, name: str, description: str, ranks: Sequence[int]) -> None:
        super().tell_group(name, description, ranks)
        recorder.know(name, description, ranks)

    @property
    def global_rank(self) -> int:
        """This process's rank among all."""
        return self.group_ranks[self._rank]

    def _queue(
        self, tensors: list[Any], inputs: Sequence[Any], kind: OpType, timeout: timedelta, job: Callable[[Staging], Any],
        other: int = -1,
    ) -> StreamWork:  # fmt: skip
        """Queue a collective, or a message to or from another rank."""
        staging = Staging()
        with self._on_stream(tensors):
            job(staging)
            if self._coalesced is None:
                self._end(staging)
            else:
                self._coalesced.append((staging, tensors))
            return self._work(tensors, inputs, kind, timeout, other)

    def _work(
        self,
        tensors: list[Any],
        inputs: Sequence[Any],
        kind: OpType,
        timeout: timedelta,
        other: int = -1,
    ) -> StreamWork:
        """What ends with all that this stream has been given, looked after by the watchdog."""
        numbers = self._sequence, self._messages
        entry = recorder.record(
            (self.group_name, self.group_desc), kind, (self._rank, other), numbers, inputs, tensors,
            _milliseconds(timeout),
        )  # fmt: skip
        counts = sum(t.numel() for t in inputs), sum(t.numel() for t in tensors)
        number = self._sequence if other < 0 else self._messages
        blocks = self.settings.blocks or kind is OpType.BARRIER
        event = self._stream.record_event()
        facts = Facts(number, counts, timeout, entry)
        made = StreamWork(tensors, kind, event, self.transport, facts, blocks)
        # Events of a graph that is recorded do not come; a member of a group of calls comes with that.
        if self._coalesced is None and not torch.cuda.is_current_stream_capturing():
            self._watchdog.watch(made)
        return made

    def _do(
        self, kind: OpType, opts: Any, results: list[Any], tensors: Sequence[Tensor],
        job: Callable[[Staging, timedelta], None], facts: str = "",
    ) -> Work:  # fmt: skip
        """Queue a collective; the caller's stream waits for it unless it is made beside."""
        self._sequence += 1
        timeout = self._time(opts)
        listed = [t for x in results for t in (x if isinstance(x, (list, tuple)) else (x,))]
        given = listed or list(tensors)
        made = self._queue(given, tensors, kind, timeout, lambda staging: job(staging, timeout))
        made._tensors = results
        if not opts.asyncOp and self._coalesced is None:
            made.wait()
        return made

    def _message(
        self, kind: OpType, key: tuple[str, int], tensor: Tensor, job: Callable[[Staging], int]
    ) -> Work:
        self._messages += 1
        made = self._queue([tensor], [tensor], kind, self._timeout, job, key[1])
        made._rank = key[1]
        return made

    def _start_coalescing(self) -> None:
        self._coalesced = []
        nccl.call("ncclGroupStart")

    def _end_coalescing(self) -> Work:
        nccl.call("ncclGroupEnd")
        together, self._coalesced = self._coalesced or [], None
        tensors = [t for _, own in together for t in own]
        with self._on_stream(tensors):
            for staging, _ in together:
                self._end(staging)
            return self._work(tensors, tensors, OpType.COALESCED, self._timeout)

    def _all_reduce_sparse(self, tensors: list[Tensor], opts: Any, how: ReduceOp) -> Work:
        raise RuntimeError("Backend nccl does not support all_reduce of sparse tensors")

    def monitored_barrier(self, opts: Any = None, wait_all_ranks: bool = False) -> Work:
        raise RuntimeError("Backend nccl does not support monitoredBarrier")

    def barrier(self, opts: Any = None) -> Work:
        opts = opts or options.BarrierOptions()
        if opts.device_ids:
            self._device = int(opts.device_ids[0])
        return super().barrier(opts)

    def eager_connect_single_device(self, device: Any) -> None:
        """Make the communicator now."""
        self.transport.use(torch.device(device).index or 0)

    def shutdown(self) -> None:
        self._watchdog.close()
        if self._stream is not None and not self.transport.ended:
            self._stream.synchronize()
        self.transport.close()
        recorder.forget(self.group_name)

    def abort(self) -> None:
        self._watchdog.close()
        self.transport.abort("it has been aborted")
