"""Pieces of a dimension, and the collectives that move them between devices along one dimension of a mesh.

Pieces are those of `chunk`: all as long as the first, but for the last ones, which have less or nothing. For a
collective they are padded to one length, so that what has been gathered is the whole with padding at its end.
"""

from __future__ import annotations

import math
from typing import Any

import rushlight as torch
from rushlight.distributed import _functional_collectives as functional
from rushlight.distributed import distributed_c10d as dist
from rushlight.distributed._local_tensor import (
    LocalTensor,
    enabled_local_tensor_mode,
    maybe_run_for_local_tensor,
)
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.placement_types import Partial, Shard

__all__ = ["mesh_broadcast", "mesh_scatter"]

_ops: Any = functional._ops
Tensor = torch.Tensor


def _name(mesh: DeviceMesh, mesh_dim: int) -> str:
    name: str = mesh.get_group(mesh_dim).group_name
    return name


@maybe_run_for_local_tensor
def piece(whole: Tensor, dim: int, mesh: DeviceMesh, mesh_dim: int) -> Tensor:
    """This device's piece of a tensor: a view."""
    length, first = Shard.local_shard_size_and_offset(
        whole.shape[dim], mesh.size(mesh_dim), mesh.get_local_rank(mesh_dim)
    )
    return whole.narrow(dim, first, length)


@maybe_run_for_local_tensor
def padded(x: Tensor, dim: int, length: int) -> Tensor:
    """A tensor with zeros at the end of a dimension."""
    if x.shape[dim] == length:
        return x
    missing = list(x.shape)
    missing[dim] = length - x.shape[dim]
    return torch.cat([x, x.new_zeros(missing)], dim)


@maybe_run_for_local_tensor
def _unpadded(rows: Tensor, dim: int, length: int) -> Tensor:
    """The first rows, as a dimension of a tensor."""
    return rows[:length].movedim(0, dim).contiguous()


def gathered(local: Tensor, dim: int, length: int, mesh: DeviceMesh, mesh_dim: int) -> Tensor:
    """The tensor whose pieces the devices have.

    Args:
        local: this device's piece
        dim: the dimension that is in pieces
        length: how long it is
        mesh: the devices
        mesh_dim: along which dimension of the mesh
    """
    count = mesh.size(mesh_dim)
    if count == 1:
        return local
    rows = padded(local.movedim(dim, 0), 0, -(-length // count)).contiguous()
    found = _ops.all_gather_into_tensor(rows, count, _name(mesh, mesh_dim))
    return _unpadded(_ops.wait_tensor(found), dim, length)


def reduced(local: Tensor, how: Partial, mesh: DeviceMesh, mesh_dim: int) -> Tensor:
    """What all devices have, reduced."""
    if mesh.size(mesh_dim) == 1:
        return local
    given = how.before(local).contiguous()
    found = _ops.all_reduce(given, how.collective, _name(mesh, mesh_dim))
    return how.after(_ops.wait_tensor(found))


def reduced_piece(local: Tensor, how: Partial, dim: int, mesh: DeviceMesh, mesh_dim: int) -> Tensor:
    """This device's piece of what all have, reduced."""
    count = mesh.size(mesh_dim)
    if count == 1:
        return local
    if how.collective not in ("sum", "avg", "max", "min", "product"):
        return piece(reduced(local, how, mesh, mesh_dim), dim, mesh, mesh_dim)
    length = local.shape[dim]
    rows = padded(how.before(local).movedim(dim, 0), 0, -(-length // count) * count).contiguous()
    name = _name(mesh, mesh_dim)
    found = _ops.wait_tensor(_ops.reduce_scatter_tensor(rows, how.collective, count, name))
    return how.after(_kept(found, dim, length, mesh, mesh_dim))


@maybe_run_for_local_tensor
def _kept(rows: Tensor, dim: int, length: int, mesh: DeviceMesh, mesh_dim: int) -> Tensor:
    """This device's piece of a dimension, without the rows that pad it."""
    own, _ = Shard.local_shard_size_and_offset(
        length, mesh.size(mesh_dim), mesh.get_local_rank(mesh_dim)
    )
    return _unpadded(rows, dim, own)


def exchanged(
    local: Tensor, source: int, length: int, target: int, mesh: DeviceMesh, mesh_dim: int
) -> Tensor:
    """From pieces of one dimension to pieces of another one.

    Args:
        local: this device's piece
        source: the dimension that is in pieces
        length: how long it is
        target: the dimension that shall be in pieces
        mesh: the devices
        mesh_dim: along which dimension of the mesh
    """
    if mesh.size(mesh_dim) == 1:
        return local
    given, sent, shapes = _cut(local, source, length, target, mesh, mesh_dim)
    received = [math.prod(shape) for shape in shapes]
    name = _name(mesh, mesh_dim)
    found = _ops.wait_tensor(_ops.all_to_all_single(given, received, sent, name))
    return _joined(found, shapes, source)


@maybe_run_for_local_tensor
def _cut(
    local: Tensor, source: int, length: int, target: int, mesh: DeviceMesh, mesh_dim: int
) -> tuple[Tensor, list[int], list[list[int]]]:
    """What this device gives to others, one after the other, how long each part is, and the shapes of what it gets."""
    count, rank = mesh.size(mesh_dim), mesh.get_local_rank(mesh_dim)

    def part(whole: int, which: int) -> tuple[int, int]:
        return Shard.local_shard_size_and_offset(whole, count, which)

    given, shapes = [], []
    for other in range(count):
        wide, first = part(local.shape[target], other)
        given.append(local.narrow(target, first, wide).reshape(-1))
        shape = list(local.shape)
        shape[source] = part(length, other)[0]
        shape[target] = part(local.shape[target], rank)[0]
        shapes.append(shape)
    return torch.cat(given), [len(x) for x in given], shapes


@maybe_run_for_local_tensor
def _joined(found: Tensor, shapes: list[list[int]], dim: int) -> Tensor:
    """What came from other devices, put together along a dimension."""
    parts = found.split([math.prod(shape) for shape in shapes])
    return torch.cat([x.view(shape) for x, shape in zip(parts, shapes)], dim)


@maybe_run_for_local_tensor
def shared(whole: Tensor, how: Partial, mesh: DeviceMesh, mesh_dim: int) -> Tensor:
    """What this device holds if all of them together are to give a tensor."""
    return how.share(whole, mesh.get_local_rank(mesh_dim) == 0)


def everywhere(tensor: Tensor) -> Tensor:
    """A tensor of this process; where ranks are simulated, a plain one is what all of them have."""
    mode = enabled_local_tensor_mode()
    if mode is None or isinstance(tensor, LocalTensor):
        return tensor
    return mode.rank_map(lambda rank: tensor.detach()).requires_grad_(tensor.requires_grad)


def mesh_broadcast(
    tensor: Tensor, mesh: DeviceMesh, mesh_dim: int = 0, *, group_src: int = 0
) -> None:
    """Give all devices along a dimension of a mesh the elements of one of them, in place.

    Args:
        tensor: the elements
        mesh: the devices
        mesh_dim: along which dimension of the mesh
        group_src: who has them
    """
    if mesh.size(mesh_dim) > 1:
        dist.broadcast(tensor, group=mesh.get_group(mesh_dim), group_src=group_src)


def mesh_scatter(
    output: Tensor,
    scatter_list: list[Tensor],
    mesh: DeviceMesh,
    mesh_dim: int = 0,
    *,
    group_src: int = 0,
) -> None:
    """Give each device along a dimension of a mesh a tensor of one of them.

    Args:
        output: where it is put
        scatter_list: the tensors, as long as ``output``
        mesh: the devices
        mesh_dim: along which dimension of the mesh
        group_src: who has the list
    """
    # A process that simulates all ranks is the one that has the list, too.
    is_source = enabled_local_tensor_mode() or mesh.get_local_rank(mesh_dim) == group_src
    given = scatter_list if is_source else None
    dist.scatter(output, given, group=mesh.get_group(mesh_dim), group_src=group_src)


def scattered(whole: Tensor, dim: int, mesh: DeviceMesh, mesh_dim: int, source: int) -> Tensor:
    """This device's piece of a tensor of another device."""
    count = mesh.size(mesh_dim)
    if count == 1:
        return whole
    length = whole.shape[dim]
    wide = -(-length // count)
    rows = padded(whole.movedim(dim, 0), 0, wide * count).contiguous()
    made = rows.new_empty((wide, *rows.shape[1:]))
    mesh_scatter(made, list(rows.chunk(count)), mesh, mesh_dim, group_src=source)
    return _kept(made, dim, length, mesh, mesh_dim)
