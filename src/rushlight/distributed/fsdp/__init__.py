"""Models in pieces on several devices, which are not there yet.

Libraries ask whether a module is one of them: none is.
"""

from __future__ import annotations

from typing import Any

from rushlight._names.absent import absent_class, absent_functions
from rushlight.nn.modules.module import Module

_WHAT = "training in several processes"

FSDPModule: Any = absent_class(__name__, "FSDPModule", _WHAT)
FullyShardedDataParallel: Any = absent_class(__name__, "FullyShardedDataParallel", _WHAT, Module)
for _name in (
    "BackwardPrefetch", "CPUOffload", "CPUOffloadPolicy", "FullOptimStateDictConfig",
    "FullStateDictConfig", "LocalStateDictConfig", "MixedPrecision", "MixedPrecisionPolicy", "OffloadPolicy",
    "ShardedStateDictConfig", "ShardingStrategy", "StateDictConfig", "StateDictType", "UnshardHandle",
):  # fmt: skip
    globals()[_name] = absent_class(__name__, _name, _WHAT)

globals().update(absent_functions(__name__, ["fully_shard", "register_fsdp_forward_method"], _WHAT))
