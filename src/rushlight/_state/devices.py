"""Devices by name: the module of a kind, and queues of work."""

from __future__ import annotations

import importlib
from typing import Any

from rushlight.engine.core.device import device as Device

__all__ = ["Event", "Stream", "get_device_module"]


def get_device_module(device: Any = None) -> Any:
    """The module of a kind of device, such as `cpu` or `cuda`; that of the CPU if None."""
    if device is None:
        kind = "cpu"
    elif isinstance(device, (str, Device)):
        kind = Device(device).type
    else:
        raise RuntimeError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    try:
        return importlib.import_module(f"rushlight.{kind}")
    except ImportError:
        raise RuntimeError(
            f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'."
        ) from None


class Stream:
    """A queue of work of an accelerator, which cannot be made without one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Cannot access accelerator device when none is available.")


class Event:
    """A mark in a queue of an accelerator, which cannot be made without one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Cannot access accelerator device when none is available.")
