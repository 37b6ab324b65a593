"""Which device is meant, and what is asked of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.cuda import context

__all__ = [
    "device", "device_of", "get_device_capability", "get_device_name", "get_device_properties",
]  # fmt: skip


def index_of(which: Any, optional: bool = True) -> int:
    """The number of a device: the current one, if None is allowed and given.

    Args:
        which: a number, a name, a device, or None
        optional: whether None, or a device without a number, is the current one
    """
    if isinstance(which, int) and not isinstance(which, bool):
        return which
    if which is None:
        if optional:
            return context.current()
        raise ValueError("a device is needed, and None was given")
    device = devices.device(which)
    if device.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {device}")
    if device.index is None:
        if optional:
            return context.current()
        raise ValueError(f"the number of a device is needed, but got: {device}")
    return device.index


class device:
    """A block on a device.

    Args:
        device: which one; a negative number or None changes nothing
    """

    def __init__(self, device: Any = None) -> None:
        self.idx = -1 if device is None else index_of(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx < 0:
            return
        if not context.count():
            raise RuntimeError("PyTorch was compiled without CUDA support")
        self.prev_idx = context.current()
        context.set_current(self.idx)

    def __exit__(self, *exception: object) -> None:
        if self.prev_idx >= 0:
            context.set_current(self.prev_idx)
            self.prev_idx = -1


class device_of(device):
    """A block on the device of a tensor; one that is elsewhere changes nothing."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else -1)


class _CudaDeviceProperties(SimpleNamespace):
    """What the driver says of a device."""

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // (1 << 20)}MB, "
            f"multi_processor_count={self.multi_processor_count}, uuid={self.uuid}, "
            f"L2_cache_size={self.L2_cache_size // (1 << 20)}MB)"
        )


def get_device_properties(device: Any = None) -> _CudaDeviceProperties:
    """What the driver says of a device: its name, its memory, its processors."""
    found = dict(context.properties(index_of(device)))
    raw = found.pop("uuid").hex()
    found["uuid"] = "-".join((raw[:8], raw[8:12], raw[12:16], raw[16:20], raw[20:]))
    found["L2_cache_size"] = found.pop("l2_cache_size")
    found["shared_memory_per_block"] = found.pop("max_shared_memory_per_block")
    found["is_integrated"] = found.pop("integrated")
    return _CudaDeviceProperties(**found)


def get_device_name(device: Any = None) -> str:
    return str(context.properties(index_of(device))["name"])


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The version of a device's architecture."""
    found = context.properties(index_of(device))
    return found["major"], found["minor"]
