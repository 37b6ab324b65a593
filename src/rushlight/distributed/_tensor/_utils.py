"""The older name of `distributed.tensor._utils`."""

from rushlight.distributed.tensor._utils import (
    compute_global_tensor_info,
    compute_local_shape,
    compute_local_shape_and_global_offset,
)

__all__ = [
    "compute_global_tensor_info",
    "compute_local_shape",
    "compute_local_shape_and_global_offset",
]
