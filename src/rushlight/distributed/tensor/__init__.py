"""Tensors that lie on the devices of a mesh."""

from __future__ import annotations

from rushlight.distributed.tensor import _factories as factories
from rushlight.distributed.tensor._api import DTensor, distribute_tensor
from rushlight.distributed.tensor._modules import distribute_module
from rushlight.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard

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
