"""Marks for NVIDIA's profiler, which cannot be set."""

from rushlight._names import absent_devices as _absent_devices

_NAMES = ["mark", "range_end", "range_pop", "range_push", "range_start"]

globals().update(
    _absent_devices.raising(
        RuntimeError,
        "NVTX functions not installed. Are you sure you have a CUDA build?",
        _NAMES,
    )
)
