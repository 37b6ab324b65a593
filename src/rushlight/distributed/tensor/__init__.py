"""Tensors that lie on the devices of a mesh."""

from __future__ import annotations

from rushlight.distributed.device_mesh import DeviceMesh as DeviceMesh
from rushlight.distributed.device_mesh import init_device_mesh as init_device_mesh
from rushlight.distributed.tensor import _factories as factories
from rushlight.distributed.tensor._api import DTensor, distribute_tensor
from rushlight.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from rushlight.distributed.tensor._modules import distribute_module
from rushlight.distributed.tensor.placement_types import (
    Partial,
    Placement,
    Replicate,
    Shard,
    _StridedShard,
)
from rushlight.serialization import add_safe_globals

__all__ = [
    "DTensor",
    "Partial",
    "Placement",
    "Replicate",
    "Shard",
    "distribute_module",
    "distribute_tensor",
    "empty",
    "full",
    "ones",
    "rand",
    "randn",
    "zeros",
]

empty = factories.empty
full = factories.full
ones = factories.ones
rand = factories.rand
randn = factories.randn
zeros = factories.zeros

# Files may have distributed tensors without being trusted.
add_safe_globals(
    [DeviceMesh, DTensorSpec, TensorMeta, DTensor, Partial, Replicate, Shard, _StridedShard]
)
