"""What the graph keeps of a module's inputs, in parts."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor._api import DTensor
from rushlight.distributed.tensor.placement_types import Replicate, Shard
from rushlight.nn.modules.module import Module

__all__ = ["input_reshard"]


def input_reshard(
    module: Module, tp_device_mesh: DeviceMesh, input_reshard_dim: int | None = None
) -> Module:
    """Keep tensors that are the same on all devices in parts until the backward pass needs them.

    Args:
        module: what it is kept for
        tp_device_mesh: the devices
        input_reshard_dim: the dimension that is cut; None to keep tensors as they are
    """
    if input_reshard_dim is None:
        return module
    dim, count = input_reshard_dim, tp_device_mesh.size()

    def pack(tensor: Any) -> Any:
        if isinstance(tensor, DTensor):
            return tensor
        if not tensor.is_leaf and tensor.dim() > dim and tensor.shape[dim] % count == 0:
            made = DTensor.from_local(tensor.detach(), tp_device_mesh, [Replicate()])
            return (made.redistribute(placements=[Shard(dim)]),)
        return tensor

    def unpack(kept: Any) -> Any:
        return kept[0].full_tensor() if isinstance(kept, tuple) else kept

    within: list[Any] = []

    def before(*_: Any) -> None:
        within.append(torch.autograd.graph.saved_tensors_hooks(pack, unpack))
        within[-1].__enter__()

    def after(*_: Any) -> None:
        within.pop().__exit__(None, None, None)

    module.register_forward_pre_hook(before)
    module.register_forward_hook(after)
    return module
