"""Modules in pieces on several devices."""

from __future__ import annotations

from typing import Any

from rushlight._names.absent import absent_class
from rushlight.distributed.fsdp._fully_shard import (
    CPUOffloadPolicy,
    DataParallelMeshDims,
    FSDPModule,
    MixedPrecisionPolicy,
    OffloadPolicy,
    UnshardHandle,
    fully_shard,
    register_fsdp_forward_method,
    share_comm_ctx,
)
from rushlight.nn.modules.module import Module

__all__ = [
    "CPUOffloadPolicy",
    "DataParallelMeshDims",
    "FSDPModule",
    "MixedPrecisionPolicy",
    "OffloadPolicy",
    "UnshardHandle",
    "fully_shard",
    "register_fsdp_forward_method",
    "share_comm_ctx",
]

_WHAT = "training in several processes"

FullyShardedDataParallel: Any = absent_class(__name__, "FullyShardedDataParallel", _WHAT, Module)
for _name in (
    "BackwardPrefetch", "CPUOffload", "FullOptimStateDictConfig",
    "FullStateDictConfig", "LocalStateDictConfig", "MixedPrecision",
    "ShardedStateDictConfig", "ShardingStrategy", "StateDictConfig", "StateDictType",
):  # fmt: skip
    globals()[_name] = absent_class(__name__, _name, _WHAT)
