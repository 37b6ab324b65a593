"""States of optimizers of sharded modules, loaded in the parts that the modules have."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight import distributed as dist
from rushlight.distributed.checkpoint._nested_dict import unflatten_state_dict
from rushlight.distributed.checkpoint.metadata import BytesStorageMetadata
from rushlight.distributed.checkpoint.planner import LoadPlanner
from rushlight.distributed.checkpoint.state_dict_loader import _load_state_dict
from rushlight.distributed.checkpoint.storage import StorageReader
from rushlight.distributed.device_mesh import init_device_mesh
from rushlight.distributed.tensor import DTensor, Shard
from rushlight.distributed.tensor import empty as empty_in_parts

__all__ = ["load_sharded_optimizer_state_dict"]


def load_sharded_optimizer_state_dict(
    model_state_dict: dict[str, Any],
    optimizer_key: str,
    storage_reader: StorageReader,
    planner: LoadPlanner | None = None,
) -> dict[str, Any]:
    """A checkpoint's state of an optimizer, each tensor in parts.

    Args:
        model_state_dict: of the sharded module; states are divided as its parameters are
        optimizer_key: under which name the optimizer was saved
        storage_reader: where it comes from
        planner: decides what is read
    """
    metadata = storage_reader.read_metadata()
    paths = metadata.planner_data
    found: dict[str, Any] = {}
    for key, stored in metadata.state_dict_metadata.items():
        path = paths[key]
        if path[0] != optimizer_key:
            continue
        if isinstance(stored, BytesStorageMetadata):
            found[key] = None
        else:
            # The path is that of the state in a state dict by names: key, "state", parameter, what it is.
            parameter = model_state_dict.get(path[2]) if len(path) > 2 else None
            found[key] = _room_for(stored, parameter)
    storage_reader.reset()
    _load_state_dict(found, storage_reader, planner=planner, no_dist=not dist.is_initialized())
    return unflatten_state_dict(found, paths)


def _room_for(stored: Any, parameter: Any) -> Any:
    """A tensor to load into: in the parts of its parameter, or of one for each process."""
    size, dtype = stored.size, stored.properties.dtype
    if size.numel() == 1 or not dist.is_initialized():
        return torch.empty(size, dtype=dtype)
    if isinstance(parameter, DTensor) and parameter.shape == size:
        mesh, placements = parameter.device_mesh, parameter.placements
    else:
        mesh, placements = init_device_mesh("cpu", (dist.get_world_size(),)), (Shard(0),)
    return empty_in_parts(size, dtype=dtype, device_mesh=mesh, placements=placements)
