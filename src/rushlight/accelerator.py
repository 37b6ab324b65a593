"""The accelerator of the machine: a device that a package has added, or CUDA, or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight._state import devices as _devices
from rushlight.engine.core.device import device as _device

# What each function is called in the module of a device, where that is another name.
_IN_MODULES = {
    "current_device_idx": "current_device", "current_device_index": "current_device",
    "get_memory_info": "mem_get_info", "set_device_idx": "set_device", "set_device_index": "set_device",
}  # fmt: skip


def _kind() -> str | None:
    """The type of the accelerator's devices; None if there is none."""
    found = next(iter(_devices.modules), None)
    if found is None and _devices.get_device_module("cuda").is_available():
        return "cuda"
    return found


def _asking(name: str) -> Callable[..., Any]:
    """A function that asks the accelerator's module."""

    def ask(*args: Any, **kwargs: Any) -> Any:
        kind = _kind()
        module = None if kind is None else _devices.get_device_module(kind)
        function = getattr(module, _IN_MODULES.get(name, name), None)
        if function is None:
            raise RuntimeError("Cannot access accelerator device when none is available.")
        return function(*args, **kwargs)

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = f"What the accelerator's ``{_IN_MODULES.get(name, name)}`` gives."
    return ask


globals().update({name: _asking(name) for name in (
    "current_device_idx", "current_device_index", "current_stream", "empty_cache",
    "get_device_capability", "get_memory_info", "max_memory_allocated", "max_memory_reserved",
    "memory_allocated", "memory_reserved", "memory_stats", "reset_accumulated_memory_stats",
    "reset_peak_memory_stats", "set_device_idx", "set_device_index", "set_stream", "synchronize",
)})  # fmt: skip


def is_available() -> bool:
    """Whether there is one."""
    kind = _kind()
    return kind is not None and bool(_devices.get_device_module(kind).is_available())


def device_count() -> int:
    """How many there are."""
    return int(_devices.get_device_module(_kind()).device_count()) if is_available() else 0


def current_accelerator(check_available: bool = False) -> Any:
    """Which kind there is; None if there is none."""
    kind = _kind()
    if kind is None or (check_available and not is_available()):
        return None
    return _device(kind)
