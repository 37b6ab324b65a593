"""Devices by name: the module of a kind, and queues of work."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core.device import device as Device

__all__ = [
    "_import_device_backends",
    "_register_device_module",
    "get_device_module",
]

# The modules of devices that packages add, by type.
modules: dict[str, Any] = {}


def _register_device_module(device_type: str, module: Any) -> None:
    """Let ``torch.NAME`` be the module of a kind of device."""
    kind = Device(device_type).type
    if kind in modules:
        raise RuntimeError(
            f"The runtime module of '{kind}' has already been registered with '{modules[kind]}'"
        )
    modules[kind] = module
    sys.modules[f"rushlight.{kind}"] = module


_AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"
_loaded: list[bool] = []


def _import_device_backends() -> None:
    """Load the packages that add devices: entry points of the group ``torch.backends``, once.

    Nothing is looked for while the environment says ``TORCH_DEVICE_BACKEND_AUTOLOAD=0``.
    """
    if _loaded or os.environ.get(_AUTOLOAD, "1") != "1":
        return
    _loaded.append(True)
    from importlib import metadata

    for entry in metadata.entry_points(group="torch.backends"):
        try:
            entry.load()()
        except Exception as error:
            raise RuntimeError(
                f"Failed to load the backend extension: {entry.name}. You can disable extension "
                f"auto-loading with {_AUTOLOAD}=0."
            ) from error


devices.when_unknown.append(_import_device_backends)
devices.when_used["lazy"] = lambda: vars(importlib.import_module("rushlight._lazy"))["use_device"]()

devices.when_used["cuda"] = lambda: vars(importlib.import_module("rushlight.engine.keys.cuda"))[
    "use_device"
]()


def get_device_module(device: Any = None) -> Any:
    """The module of a kind of device, such as `cpu` or `cuda`; that of the CPU if None."""
    if device is None:
        kind = "cpu"
    elif isinstance(device, (str, Device)):
        kind = Device(device).type
    else:
        raise RuntimeError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    if kind in modules:
        return modules[kind]
    try:
        return importlib.import_module(f"rushlight.{kind}")
    except ImportError:
        raise RuntimeError(
            f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'."
        ) from None
