"""An older place of `distributed.fsdp.fully_shard`."""

from rushlight.distributed.fsdp import (
    FSDPModule,
    UnshardHandle,
    fully_shard,
    register_fsdp_forward_method,
)

__all__ = ["FSDPModule", "UnshardHandle", "fully_shard", "register_fsdp_forward_method"]
