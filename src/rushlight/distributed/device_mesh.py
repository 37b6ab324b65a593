"""Arrangements of devices, which are not there yet; libraries name them in annotations."""

from __future__ import annotations

from typing import Any

from rushlight._names.absent import absent_class, absent_functions

_WHAT = "training in several processes"

DeviceMesh: Any = absent_class(__name__, "DeviceMesh", _WHAT)

globals().update(absent_functions(__name__, ["init_device_mesh"], _WHAT))
