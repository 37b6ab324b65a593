"""Which part of a tensor a device has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.distributed._local_tensor import maybe_run_for_local_tensor
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor._dtensor_spec import shard_order
from rushlight.distributed.tensor.placement_types import Placement, Shard, _StridedShard


@maybe_run_for_local_tensor
def compute_local_shape_and_global_offset(
    global_shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The sizes of this device's part of a tensor, and where in the whole it begins.

    Args:
        global_shape: the sizes of the whole
        mesh: the devices
        placements: how the tensor lies along each dimension of the mesh
    """
    coordinate = mesh.get_coordinate()
    if coordinate is None:
        return (0,), ()
    sizes, offsets = list(global_shape), [0] * len(global_shape)
    for where, mesh_dims in shard_order(placements, mesh.shape).items():
        for i in mesh_dims:
            count, first = Shard.local_shard_size_and_offset(
                sizes[where], mesh.size(i), coordinate[i]
            )
            sizes[where] = count
            # What has nothing begins behind the end.
            offsets[where] = offsets[where] + first if count else global_shape[where]
    return tuple(sizes), tuple(offsets)


def compute_local_shape(
    global_shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement]
) -> tuple[int, ...]:
    """The sizes of this device's part of a tensor."""
    return compute_local_shape_and_global_offset(global_shape, mesh, placements)[0]


def compute_global_tensor_info(
    tensor: Any, mesh: DeviceMesh, placements: Sequence[Placement]
) -> tuple[list[int], list[int]]:
    """The sizes and strides of the whole, if all devices have as much as this one.

    Args:
        tensor: this device's part
        mesh: the devices
        placements: how the tensor lies on them
    """
    shape, stride = list(tensor.shape), list(tensor.stride())
    for i, placement in enumerate(placements):
        if not isinstance(placement, (Shard, _StridedShard)):
            continue
        dim = placement.dim
        if not 0 <= dim < len(shape):
            raise AssertionError(
                f"Sharding dim {dim} greater than tensor ndim {len(shape)} for placement number {i}."
            )
        inner = stride[dim]
        shape[dim] *= mesh.size(i)
        for d in range(len(stride)):
            # Where there is more of a dimension, what lies outside of it is further apart.
            if (d != dim and stride[d] > inner) or (stride[d] == inner and d < dim):
                stride[d] *= mesh.size(i)
    return shape, stride
