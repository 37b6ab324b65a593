"""Sizes of the pieces of a `DTensor`, which are not there yet."""

from __future__ import annotations

from rushlight._names.absent import absent_functions

_NAMES = [
    "compute_global_tensor_info", "compute_local_shape", "compute_local_shape_and_global_offset",
]  # fmt: skip
globals().update(absent_functions(__name__, _NAMES, "tensors that are spread over several devices"))
