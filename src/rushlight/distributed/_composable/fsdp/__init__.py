"""An older name of `distributed.fsdp`."""

from rushlight.distributed._composable.fsdp.fully_shard import (
    FSDPModule,
    fully_shard,
    register_fsdp_forward_method,
)
from rushlight.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy

__all__ = [
    "CPUOffloadPolicy",
    "FSDPModule",
    "MixedPrecisionPolicy",
    "OffloadPolicy",
    "fully_shard",
    "register_fsdp_forward_method",
]
