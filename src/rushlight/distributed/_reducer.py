"""Averages gradients over processes while they are being computed.

Parameters are put into buckets; a bucket is a flat tensor that is all-reduced as soon as every gradient in it is
there, beside what the backward pass does. Buckets start in the order in which they were made, on all processes
alike. After the first backward pass they are made anew, in the order in which gradients came.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import rushlight as torch
from rushlight.autograd.graph import get_gradient_edge
from rushlight.distributed._groups.objects import all_gather_object
from rushlight.distributed._groups.options import AllreduceOptions, BroadcastOptions
from rushlight.distributed._groups.reduce_op import ReduceOp
from rushlight.distributed._groups.world import world
from rushlight.distributed.utils import lies_in
from rushlight.engine.autograd.resumed import grad_of, set_grad
from rushlight.futures import Future

__all__ = ["GradBucket", "Reducer"]

Tensor = torch.Tensor
Hook = Callable[[Any, "GradBucket"], Future[Any]]
MEBIBYTE = 1 << 20
_UNFINISHED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This error "
    "indicates that your module has parameters that were not used in producing loss. You can enable "
    "unused parameter detection by passing the keyword argument `find_unused_parameters=True` to "
    "`torch.nn.parallel.DistributedDataParallel`. Parameters without gradients: "
)


def no_rows(parameter: Tensor) -> Tensor:
    """A sparse gradient in which no row is anything but zero."""
    rows = torch.empty((1, 0), dtype=torch.int64, device=parameter.device)
    values = parameter.new_empty((0, *parameter.shape[1:]))
    return torch.sparse_coo_tensor(rows, values, parameter.shape)  # type: ignore[no-any-return]


def _verify_params_across_processes(
    process_group: Any, params: Sequence[Tensor], logger: Any = None
) -> None:
    """Raise RuntimeError if a process has parameters of other sizes or types."""
    own = [(list(p.shape), str(p.dtype)) for p in params]
    every: list[Any] = [None] * process_group.size()
    all_gather_object(every, own, process_group)
    rank = process_group.rank()
    for other, theirs in enumerate(every):
        if len(theirs) != len(own):
            raise RuntimeError(
                f"DDP expects same model across all ranks, but Rank {rank} has {len(own)} params, "
                f"while rank {other} has inconsistent {len(theirs)} params."
            )
        for k, (mine, its) in enumerate(zip(own, theirs)):
            if mine != its:
                raise RuntimeError(
                    f"[{rank}]: params[{k}] in this process with sizes {mine[0]} ({mine[1]}) appears "
                    f"not to match sizes of the same param in process {other}: {its[0]} ({its[1]})."
                )


def _broadcast_coalesced(
    process_group: Any, tensors: Sequence[Tensor], buffer_size: int, src: int = 0
) -> None:
    """Give all processes the tensors of one of them; they go one after the other, without a buffer."""
    opts = BroadcastOptions(rootRank=src, asyncOp=False)
    process_group.broadcast(list(tensors), opts).wait()


class _Bucket:
    """Parameters of one element type, and the flat tensor of their gradients.

    A parameter whose gradient is sparse has a bucket of its own, and the gradient is the tensor.
    """

    def __init__(self, parameters: list[Tensor], numbers: list[int], is_sparse: bool) -> None:
        self.parameters, self.numbers, self.is_sparse = parameters, numbers, is_sparse
        first = parameters[0]
        if is_sparse:
            self.flat = no_rows(first)
            self.views = [self.flat]
        else:
            count = sum(p.numel() for p in parameters)
            self.flat = torch.zeros(count, dtype=first.dtype, device=first.device)
            self.views = self._views(self.flat)
        self.missing = len(parameters)
        self.future: Future[Any] | None = None

    def _views(self, flat: Tensor) -> list[Tensor]:
        """The gradient of each parameter, as a part of a flat tensor."""
        if self.is_sparse:
            return [flat]
        pieces = flat.split([p.numel() for p in self.parameters])
        return [piece.view(p.shape) for piece, p in zip(pieces, self.parameters)]


class GradBucket:
    """What a communication hook gets: the gradients of some parameters, in one flat tensor."""

    def __init__(self, bucket: _Bucket, index: int, is_last: bool) -> None:
        self._bucket, self._index, self._is_last = bucket, index, is_last

    def index(self) -> int:
        """The number of the bucket; 0 is ready first."""
        return self._index

    def buffer(self) -> Tensor:
        """The flat tensor."""
        return self._bucket.flat

    def set_buffer(self, tensor: Tensor) -> None:
        """Put another flat tensor in its place."""
        self._bucket.flat = tensor

    def gradients(self) -> list[Tensor]:
        """The gradient of each parameter, as a part of the flat tensor."""
        return self._bucket._views(self._bucket.flat)

    def parameters(self) -> list[Tensor]:
        """The parameters."""
        return list(self._bucket.parameters)

    def is_last(self) -> bool:
        """Whether this is the last bucket of the backward pass."""
        return self._is_last


def cut_into_buckets(
    parameters: Sequence[Tensor],
    order: Iterable[int],
    limits: Sequence[int],
    alone: Collection[int] = (),
) -> list[list[int]]:
    """Numbers of parameters, bucket by bucket.

    Args:
        parameters: all of them
        order: in which order gradients are expected
        limits: how many bytes the first buckets hold at most; the last limit is for all others
        alone: those that share their bucket with no other
    """
    done: list[list[int]] = []
    open_by_type: dict[Any, tuple[list[int], int]] = {}
    started: dict[Any, int] = {}
    for number in order:
        p = parameters[number]
        if number in alone:
            done.append([number])
            continue
        numbers, size = open_by_type.get(p.dtype, ([], 0))
        numbers.append(number)
        size += p.numel() * p.element_size()
        limit = limits[min(started.get(p.dtype, 0), len(limits) - 1)]
        if size >= limit:
            done.append(numbers)
            started[p.dtype] = started.get(p.dtype, 0) + 1
            open_by_type.pop(p.dtype, None)
        else:
            open_by_type[p.dtype] = numbers, size
    return done + [numbers for numbers, _ in open_by_type.values()]


class Reducer:
    """Averages the gradients of some parameters over a group.

    Args:
        parameters: those that want gradients
        names: what they are called, for errors
        group: the processes
        bucket_bytes: how large a bucket is
        first_bucket_bytes: how large the first one is, which should start early
        find_unused: whether to look which parameters a loss depends on
        static_graph: whether the graph is the same each time
        as_view: whether gradients are parts of buckets
        sparse: the numbers of parameters whose gradients are sparse
        sent_as: the element type in which sums are made; None for that of the gradients
    """

    def __init__(
        self,
        parameters: Sequence[Tensor],
        names: Sequence[str],
        group: Any,
        bucket_bytes: int,
        first_bucket_bytes: int,
        find_unused: bool = False,
        static_graph: bool = False,
        as_view: bool = False,
        sparse: Collection[int] = (),
        sent_as: Any = None,
    ) -> None:
        self.sparse, self.sent_as = frozenset(sparse), sent_as
        self.parameters, self.names, self.group = list(parameters), list(names), group
        self._limits = [first_bucket_bytes, bucket_bytes]
        self.find_unused, self.static_graph, self.as_view = find_unused, static_graph, as_view
        self._size = world.member(group).group.size()
        self._hook: Hook | None = None
        self._hook_state: Any = None
        self.wanted = True
        # What divides the sums; fewer processes while some have joined early.
        self.divisor = self._size
        self._order: list[int] = []
        self._is_rebuilt = False
        # How often each gradient comes in one backward pass, if the graph is always the same.
        self._times: list[int] | None = None
        self._make_buckets(range(len(self.parameters) - 1, -1, -1))
        self._is_going_on = False
        self._expects = False
        self._ready: set[int] = set()
        # Parameters that are known to get no gradient this time.
        self._unused: list[int] = []
        # Steps, not tensors, have hooks wherever a pass keeps its gradients.
        self._leaves = [get_gradient_edge(p).node for p in self.parameters]
        self._handles = [
            leaf.register_hook(self._noticing(k)) for k, leaf in enumerate(self._leaves)
        ]

    # -- buckets --
    def _make_buckets(self, order: Iterable[int]) -> None:
        cut = cut_into_buckets(self.parameters, order, self._limits, self.sparse)
        self.buckets = [
            _Bucket([self.parameters[k] for k in numbers], numbers, numbers[0] in self.sparse)
            for numbers in cut
        ]
        self._place = {
            k: (bucket, at) for bucket in self.buckets for at, k in enumerate(bucket.numbers)
        }

    def _rebuild(self) -> None:
        """Make the buckets anew, in the order in which gradients came; that of the first process counts."""
        numbers = [*self._order, *(set(self._place) - set(self._order))]
        order = torch.tensor(numbers, device=self.parameters[0].device)
        world.member(self.group).group.broadcast([order]).wait()
        grads = [grad_of(p) for p in self.parameters]
        self._make_buckets(order.tolist())
        self._is_rebuilt = True
        if self.as_view:
            for k, grad in enumerate(grads):
                if grad is not None and k not in self.sparse:
                    bucket, at = self._place[k]
                    bucket.views[at].copy_(grad)
                    set_grad(self.parameters[k], bucket.views[at])

    def bucket_sizes(self) -> list[int]:
        """How many bytes each bucket has."""
        return [
            sum(p.numel() * p.element_size() for p in bucket.parameters) for bucket in self.buckets
        ]

    def register_hook(self, state: Any, hook: Hook) -> None:
        """Let a function do what all_reduce would do."""
        if self._hook is not None:
            raise RuntimeError(
                "register_comm_hook or register_builtin_comm_hook can only be called once."
            )
        self._hook_state, self._hook = state, hook

    # -- a backward pass --
    def prepare_for_forward(self) -> None:
        """Raise if the last backward pass left buckets that wait for gradients."""
        if self._is_going_on:
            missing = [self.names[k] for k in self._place if k not in self._ready]
            raise RuntimeError(_UNFINISHED + ", ".join(missing))

    def prepare_for_backward(self, outputs: Iterable[Tensor]) -> None:
        """Begin to expect gradients, of all parameters or of those that the outputs depend on."""
        self._expects = True
        self._start()
        if self._times is not None:
            self._unused = [k for k, times in enumerate(self._times) if not times]
        elif self.find_unused and not self.static_graph:
            used = self._reachable(outputs)
            self._unused = [k for k in self._place if k not in used]

    def _start(self) -> None:
        self._ready, self._order, self._next = set(), [], 0
        self._unused = []
        self._came = [0] * len(self.parameters)
        self._is_queued = False
        for bucket in self.buckets:
            bucket.missing, bucket.future = len(bucket.numbers), None

    def _reachable(self, outputs: Iterable[Tensor]) -> set[int]:
        """The parameters that some tensors depend on."""
        numbers = {id(p): k for k, p in enumerate(self.parameters)}
        seen: set[Any] = set()
        found: set[int] = set()
        waiting = [t.grad_fn for t in outputs if t.grad_fn is not None]
        found |= {numbers[id(t)] for t in outputs if id(t) in numbers}
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            variable = getattr(node, "variable", None)
            if id(variable) in numbers:
                found.add(numbers[id(variable)])
            waiting.extend(following for following, _ in node.next_functions if following)
        return found

    def _noticing(self, number: int) -> Callable[[Any, Any], None]:
        def notice(found: Any, given: Any) -> None:
            if self.wanted and self._expects:
                self._notice(number)

        return notice

    def _notice(self, number: int) -> None:
        """A gradient has come."""
        if not self._is_queued:
            self._is_queued = self._is_going_on = True
            torch.autograd.Variable._execution_engine.queue_callback(self._finish)
            for unused in self._unused:
                self._mark(unused, is_used=False)
        self._came[number] += 1
        if self.static_graph:
            # the first pass tells which gradients come, and how often
            if self._times is None or self._came[number] < self._times[number]:
                return
        elif number in self._ready:
            raise RuntimeError(
                f"Expected to mark a variable ready only once: the gradient of {self.names[number]} came twice. "
                "This happens if a parameter is used in several backward passes of a forward pass, as with "
                "reentrant checkpoints; static_graph=True allows that"
            )
        self._order.append(number)
        self._mark(number)

    def _mark(self, number: int, is_used: bool = True) -> None:
        self._ready.add(number)
        bucket, at = self._place[number]
        self._fill(bucket, at, is_used)
        bucket.missing -= 1
        # in the order of buckets, which all processes share
        while self._next < len(self.buckets) and not self.buckets[self._next].missing:
            self._launch(self._next)
            self._next += 1

    def _fill(self, bucket: _Bucket, at: int, is_used: bool) -> None:
        """Put a gradient into its bucket, divided by the number of processes."""
        view, grad = bucket.views[at], grad_of(bucket.parameters[at])
        divisor = 1 if self._hook is not None else self.divisor
        with torch.no_grad():
            if bucket.is_sparse:
                self._fill_sparse(bucket, grad, divisor)
                return
            if grad is None:
                view.zero_()
                return
            if grad.layout is not torch.strided:
                raise RuntimeError(
                    f"the gradient of {self.names[bucket.numbers[at]]} has the layout {grad.layout}: only those of "
                    "nn.Embedding and nn.EmbeddingBag with sparse=True are expected to be sparse"
                )
            if self.as_view and lies_in(view, 0, grad):
                if divisor != 1:
                    view.div_(divisor)
                return
            if divisor == 1:
                view.copy_(grad)
            else:
                torch.div(grad.to(view.dtype), divisor, out=view)
            if self.as_view and is_used:
                set_grad(bucket.parameters[at], view)

    @staticmethod
    def _fill_sparse(bucket: _Bucket, grad: Any, divisor: int) -> None:
        (parameter,) = bucket.parameters
        if grad is None:
            grad = no_rows(parameter)
        elif grad.layout is not torch.sparse_coo:
            grad = grad.to_sparse(1)
        bucket.flat = grad / divisor if divisor != 1 else grad.clone()
        bucket.views = [bucket.flat]

    def _launch(self, index: int) -> None:
        bucket = self.buckets[index]
        if self._hook is not None:
            shown = GradBucket(bucket, index, index == len(self.buckets) - 1)
            bucket.future = self._hook(self._hook_state, shown)
            return
        given = bucket.flat if self.sent_as is None else bucket.flat.to(self.sent_as)
        work = world.member(self.group).group.allreduce(
            [given], AllreduceOptions(reduceOp=ReduceOp.SUM)
        )
        bucket.future = work.get_future()

    def _finish(self) -> None:
        """At the end of a backward pass: wait for the sums, and make them the gradients."""
        if self.static_graph and self._times is None:
            self._end_first_pass()
        if self._next < len(self.buckets):
            if not self.find_unused:
                # the next forward pass tells what was missing
                return
            for number in list(self._place):
                if number not in self._ready:
                    self._mark(number, is_used=False)
        used = self._used_by_anybody() if self.find_unused or self.static_graph else None
        with torch.no_grad():
            for bucket in self.buckets:
                self._finish_bucket(bucket, used)
        self._is_going_on = self._expects = False
        if not self._is_rebuilt and not self.find_unused:
            self._rebuild()

    def _end_first_pass(self) -> None:
        self._times = list(self._came)
        for number in self._place:
            self._mark(number, is_used=bool(self._came[number]))

    def _used_by_anybody(self) -> list[bool]:
        """Which parameters had a gradient in some process."""
        came = [
            int(self._came[k] > 0 and grad_of(parameter) is not None)
            for k, parameter in enumerate(self.parameters)
        ]
        here = torch.tensor(came, device=self.parameters[0].device)
        world.member(self.group).group.allreduce([here], AllreduceOptions(asyncOp=False)).wait()
        found: list[bool] = here.gt(0).tolist()
        return found

    def _finish_bucket(self, bucket: _Bucket, used: list[bool] | None) -> None:
        assert bucket.future is not None
        result = bucket.future.wait()
        if isinstance(result, (list, tuple)):
            result = result[0]
        if bucket.is_sparse:
            bucket.flat = result.to(bucket.flat.dtype)
            bucket.views = [bucket.flat]
        elif not lies_in(bucket.flat, 0, result) or result.dtype is not bucket.flat.dtype:
            bucket.flat.copy_(result)
        for k, view, parameter in zip(bucket.numbers, bucket.views, bucket.parameters):
            if used is not None and not used[k]:
                continue
            grad = grad_of(parameter)
            if self.as_view or bucket.is_sparse:
                set_grad(parameter, view)
            elif grad is None:
                set_grad(parameter, view.clone())
            else:
                grad.copy_(view)

    # -- for processes that have joined early --
    def shadow(self) -> None:
        """Take part in the sums of a backward pass with nothing to add."""
        self._start()
        self._unused = list(self._place)
        with torch.no_grad():
            for index, bucket in enumerate(self.buckets):
                bucket.flat.zero_()
                self._launch(index)
            if self.find_unused or self.static_graph:
                self._used_by_anybody()
            for bucket in self.buckets:
                assert bucket.future is not None
                bucket.future.wait()
        if not self._is_rebuilt and not self.find_unused:
            self._rebuild()

    def remove_hooks(self) -> None:
        """Notice gradients no more."""
        for handle in self._handles:
            handle.remove()
