"""The accelerator of the machine: a device that a package has added, or none."""

from __future__ import annotations

from typing import Any

from rushlight._names import absent_devices as _absent_devices
from rushlight._state import devices as _devices
from rushlight.engine.core.device import device as _device

globals().update(_absent_devices.raising(
    RuntimeError, "Cannot access accelerator device when none is available.", [
        "current_device_idx", "current_device_index", "current_stream", "empty_cache",
        "get_device_capability", "get_memory_info", "max_memory_allocated", "max_memory_reserved",
        "memory_allocated", "memory_reserved", "memory_stats", "reset_accumulated_memory_stats",
        "reset_peak_memory_stats", "set_device_idx", "set_device_index", "set_stream", "synchronize",
    ],
))  # fmt: skip


def _module() -> Any:
    """The module of the device that a package has added; None if there is none."""
    return next(iter(_devices.modules.values()), None)


def is_available() -> bool:
    """Whether there is one."""
    module = _module()
    return module is not None and bool(module.is_available())


def device_count() -> int:
    """How many there are."""
    return int(_module().device_count()) if is_available() else 0


def current_accelerator(check_available: bool = False) -> Any:
    """Which kind there is; None if there is none."""
    kind = next(iter(_devices.modules), None)
    if kind is None or (check_available and not is_available()):
        return None
    return _device(kind)
