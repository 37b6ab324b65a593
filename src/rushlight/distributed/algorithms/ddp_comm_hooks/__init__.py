"""Functions that average the gradients of `DistributedDataParallel`."""

from rushlight.distributed.algorithms.ddp_comm_hooks import (
    default_hooks,
    post_localSGD_hook,
    powerSGD_hook,
)

__all__ = ["default_hooks", "post_localSGD_hook", "powerSGD_hook"]
