"""Which device is meant, under the name that other packages import."""

from __future__ import annotations

from typing import Any

from rushlight.cuda import _device
from rushlight.engine.core import device as devices

__all__: list[str] = []


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a device.

    Args:
        device: a number, a name, a device, a block on a device, or None
        optional: whether None, or a device without a number, is the current one
        allow_cpu: whether the CPU may be meant, which is -1
    """
    if isinstance(device, _device.device):
        return device.idx
    if allow_cpu and isinstance(device, (str, devices.device)):
        found = devices.device(device)
        if found.type == "cpu":
            return -1
    return _device.index_of(device, optional)
