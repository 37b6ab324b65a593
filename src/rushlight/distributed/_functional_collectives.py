"""Collectives that give new tensors, as operators: with gradients, and seen by whoever traces calls.

The operators are those of `torch.ops._c10d_functional`. They begin a collective and give its result, which is
not to be looked at before `wait_tensor`; the functions here wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight as torch
from rushlight.distributed._groups import options
from rushlight.distributed._groups.membership import _new
from rushlight.distributed._groups.process_group import ProcessGroup
from rushlight.distributed._groups.reduce_op import ReduceOp
from rushlight.distributed._groups.work import DoneWork, Work
from rushlight.distributed._groups.world import world
from rushlight.library import Library, register_autograd, register_fake

__all__ = [
    "all_gather_into_tensor_coalesced",
    "all_gather_tensor",
    "all_gather_tensor_autograd",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all_single",
    "all_to_all_single_autograd",
    "broadcast",
    "permute_tensor",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_autograd",
    "reduce_scatter_tensor_coalesced",
    "wait_tensor",
]

Tensor = torch.Tensor
_library = Library("_c10d_functional", "DEF")
_NAMES = {"sum": ReduceOp.SUM, "avg": ReduceOp.AVG, "product": ReduceOp.PRODUCT,
          "min": ReduceOp.MIN, "max": ReduceOp.MAX, "band": ReduceOp.BAND, "bor": ReduceOp.BOR,
          "bxor": ReduceOp.BXOR}  # fmt: skip
# What is going on, by the address of the result.
_going_on: dict[int, Work] = {}


def _group(name: str) -> ProcessGroup:
    found = world.by_name.get(name)
    if found is None:
        raise ValueError(f"Could not resolve the process group registered under the name {name}")
    return found


def _op(name: str) -> Any:
    if name.lower() not in _NAMES:
        raise ValueError(f"Unknown reduce operation: {name}. Known are {', '.join(_NAMES)}")
    return _NAMES[name.lower()]


def _begun(work: Work, result: Tensor) -> Tensor:
    if not isinstance(work, DoneWork):
        _going_on[result.data_ptr()] = work
    return result


def _wider(tensor: Tensor, factor: int) -> Tensor:
    """Room for so many of a tensor, along its first dimension."""
    length = tensor.shape[0] if tensor.dim() else 1
    return tensor.new_empty((length * factor, *tensor.shape[1:]))


def _part(tensor: Tensor, size: int) -> Tensor:
    """Room for one of so many equal parts of a tensor."""
    if tensor.shape[0] % size:
        raise RuntimeError(
            f"input of {tensor.shape[0]} rows cannot be divided among {size} processes"
        )
    return tensor.new_empty((tensor.shape[0] // size, *tensor.shape[1:]))


# -- what the operators do --


def _all_reduce_(tensor: Tensor, how: str, group: str) -> Tensor:
    opts = options.AllreduceOptions(reduceOp=_op(how))
    return _begun(_group(group).allreduce([tensor], opts), tensor)


def _all_reduce(tensor: Tensor, how: str, group: str) -> Tensor:
    return _all_reduce_(tensor.contiguous().clone(), how, group)


def _broadcast_(tensor: Tensor, source: int, group: str) -> Tensor:
    opts = options.BroadcastOptions(rootRank=source)
    return _begun(_group(group).broadcast([tensor], opts), tensor)


def _broadcast(tensor: Tensor, source: int, group: str) -> Tensor:
    return _broadcast_(tensor.contiguous().clone(), source, group)


def _all_gather_out(tensor: Tensor, size: int, group: str, *, out: Tensor) -> Tensor:
    return _begun(_group(group)._allgather_base(out, tensor.contiguous()), out)


def _all_gather(tensor: Tensor, size: int, group: str) -> Tensor:
    return _all_gather_out(tensor, size, group, out=_wider(tensor, size))


def _reduce_scatter_out(tensor: Tensor, how: str, size: int, group: str, *, out: Tensor) -> Tensor:
    opts = options.ReduceScatterOptions(reduceOp=_op(how))
    return _begun(_group(group)._reduce_scatter_base(out, tensor.contiguous(), opts), out)


def _reduce_scatter(tensor: Tensor, how: str, size: int, group: str) -> Tensor:
    return _reduce_scatter_out(tensor, how, size, group, out=_part(tensor, size))


def _all_to_all(tensor: Tensor, received: Sequence[int], sent: Sequence[int], group: str) -> Tensor:
    result = tensor.new_empty((sum(received), *tensor.shape[1:]))
    work = _group(group).alltoall_base(result, tensor.contiguous(), list(received), list(sent))
    return _begun(work, result)


def _wait(tensor: Tensor) -> Tensor:
    # Tensors without an address are results of work that is done; their class may refuse to give one.
    work = _going_on.pop(Tensor.data_ptr(tensor), None)
    if work is not None:
        work.wait()
    return tensor


def _each(one: Callable[..., Tensor]) -> Callable[..., list[Tensor]]:
    def every(tensors: Sequence[Tensor], *facts: Any) -> list[Tensor]:
        return [one(tensor, *facts) for tensor in tensors]

    return every


# -- the operators --


def _same(tensor: Tensor, *facts: Any) -> Tensor:
    return tensor


def _like(tensor: Tensor, *facts: Any) -> Tensor:
    return tensor.new_empty(tensor.shape)


def _gathered_like(tensor: Tensor, size: int, group: str) -> Tensor:
    return _wider(tensor, size)


def _scattered_like(tensor: Tensor, how: str, size: int, group: str) -> Tensor:
    return _part(tensor, size)


def _exchanged_like(tensor: Tensor, received: Any, sent: Any, group: str) -> Tensor:
    return tensor.new_empty((sum(received), *tensor.shape[1:]))


def _out_of(*facts: Any, out: Tensor) -> Tensor:
    return out


_REDUCE = "str reduce_op, str group_name"
_OPERATORS: list[tuple[str, Callable[..., Any], Callable[..., Any]]] = [
    (f"all_reduce(Tensor input, {_REDUCE}) -> Tensor", _all_reduce, _like),
    (f"all_reduce_(Tensor(a!) input, {_REDUCE}) -> Tensor(a!)", _all_reduce_, _same),
    (f"all_reduce_coalesced(Tensor[] inputs, {_REDUCE}) -> Tensor[]", _each(_all_reduce), _each(_like)),
    ("broadcast(Tensor input, int src, str group_name) -> Tensor", _broadcast, _like),
    ("broadcast_(Tensor(a!) input, int src, str group_name) -> Tensor(a!)", _broadcast_, _same),
    (
        "all_gather_into_tensor(Tensor input, int group_size, str group_name) -> Tensor",
        _all_gather, _gathered_like,
    ),
    (
        "all_gather_into_tensor_out(Tensor input, int group_size, str group_name, *, Tensor(a!) out)"
        " -> Tensor(a!)", _all_gather_out, _out_of,
    ),
    (
        "all_gather_into_tensor_coalesced(Tensor[] inputs, int group_size, str group_name) -> Tensor[]",
        _each(_all_gather), _each(_gathered_like),
    ),
    (
        "reduce_scatter_tensor(Tensor input, str reduce_op, int group_size, str group_name) -> Tensor",
        _reduce_scatter, _scattered_like,
    ),
    (
        "reduce_scatter_tensor_out(Tensor input, str reduce_op, int group_size, str group_name, *, "
        "Tensor(a!) out) -> Tensor(a!)", _reduce_scatter_out, _out_of,
    ),
    (
        "reduce_scatter_tensor_coalesced(Tensor[] inputs, str reduce_op, int group_size, "
        "str group_name) -> Tensor[]", _each(_reduce_scatter), _each(_scattered_like),
    ),
    (
        "all_to_all_single(Tensor input, SymInt[] output_split_sizes, SymInt[] input_split_sizes, "
        "str group_name) -> Tensor", _all_to_all, _exchanged_like,
    ),
    ("wait_tensor(Tensor tensor) -> Tensor", _wait, _same),
]  # fmt: skip

_kernels: dict[str, Callable[..., Any]] = {}
for _schema, _kernel, _fake in _OPERATORS:
    _name = _schema.partition("(")[0]
    _kernels[_name] = _kernel
    _library.define(_schema)
    _library.impl(_name, _kernel, "CPU")
    register_fake(f"_c10d_functional::{_name}", _fake, lib=_library)

_ops: Any = torch.ops._c10d_functional


def kernel_of(op: Any) -> Callable[..., Any]:
    """What one of these operators does on tensors with elements: it asks the group, then the tensors' backend."""
    return _kernels[op.packet_name.rpartition("::")[2]]


# -- gradients --


def _keep(*names: str) -> Callable[..., None]:
    """Notes arguments of a call, by name, for its gradient."""

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        for name, value in zip(names, inputs[1:], strict=True):
            setattr(ctx, name, value)

    return setup_context


def _all_reduce_backward(ctx: Any, grad: Tensor) -> Any:
    if ctx.how.lower() not in ("sum", "avg"):
        raise RuntimeError(f"all_reduce by {ctx.how} has no gradient; those by sum and avg have")
    return _ops.wait_tensor(_ops.all_reduce(grad.contiguous(), ctx.how, ctx.group)), None, None


def _all_gather_backward(ctx: Any, grad: Tensor) -> Any:
    found = _ops.reduce_scatter_tensor(grad.contiguous(), "sum", ctx.size, ctx.group)
    return _ops.wait_tensor(found), None, None


def _reduce_scatter_backward(ctx: Any, grad: Tensor) -> Any:
    if ctx.how.lower() not in ("sum", "avg"):
        raise RuntimeError(
            f"reduce_scatter by {ctx.how} has no gradient; those by sum and avg have"
        )
    found = _ops.wait_tensor(_ops.all_gather_into_tensor(grad.contiguous(), ctx.size, ctx.group))
    return found / ctx.size if ctx.how.lower() == "avg" else found, None, None, None


def _all_to_all_backward(ctx: Any, grad: Tensor) -> Any:
    found = _ops.all_to_all_single(grad.contiguous(), ctx.sent, ctx.received, ctx.group)
    return _ops.wait_tensor(found), None, None, None


_GRADIENTS: list[tuple[str, Callable[..., Any], tuple[str, ...]]] = [
    ("all_reduce", _all_reduce_backward, ("how", "group")),
    ("all_gather_into_tensor", _all_gather_backward, ("size", "group")),
    ("reduce_scatter_tensor", _reduce_scatter_backward, ("how", "size", "group")),
    ("all_to_all_single", _all_to_all_backward, ("received", "sent", "group")),
    ("wait_tensor", lambda ctx, grad: grad, ()),
]
for _name, _backward, _facts in _GRADIENTS:
    register_autograd(
        f"_c10d_functional::{_name}", _backward, setup_context=_keep(*_facts), lib=_library
    )


# -- functions --


def _resolve_group_name(group: Any, tag: str = "") -> str:
    """The name of a group, however it is given: itself, its name, its ranks, a mesh and a dimension."""
    if isinstance(group, str):
        return group
    if isinstance(group, ProcessGroup):
        return group.group_name
    if isinstance(group, tuple) and len(group) == 2 and not isinstance(group[0], int):
        mesh, dim = group
        name: str = mesh.get_group(dim).group_name
        return name
    if hasattr(group, "get_group"):
        if group.ndim != 1:
            raise AssertionError("a mesh of several dimensions needs the dimension: (mesh, dim)")
        name = group.get_group().group_name
        return name
    if isinstance(group, (list, tuple)):
        return _of_ranks([int(rank) for rank in group]).group_name
    raise ValueError(f"Invalid type for group: {type(group).__name__}")


def _of_ranks(ranks: list[int]) -> Any:
    """The group of some ranks; the first time they ask for it, members make one."""
    for member in world.members.values():
        if sorted(ranks) == list(member.ranks):
            return member.group
    return _new(sorted(ranks), None, None, None, None, by_members=True)


_resolve_group = _resolve_group_name


def wait_tensor(tensor: Tensor) -> Tensor:
    """Wait until a tensor that a collective makes is there."""
    found: Tensor = _ops.wait_tensor(tensor)
    return found


def all_reduce(self: Tensor, reduceOp: str, group: Any, tag: str = "") -> Tensor:
    """What all processes contribute, combined.

    Args:
        self: this process's tensor
        reduceOp: ``"sum"``, ``"avg"``, ``"product"``, ``"min"``, ``"max"``, ...
        group: the processes
        tag: not used any more
    """
    return wait_tensor(_ops.all_reduce(self, reduceOp.lower(), _resolve_group_name(group, tag)))


def broadcast(self: Tensor, src: int, group: Any, tag: str = "") -> Tensor:
    """The tensor of one process.

    Args:
        self: this process's tensor
        src: the rank in the group of who gives it
        group: the processes
        tag: not used any more
    """
    return wait_tensor(_ops.broadcast(self, src, _resolve_group_name(group, tag)))


def all_gather_tensor(self: Tensor, gather_dim: int, group: Any, tag: str = "") -> Tensor:
    """The tensors of all processes, one after the other.

    Args:
        self: this process's tensor
        gather_dim: along which dimension
        group: the processes
        tag: not used any more
    """
    name = _resolve_group_name(group, tag)
    size = _group(name).size()
    whole = wait_tensor(_ops.all_gather_into_tensor(self.contiguous(), size, name))
    return whole if gather_dim == 0 else torch.cat(whole.chunk(size), gather_dim)


def reduce_scatter_tensor(
    self: Tensor,
    reduceOp: str,
    scatter_dim: int,
    group: Any,
    tag: str = "",
) -> Tensor:
    """This process's part of what all contribute.

    Args:
        self: this process's tensor
        reduceOp: how elements are combined
        scatter_dim: along which dimension it is divided
        group: the processes
        tag: not used any more
    """
    name = _resolve_group_name(group, tag)
    size = _group(name).size()
    if self.size(scatter_dim) % size:
        raise AssertionError(
            f"input dimension {scatter_dim} ({self.size(scatter_dim)}) must be a multiple of group_size "
            f"{size}"
        )
    if scatter_dim:
        self = torch.cat(self.chunk(size, scatter_dim))
    found = _ops.reduce_scatter_tensor(self.contiguous(), reduceOp.lower(), size, name)
    return wait_tensor(found)


def all_to_all_single(
    self: Tensor,
    output_split_sizes: list[int] | None,
    input_split_sizes: list[int] | None,
    group: Any,
    tag: str = "",
) -> Tensor:
    """Parts of every process's tensor, one for this process from each.

    Args:
        self: this process's tensor
        output_split_sizes: how many rows come from each; equal parts for None
        input_split_sizes: how many rows go to each
        group: the processes
        tag: not used any more
    """
    name = _resolve_group_name(group, tag)
    size = _group(name).size()
    even = [self.shape[0] // size] * size
    received = even if output_split_sizes is None else list(output_split_sizes)
    sent = even if input_split_sizes is None else list(input_split_sizes)
    return wait_tensor(_ops.all_to_all_single(self.contiguous(), received, sent, name))


def permute_tensor(self: Tensor, src_dst: list[int], group: Any, tag: str = "") -> Tensor:
    """The tensor of another process, where each sends to one.

    Args:
        self: this process's tensor
        src_dst: to whom each rank sends
        group: the processes
        tag: not used any more
    """
    asked = _group(_resolve_group_name(group, tag))
    rank, size = asked.rank(), asked.size()
    sent, received = [0] * size, [0] * size
    sent[src_dst[rank]] = received[src_dst.index(rank)] = self.numel()
    found = all_to_all_single(self.reshape(-1), received, sent, asked)
    return found.view(self.shape)


def all_reduce_coalesced(
    self: list[Tensor],
    reduceOp: str,
    group: Any,
    tag: str = "",
) -> list[Tensor]:
    """`all_reduce` of several tensors."""
    made = _ops.all_reduce_coalesced(self, reduceOp.lower(), _resolve_group_name(group, tag))
    return list(map(wait_tensor, made))


def all_gather_into_tensor_coalesced(self: list[Tensor], group: Any, tag: str = "") -> list[Tensor]:
    """`all_gather_tensor` of several tensors, along their first dimension."""
    name = _resolve_group_name(group, tag)
    made = _ops.all_gather_into_tensor_coalesced(self, _group(name).size(), name)
    return list(map(wait_tensor, made))


def reduce_scatter_tensor_coalesced(
    inputs: list[Tensor],
    reduceOp: str,
    scatter_dim: list[int],
    group: Any,
    tag: str = "",
) -> list[Tensor]:
    """`reduce_scatter_tensor` of several tensors."""
    return [
        reduce_scatter_tensor(tensor, reduceOp, dim, group, tag)
        for tensor, dim in zip(inputs, scatter_dim, strict=True)
    ]


# With gradients they are the same operators.
all_gather_tensor_autograd = all_gather_tensor
reduce_scatter_tensor_autograd = reduce_scatter_tensor
all_to_all_single_autograd = all_to_all_single
