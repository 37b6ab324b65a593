"""Collectives with gradients: what flows forward to others flows back from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight.distributed import distributed_c10d as dist
from rushlight.distributed.distributed_c10d import ReduceOp

__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]

Tensor = torch.Tensor


class _Broadcast(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, tensor: Any) -> Any:
        ctx.src, ctx.group = src, group
        result = tensor.clone()
        dist.broadcast(result, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        summed = _Reduce.apply(ctx.src, ReduceOp.SUM, ctx.group, grad)
        if dist.get_rank() != ctx.src:
            summed = torch.zeros_like(summed)
        return None, None, summed


class _Reduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, dst: int, op: Any, group: Any, tensor: Any) -> Any:
        ctx.dst, ctx.group = dst, group
        result = tensor.contiguous().clone()
        dist.reduce(result, dst, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, None, None, _Broadcast.apply(ctx.dst, ctx.group, grad.contiguous())


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, dst: int, group: Any, tensor: Any) -> Any:
        ctx.dst, ctx.group = dst, group
        every = tuple(torch.zeros_like(tensor) for _ in range(dist.get_world_size(group)))
        is_root = dist.get_rank() == dst
        dist.gather(tensor.contiguous(), list(every) if is_root else None, dst, group)
        return every

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return None, None, _Scatter.apply(ctx.dst, ctx.group, *grads)


class _Scatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, *tensors: Any) -> Any:
        ctx.src, ctx.group = src, group
        result = torch.zeros_like(tensors[0])
        is_root = dist.get_rank() == src
        dist.scatter(result, [t.contiguous() for t in tensors] if is_root else None, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, None, *_Gather.apply(ctx.src, ctx.group, grad.contiguous())


class _ReduceScatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, *tensors: Any) -> Any:
        ctx.group = group
        result = torch.zeros_like(tensors[dist.get_rank(group)])
        dist.reduce_scatter(result, [t.contiguous() for t in tensors], op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, None, *_AllGather.apply(ctx.group, grad)


class _AllGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, group: Any, tensor: Any) -> Any:
        ctx.group = group
        every = tuple(torch.empty_like(tensor) for _ in range(dist.get_world_size(group)))
        dist.all_gather(list(every), tensor.contiguous(), group)
        return every

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return None, _ReduceScatter.apply(ReduceOp.SUM, ctx.group, *grads)


class _AllReduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, tensor: Any) -> Any:
        ctx.op, ctx.group = op, group
        result = tensor.contiguous().clone()
        dist.all_reduce(result, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, None, _AllReduce.apply(ctx.op, ctx.group, grad)


class _AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, group: Any, shapes: Any, *tensors: Any) -> Any:
        ctx.group, ctx.shapes = group, [tuple(t.shape) for t in tensors]
        received = tuple(tensors[0].new_empty(shape) for shape in shapes)
        dist.all_to_all(list(received), [t.contiguous() for t in tensors], group)
        return received

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return None, None, *_AllToAll.apply(ctx.group, ctx.shapes, *grads)


class _AllToAllSingle(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, group: Any, shape: Any, received: Any, sent: Any, tensor: Any) -> Any:
        ctx.group, ctx.shape, ctx.received, ctx.sent = group, tuple(tensor.shape), received, sent
        result = tensor.new_empty(shape)
        dist.all_to_all_single(result, tensor.contiguous(), received, sent, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        found = _AllToAllSingle.apply(ctx.group, ctx.shape, ctx.sent, ctx.received, grad)
        return None, None, None, None, found


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """The tensor of one process.

    Args:
        tensor: this process's
        src: the global rank of who gives it
        group: the processes; None for all
    """
    found: Tensor = _Broadcast.apply(src, group, tensor)
    return found


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple[Tensor, ...]:
    """The tensors of all processes for one; zeros for the others.

    Args:
        tensor: this process's
        dst: the global rank of who gets them
        group: the processes; None for all
    """
    found: tuple[Tensor, ...] = _Gather.apply(dst, group, tensor)
    return found


def scatter(tensors: Sequence[Tensor], src: int = 0, group: Any = None) -> Tensor:
    """One of the tensors of one process for each.

    Args:
        tensors: one for each process
        src: the global rank of whose tensors count
        group: the processes; None for all
    """
    found: Tensor = _Scatter.apply(src, group, *tensors)
    return found


def reduce(tensor: Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """What all contribute, combined for one process.

    Args:
        tensor: this process's
        dst: the global rank of who gets it
        op: how elements are combined
        group: the processes; None for all
    """
    found: Tensor = _Reduce.apply(dst, op, group, tensor)
    return found


def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: Any = ReduceOp.SUM, group: Any = None
) -> Tensor:
    """This process's part of what all contribute.

    Args:
        output: not used any more; results are new tensors
        input_list: one for each process
        op: how elements are combined
        group: the processes; None for all
    """
    found: Tensor = _ReduceScatter.apply(op, group, *input_list)
    return found


def all_gather(tensor: Tensor, group: Any = None) -> tuple[Tensor, ...]:
    """The tensors of all processes.

    Args:
        tensor: this process's
        group: the processes; None for all
    """
    found: tuple[Tensor, ...] = _AllGather.apply(group, tensor)
    return found


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """What all contribute, combined.

    Args:
        tensor: this process's
        op: how elements are combined
        group: the processes; None for all
    """
    found: Tensor = _AllReduce.apply(op, group, tensor)
    return found


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Any = None
) -> tuple[Tensor, ...]:
    """One tensor of every process.

    Args:
        output_tensor_list: tensors with the shapes of what comes
        input_tensor_list: one for each process
        group: the processes; None for all
    """
    shapes = [tuple(tensor.shape) for tensor in output_tensor_list]
    found: tuple[Tensor, ...] = _AllToAll.apply(group, shapes, *input_tensor_list)
    return found


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: Any = None,
) -> Tensor:
    """A part of every process's tensor.

    Args:
        output: a tensor with the shape of what comes
        input: this process's tensor
        output_split_sizes: how many rows come from each process
        input_split_sizes: how many rows go to each
        group: the processes; None for all
    """
    shape = tuple(output.shape)
    found: Tensor = _AllToAllSingle.apply(
        group, shape, output_split_sizes, input_split_sizes, input
    )
    return found
