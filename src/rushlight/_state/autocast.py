"""The functions of the namespace that read and set autocast."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.dtype import dtype
from rushlight.engine.dispatch import autocasting

__all__ = [
    "autocast_decrement_nesting",
    "autocast_increment_nesting",
    "clear_autocast_cache",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
    "set_autocast_gpu_dtype",
]

_settings = autocasting.settings


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether this thread is within autocast for a kind of device."""
    return device_type in _settings.enabled


def set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
    """Switch autocast for a kind of device; with one argument, for CUDA."""
    if enabled is None:
        device_type, enabled = "cuda", device_type
    autocasting.switch(device_type, bool(enabled))


def get_autocast_dtype(device_type: str) -> dtype:
    """The type that products compute in."""
    return autocasting.dtype_of(device_type)


def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    """Choose the type that products compute in within autocast."""
    _settings.dtypes[device_type] = dtype


def is_autocast_cpu_enabled() -> bool:
    """Whether this thread is within autocast for the CPU."""
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Switch autocast for the CPU."""
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> dtype:
    """The type that products compute in on the CPU."""
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: dtype) -> None:
    """Choose the type that products compute in on the CPU."""
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> dtype:
    """The type that products would compute in on CUDA."""
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: dtype) -> None:
    """Choose the type that products would compute in on CUDA."""
    set_autocast_dtype("cuda", dtype)


def is_autocast_cache_enabled() -> bool:
    """Whether weights are cast once for a region."""
    return _settings.caching


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Whether weights are cast once for a whole region from now on."""
    _settings.caching = bool(enabled)


def clear_autocast_cache() -> None:
    """Forget the weights that were cast."""
    _settings.cast.clear()


def autocast_increment_nesting() -> int:
    """Count one more region of this thread."""
    _settings.nesting += 1
    return _settings.nesting


def autocast_decrement_nesting() -> int:
    _settings.nesting -= 1
    return _settings.nesting
