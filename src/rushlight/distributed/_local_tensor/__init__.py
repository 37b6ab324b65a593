"""Many ranks in one process: tensors of which each simulated rank has its own, for looking at distributed programs."""

from rushlight.distributed._local_tensor._active import (
    enabled_local_tensor_mode,
    local_tensor_mode,
)
from rushlight.distributed._local_tensor._integers import LocalIntNode
from rushlight.distributed._local_tensor._mode import (
    LocalTensorMode,
    maybe_disable_local_tensor_mode,
    maybe_run_for_local_tensor,
    rank_map,
    tensor_map,
)
from rushlight.distributed._local_tensor._runner import LocalRunnerMode
from rushlight.distributed._local_tensor._tensor import LocalTensor, reconcile_args

__all__ = [
    "LocalIntNode",
    "LocalRunnerMode",
    "LocalTensor",
    "LocalTensorMode",
    "enabled_local_tensor_mode",
    "local_tensor_mode",
    "maybe_disable_local_tensor_mode",
    "maybe_run_for_local_tensor",
    "rank_map",
    "reconcile_args",
    "tensor_map",
]
