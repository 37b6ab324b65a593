"""Which devices networks are divided over; where only the CPU is there, what can be done without more is done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import rushlight
from rushlight import _utils


def has_accelerator(what: str, devices: Sequence[Any]) -> bool:
    """Whether there is one; raise for devices that are not there.

    Args:
        what: who asks, for the message
        devices: the devices that it is to use
    """
    if _utils._get_available_device_type() is not None:
        return any(str(d) != "cpu" for d in devices) if devices else True
    if any(str(d) != "cpu" for d in devices if d is not None):
        raise NotImplementedError(f"{what} over devices {list(devices)}: only the CPU is there")
    return False


def check_is_on(module: Any, where: Any) -> None:
    """Raise for a module of which something is elsewhere than on the first device."""
    tensors: Iterable[Any] = chain(module.parameters(), module.buffers())
    for tensor in tensors:
        if tensor.device != where:
            raise RuntimeError(
                "module must have its parameters and buffers on device "
                f"{where} (device_ids[0]) but found one of them on device: {tensor.device}"
            )


def first_of(devices: Sequence[int]) -> Any:
    """The first of some accelerators."""
    return rushlight.device(_utils._get_available_device_type() or "cpu", devices[0])
