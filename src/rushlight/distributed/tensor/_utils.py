"""Which part of a tensor a device has."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard


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
    for dim, placement in enumerate(placements):
        if isinstance(placement, (Replicate, Partial)):
            continue
        if not isinstance(placement, Shard):
            raise NotImplementedError(f"the part of a tensor that lies as {placement!r}")
        where = placement.dim
        count, first = Shard.local_shard_size_and_offset(
            sizes[where], mesh.size(dim), coordinate[dim]
        )
        sizes[where] = count
        # What has nothing begins behind the end.
        offsets[where] = offsets[where] + first if count else global_shape[where]
    return tuple(sizes), tuple(offsets)
