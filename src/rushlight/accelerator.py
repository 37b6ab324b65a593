"""The accelerator of the machine, of which there is none."""

from __future__ import annotations

from typing import Any

from rushlight._names import absent_devices as _absent_devices

globals().update(_absent_devices.constant(0, ["device_count"]))
globals().update(_absent_devices.raising(
    RuntimeError, "Cannot access accelerator device when none is available.", [
        "current_device_idx", "current_device_index", "current_stream", "empty_cache",
        "get_device_capability", "get_memory_info", "max_memory_allocated", "max_memory_reserved",
        "memory_allocated", "memory_reserved", "memory_stats", "reset_accumulated_memory_stats",
        "reset_peak_memory_stats", "set_device_idx", "set_device_index", "set_stream", "synchronize",
    ],
))  # fmt: skip


def is_available() -> bool:
    """Whether there is one."""
    return False


def current_accelerator(check_available: bool = False) -> Any:
    """Which kind there is: none."""
    return None
