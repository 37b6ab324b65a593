"""Collectives as programs call them: functions over tensors and a group."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import rushlight as torch
from rushlight.distributed._groups import options, traced
from rushlight.distributed._groups.membership import get_rank
from rushlight.distributed._groups.reduce_op import ReduceOp
from rushlight.distributed._groups.work import Work
from rushlight.distributed._groups.world import GroupMember, Member, world
from rushlight.distributed._local_tensor._active import enabled_local_tensor_mode

__all__ = [
    "P2POp",
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_gather_single",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "gather",
    "irecv",
    "isend",
    "monitored_barrier",
    "recv",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_single",
    "reduce_scatter_tensor",
    "scatter",
    "send",
]

Tensor = torch.Tensor


def _is_outside(group: Any, what: str) -> bool:
    """Whether this process is not in a group; then it is told so, and nothing happens."""
    if group != GroupMember.NON_GROUP_MEMBER:
        return False
    rank = -1 if world.default is None else get_rank()
    warnings.warn(
        f"Running {what} on global rank {rank} which does not belong to the given group.",
        stacklevel=3,
    )
    return True


def _check_tensor(tensor: Any, name: str) -> None:
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
            f"             but got {type(tensor)} instead."
        )


def _check_tensors(tensors: Any, name: str) -> None:
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(t, Tensor) for t in tensors):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(tensors)} with elements of type "
            f"{[type(t) for t in tensors] if isinstance(tensors, (list, tuple)) else None}."
        )


def _check_same_type(*tensors: Tensor) -> None:
    """Raise unless all have the same element type."""
    for tensor in tensors[1:]:
        if tensor.dtype is not tensors[0].dtype:
            raise ValueError(
                "Invalid usage of tensors with different dtypes"
                f"Found {tensors[0].dtype} and  {tensor.dtype}"
            )


def as_real(tensor: Tensor) -> Tensor:
    """A tensor whose complex numbers are pairs of real ones."""
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def _waited_for(work: Work, async_op: bool) -> Work | None:
    """The work itself if the caller waits for it later; else wait now."""
    if async_op:
        return work
    if work is not None and not _is_coalescing(None):
        work.wait()
    return None


# The groups within `_coalescing_manager`, and what they were asked there.
_coalescing: list[tuple[Any, Any]] = []


def _is_coalescing(group: Any) -> bool:
    return bool(_coalescing)


def _opts(kind: type, async_op: bool, **given: Any) -> Any:
    return kind(asyncOp=async_op, **given)


def _member_rank(member: Member, given: int | None, in_group: int | None, name: str) -> int:
    """The rank in the group that a call is about, of a global rank or of one in the group."""
    if (given is None) == (in_group is None):
        raise ValueError(f"Must specify exactly one of {name} and group_{name}")
    if in_group is not None:
        return in_group
    assert given is not None
    return given if member.group is world.default else member.rank_of(given)


# -- for all --


def all_reduce(
    tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Combine a tensor of every process, in place, for all of them.

    Args:
        tensor: this process's; all have the same shape
        op: how elements are combined
        group: the processes; None for all
        async_op: whether to give a `Work` and go on
    """
    _check_tensor(tensor, "tensor")
    if _is_outside(group, "all_reduce"):
        return None
    if traced.is_traced(tensor):
        traced.all_reduce(tensor, op, group, async_op)
        return None
    asked = world.member(group).group
    work = asked.allreduce([tensor], _opts(options.AllreduceOptions, async_op, reduceOp=op))
    return _waited_for(work, async_op)


def all_reduce_coalesced(
    tensors: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Any:
    """`all_reduce` of several tensors."""
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    _check_tensors(tensors, "tensors")
    _check_same_type(*tensors)
    if _is_outside(group, "all_reduce_coalesced"):
        return None
    opts = _opts(options.AllreduceCoalescedOptions, async_op, reduceOp=op)
    work = world.member(group).group.allreduce_coalesced(tensors, opts)
    return work.get_future() if async_op else _waited_for(work, False)


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Give one process's tensor to all.

    Args:
        tensor: what is sent, or where it goes
        src: the global rank of who sends
        group: the processes; None for all
        async_op: whether to give a `Work` and go on
        group_src: the rank in the group of who sends, instead of ``src``
    """
    _check_tensor(tensor, "tensor")
    if _is_outside(group, "broadcast"):
        return None
    member = world.member(group)
    root = _member_rank(member, src, group_src, "src")
    opts = _opts(options.BroadcastOptions, async_op, rootRank=root)
    return _waited_for(member.group.broadcast([tensor], opts), async_op)


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Give every process's tensor to all, which may differ in size.

    Args:
        tensor_list: where they go, one for each process
        tensor: this process's
        group: the processes; None for all
        async_op: whether to give a `Work` and go on
    """
    _check_tensors(tensor_list, "tensor_list")
    _check_tensor(tensor, "tensor")
    _check_same_type(tensor, *tensor_list)
    if _is_outside(group, "all_gather"):
        return None
    opts = _opts(options.AllgatherOptions, async_op)
    work = world.member(group).group.allgather(
        [[as_real(t) for t in tensor_list]], [as_real(tensor)], opts
    )
    return _waited_for(work, async_op)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Give every process's tensor to all, one after the other in one tensor."""
    _check_tensor(input_tensor, "input_tensor")
    _check_tensor(output_tensor, "output_tensor")
    if _is_outside(group, "all_gather_into_tensor"):
        return None
    _check_same_type(output_tensor, input_tensor)
    if traced.is_traced(output_tensor, input_tensor):
        traced.all_gather(output_tensor, input_tensor, group, async_op)
        return None
    opts = _opts(options.AllgatherOptions, async_op)
    work = world.member(group).group._allgather_base(
        as_real(output_tensor), as_real(input_tensor), opts
    )
    return _waited_for(work, async_op)


all_gather_single = all_gather_into_tensor


def _all_gather_base(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """An older name of `all_gather_into_tensor`."""
    return all_gather_into_tensor(output_tensor, input_tensor, group, async_op)


def all_gather_coalesced(
    output_tensor_lists: Any, input_tensor_list: Any, group: Any = None, async_op: bool = False
) -> Any:
    """`all_gather` of several tensors: for each process, a list of what it has."""
    _check_tensors(input_tensor_list, "input_tensor_list")
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    for outputs in output_tensor_lists:
        _check_tensors(outputs, "output_tensor_lists")
    if _is_outside(group, "all_gather_coalesced"):
        return None
    opts = _opts(options.AllgatherOptions, async_op)
    work = world.member(group).group.allgather_coalesced(
        [[as_real(t) for t in outputs] for outputs in output_tensor_lists],
        [as_real(t) for t in input_tensor_list],
        opts,
    )
    return work.get_future() if async_op else _waited_for(work, False)


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Combine lists of tensors, of which each process gets one.

    Args:
        output: where this process's goes
        input_list: one for each process
        op: how elements are combined
        group: the processes; None for all
        async_op: whether to give a `Work` and go on
    """
    _check_tensor(output, "output")
    _check_tensors(input_list, "input_list")
    _check_same_type(output, *input_list)
    if _is_outside(group, "reduce_scatter"):
        return None
    opts = _opts(options.ReduceScatterOptions, async_op, reduceOp=op)
    work = world.member(group).group.reduce_scatter([output], [input_list], opts)
    return _waited_for(work, async_op)


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Combine tensors, of which each process gets a part."""
    _check_tensor(output, "output")
    _check_tensor(input, "input")
    if _is_outside(group, "reduce_scatter_tensor"):
        return None
    _check_same_type(output, input)
    if traced.is_traced(output, input):
        traced.reduce_scatter(output, input, op, group, async_op)
        return None
    opts = _opts(options.ReduceScatterOptions, async_op, reduceOp=op)
    work = world.member(group).group._reduce_scatter_base(output, input, opts)
    return _waited_for(work, async_op)


reduce_scatter_single = reduce_scatter_tensor


def _reduce_scatter_base(
    output: Tensor,
    input: Tensor,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """An older name of `reduce_scatter_tensor`."""
    return reduce_scatter_tensor(output, input, op, group, async_op)


def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Give each process one of the tensors, and get one from each."""
    _check_tensors(output_tensor_list, "output_tensor_list")
    _check_tensors(input_tensor_list, "input_tensor_list")
    _check_same_type(*output_tensor_list, *input_tensor_list)
    if _is_outside(group, "all_to_all"):
        return None
    opts = _opts(options.AllToAllOptions, async_op)
    work = world.member(group).group.alltoall(
        [as_real(t) for t in output_tensor_list], [as_real(t) for t in input_tensor_list], opts
    )
    return _waited_for(work, async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Give each process a part of a tensor, and get one from each.

    Args:
        output: where the parts go
        input: what is divided along its first dimension
        output_split_sizes: how many rows come from each process; equal parts if it is not said
        input_split_sizes: how many rows each process gets
        group: the processes; None for all
        async_op: whether to give a `Work` and go on
    """
    _check_tensor(output, "output")
    _check_tensor(input, "input")
    _check_same_type(output, input)
    if _is_outside(group, "all_to_all_single"):
        return None
    if traced.is_traced(output, input):
        splits = output_split_sizes, input_split_sizes
        traced.all_to_all(output, input, *splits, group, async_op)
        return None
    opts = _opts(options.AllToAllOptions, async_op)
    work = world.member(group).group.alltoall_base(
        as_real(output), as_real(input), output_split_sizes or [], input_split_sizes or [], opts
    )
    return _waited_for(work, async_op)


# -- to and from one --


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Combine a tensor of every process for one of them.

    Args:
        tensor: this process's; the result takes its place for who gets it
        dst: the global rank of who gets it
        op: how elements are combined
        group: the processes; None for all
        async_op: whether to give a `Work` and go on
        group_dst: the rank in the group of who gets it, instead of ``dst``
    """
    _check_tensor(tensor, "tensor")
    if _is_outside(group, "reduce"):
        return None
    member = world.member(group)
    root = _member_rank(member, dst, group_dst, "dst")
    opts = _opts(options.ReduceOptions, async_op, reduceOp=op, rootRank=root)
    return _waited_for(member.group.reduce([tensor], opts), async_op)


def root_with_list(
    member: Member, given: int | None, in_group: int | None, name: str, items: Any
) -> tuple[int, bool]:
    """The rank in the group of the process that has a list for all, and whether it is this one, which must have it.

    Args:
        member: this process in the group
        given: the global rank; 0 if neither is said
        in_group: the rank in the group
        name: `dst`, where the list is what is gathered, or `src`
        items: the list
    """
    if given is None and in_group is None:
        given = 0
    root = _member_rank(member, given, in_group, name)
    # A process that simulates all ranks is the root, too.
    is_root = member.group.rank() == root or enabled_local_tensor_mode() is not None
    argument, place = {"dst": ("gather_list", "destination"), "src": ("scatter_list", "source")}[
        name
    ]
    if is_root and not items:
        raise ValueError(f"Argument ``{argument}`` must be specified on {place} rank.")
    if not is_root and items:
        raise ValueError(f"Argument ``{argument}`` must NOT be specified on non-{place} ranks.")
    return root, is_root


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Give every process's tensor to one.

    Args:
        tensor: this process's
        gather_list: where they go, for who gets them
        dst: the global rank of who gets them; 0 if it is not said
        group: the processes; None for all
        async_op: whether to give a `Work` and go on
        group_dst: the rank in the group of who gets them, instead of ``dst``
    """
    _check_tensor(tensor, "tensor")
    if gather_list:
        _check_tensors(gather_list, "gather_list")
        _check_same_type(tensor, *gather_list)
    if _is_outside(group, "gather"):
        return None
    member = world.member(group)
    root, is_root = root_with_list(member, dst, group_dst, "dst", gather_list)
    opts = _opts(options.GatherOptions, async_op, rootRank=root)
    outputs = [[as_real(t) for t in gather_list or ()]] if is_root else []
    return _waited_for(member.group.gather(outputs, [as_real(tensor)], opts), async_op)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Give each process one of the tensors of one.

    Args:
        tensor: where this process's goes
        scatter_list: one for each process, for who gives them
        src: the global rank of who gives them; 0 if it is not said
        group: the processes; None for all
        async_op: whether to give a `Work` and go on
        group_src: the rank in the group of who gives them, instead of ``src``
    """
    _check_tensor(tensor, "tensor")
    if scatter_list:
        _check_tensors(scatter_list, "scatter_list")
        _check_same_type(tensor, *scatter_list)
    if _is_outside(group, "scatter"):
        return None
    member = world.member(group)
    root, is_root = root_with_list(member, src, group_src, "src", scatter_list)
    opts = _opts(options.ScatterOptions, async_op, rootRank=root)
    inputs = [[as_real(t) for t in scatter_list or ()]] if is_root else []
    return _waited_for(member.group.scatter([as_real(tensor)], inputs, opts), async_op)


# -- messages --


def _peer(member: Member, given: int | None, in_group: int | None, name: str) -> int:
    peer = _member_rank(member, given, in_group, name)
    if peer == member.group.rank() and name == "dst":
        raise ValueError(
            "Invalid destination rank: destination rank should not be the same as "
            "the rank of the current process."
        )
    return peer


def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: Any = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:
    """Begin to send a tensor.

    Args:
        tensor: what is sent
        dst: the global rank of who gets it
        group: the processes; None for all
        tag: a number that the receiver asks for
        group_dst: the rank in the group of who gets it, instead of ``dst``
    """
    _check_tensor(tensor, "tensor")
    if _is_outside(group, "isend"):
        return None
    member = world.member(group)
    return member.group.send([as_real(tensor)], _peer(member, dst, group_dst, "dst"), tag)


def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: Any = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work | None:
    """Begin to receive a tensor.

    Args:
        tensor: where it goes
        src: the global rank of who sends it; anybody if it is not said
        group: the processes; None for all
        tag: the number that it was sent with
        group_src: the rank in the group of who sends it, instead of ``src``
    """
    _check_tensor(tensor, "tensor")
    if _is_outside(group, "irecv"):
        return None
    member = world.member(group)
    if src is None and group_src is None:
        return member.group.recv_anysource([as_real(tensor)], tag)
    return member.group.recv([as_real(tensor)], _peer(member, src, group_src, "src"), tag)


def send(
    tensor: Tensor,
    dst: int | None = None,
    group: Any = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """Send a tensor; see `isend`."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(
    tensor: Tensor,
    src: int | None = None,
    group: Any = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """Receive a tensor; see `irecv`. Gives the global rank of who sent it, -1 outside of the group."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    if src is not None:
        return src
    member = world.member(group)
    found = work._source_rank() if group_src is None else group_src
    return member.ranks[found]


class P2POp:
    """A send or a receive for `batch_isend_irecv`.

    Args:
        op: `isend` or `irecv`
        tensor: what is sent, or where it goes
        peer: the global rank of the other side
        group: the processes; None for all
        tag: the message's number
        group_peer: the other side's rank in the group, instead of ``peer``
    """

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Tensor,
        peer: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        _check_tensor(tensor, "tensor")
        member = world.member(group)
        self.op, self.tensor, self.tag = op, tensor, tag
        self.group = member.group
        self.group_peer = _member_rank(member, peer, group_peer, "peer")
        self.peer = member.ranks[self.group_peer]

    def __repr__(self) -> str:
        return (
            f"P2POp({self.op.__name__}, pg={self.group.group_name}, peer={self.peer}, "
            f"tensor.shape={tuple(self.tensor.shape)}, tensor.dtype={self.tensor.dtype})"
        )


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Begin several sends and receives; none waits for another.

    Args:
        p2p_op_list: what is to be sent and received
    """
    if not isinstance(p2p_op_list, list) or not all(isinstance(op, P2POp) for op in p2p_op_list):
        raise ValueError(
            "Invalid ``p2p_op_list``. Each op is expected to be of type ``torch.distributed.P2POp``."
        )
    if not p2p_op_list:
        raise ValueError("p2p_op_list cannot be empty")
    if any(op.group is not p2p_op_list[0].group for op in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    works = []
    for one in p2p_op_list:
        place = {"group_dst" if one.op is isend else "group_src": one.group_peer}
        works.append(one.op(one.tensor, group=one.group, tag=one.tag, **place))
    return [work for work in works if work is not None]


# -- barriers --


def barrier(
    group: Any = None, async_op: bool = False, device_ids: list[int] | None = None
) -> Work | None:
    """Wait until all processes have come.

    Args:
        group: the processes; None for all
        async_op: whether to give a `Work` and go on
        device_ids: the GPU that is waited for, in a list
    """
    if _is_outside(group, "barrier"):
        return None
    if device_ids is not None and not isinstance(device_ids, list):
        raise TypeError("Invalid function argument: device_ids type should be List[int]")
    opts = _opts(options.BarrierOptions, async_op, device_ids=device_ids or [])
    return _waited_for(world.member(group).group.barrier(opts), async_op)


def monitored_barrier(
    group: Any = None, timeout: timedelta | None = None, wait_all_ranks: bool = False
) -> None:
    """A barrier that raises an error with the ranks that did not come.

    Args:
        group: the processes; None for all
        timeout: how long to wait; the group's if it is not said
        wait_all_ranks: whether to name all that are missing, not only one
    """
    if _is_outside(group, "monitored_barrier"):
        return
    world.member(group).group.monitored_barrier(timeout, wait_all_ranks)


# -- several as one --


class _CoalescingManager:
    """What was asked within a `_coalescing_manager`."""

    def __init__(self) -> None:
        self.works: list[Work] = []

    def append(self, work: Work | None) -> None:
        """Add work."""
        if work is not None:
            self.works.append(work)

    def wait(self) -> None:
        """Wait for all of it."""
        for work in self.works:
            work.wait()


@contextlib.contextmanager
def _coalescing_manager(
    group: Any = None, device: Any = None, async_ops: bool = False
) -> Iterator[_CoalescingManager]:
    """What is asked within is done together, and waited for at the end, or later by ``wait``.

    Args:
        group: the processes; None for all
        device: where the tensors are
        async_ops: whether the caller waits
    """
    asked = world.member(group).group
    where = torch.device(device or "cpu")
    manager = _CoalescingManager()
    asked._start_coalescing(where)
    _coalescing.append((asked, where))
    try:
        yield manager
    finally:
        _coalescing.pop()
        work = asked._end_coalescing(where)
    manager.append(work)
    if not async_ops:
        manager.wait()
