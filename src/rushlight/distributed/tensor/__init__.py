"""Tensors in pieces on several devices, which are not there yet.

Libraries ask whether a tensor is one of them: none is.
"""

from __future__ import annotations

from typing import Any

from rushlight._names.absent import absent_class, absent_functions
from rushlight.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard
from rushlight.engine.core.tensor import Tensor

__all__ = [
    "DTensor",
    "Partial",
    "Placement",
    "Replicate",
    "Shard",
    "distribute_module",
    "distribute_tensor",
]

_WHAT = "tensors that are spread over several devices"

DTensor: Any = absent_class(__name__, "DTensor", _WHAT, Tensor)
globals().update(absent_functions(__name__, ["distribute_module", "distribute_tensor"], _WHAT))
