"""What belongs to a device besides its tensors: the closures of the step that runs."""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["DeviceContext", "get_device_context"]


class DeviceContext:
    """The state of a device.

    Args:
        device: its type
    """

    _CONTEXTS: dict[str, DeviceContext] = {}
    _CONTEXTS_LOCK = threading.Lock()

    def __init__(self, device: str) -> None:
        self.device = device
        # What is to be called behind the step, at once or in a thread.
        self.step_closures: list[Any] = []
        self.async_step_closures: list[Any] = []
        self.closure_handler: Any = None
        self.async_closure_handler: Any = None


def get_device_context(device: str | None = None) -> DeviceContext:
    """The state of a device, the lazy one if none is named."""
    name = "lazy" if device is None else str(device)
    with DeviceContext._CONTEXTS_LOCK:
        return DeviceContext._CONTEXTS.setdefault(name, DeviceContext(name))
