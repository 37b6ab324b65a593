"""What NVIDIA's management library says of devices: how busy and how warm they are, and whose processes they run.

The library (``libnvidia-ml``) comes with the driver. It knows devices by their names, not by this process's numbers.
"""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight.cuda import _device
from rushlight.engine.cuda import context, libraries

__all__ = [
    "clock_rate", "memory_usage", "power_draw", "temperature",
    "utilization",
]  # fmt: skip

NAME = "nvml"
NOT_THERE = "cuda driver can't be loaded, is cuda enabled?"
_SENSOR_OF_DIE = 0
_CLOCK_OF_PROCESSORS = 1
_TOO_FEW = 7
_started: list[Any] = []


class _Utilization(ctypes.Structure):
    """`nvmlUtilization_t`."""

    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


class _Process(ctypes.Structure):
    """`nvmlProcessInfo_v2_t`."""

    _fields_ = (
        ("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong), ("instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )  # fmt: skip


def _call(function: str, *arguments: Any) -> None:
    library = libraries.find(NAME)
    if library is None:
        raise RuntimeError(NOT_THERE)
    if library not in _started:
        _started[:] = [library]
        _check("nvmlInit_v2", library.nvmlInit_v2())
    _check(function, getattr(library, function)(*arguments))


def _check(function: str, code: int) -> None:
    if code:
        explain = libraries.find(NAME).nvmlErrorString
        explain.restype = ctypes.c_char_p
        said = explain(ctypes.c_int(code))
        raise RuntimeError(f"NVML error {code}: {said.decode()}, reported by {function}")


def _handle(device: Any) -> Any:
    """What the library knows a device by."""
    if libraries.find(NAME) is None:
        raise RuntimeError(NOT_THERE)
    raw = context.properties(_device.index_of(device))["uuid"].hex()
    name = f"GPU-{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:]}"
    found = ctypes.c_void_p()
    _call("nvmlDeviceGetHandleByUUID", ctypes.c_char_p(name.encode()), ctypes.byref(found))
    return found


def _number(function: str, device: Any, *arguments: Any) -> int:
    found = ctypes.c_uint()
    _call(function, _handle(device), *arguments, ctypes.byref(found))
    return found.value


def temperature(device: Any = None) -> int:
    """How warm a device is, in degrees Celsius."""
    return _number("nvmlDeviceGetTemperature", device, ctypes.c_int(_SENSOR_OF_DIE))


def power_draw(device: Any = None) -> int:
    """How many milliwatts a device takes."""
    return _number("nvmlDeviceGetPowerUsage", device)


def clock_rate(device: Any = None) -> int:
    """The clock of a device's processors, in MHz."""
    return _number("nvmlDeviceGetClockInfo", device, ctypes.c_int(_CLOCK_OF_PROCESSORS))


def _rates(device: Any) -> _Utilization:
    found = _Utilization()
    _call("nvmlDeviceGetUtilizationRates", _handle(device), ctypes.byref(found))
    return found


def utilization(device: Any = None) -> int:
    """In how much of the time kernels have run lately, in percent."""
    return int(_rates(device).gpu)


def memory_usage(device: Any = None) -> int:
    """In how much of the time memory was read or written lately, in percent."""
    return int(_rates(device).memory)


def list_gpu_processes(device: Any = None) -> str:
    """The processes that compute on a device and the memory of each, as text."""
    if libraries.find(NAME) is None:
        return NOT_THERE
    handle, count = _handle(device), 16
    while True:
        found, given = (_Process * count)(), ctypes.c_uint(count)
        arguments = handle, ctypes.byref(given), found
        code = libraries.find(NAME).nvmlDeviceGetComputeRunningProcesses_v3(*arguments)
        if code != _TOO_FEW:
            break
        # More have started meanwhile, perhaps.
        count = given.value + 8
    _check("nvmlDeviceGetComputeRunningProcesses_v3", code)
    lines = [f"GPU:{_device.index_of(device)}"]
    for process in found[: given.value]:
        lines.append(
            f"process {process.pid:>10d} uses {process.used / (1 << 20):>12.3f} MB GPU memory"
        )
    return "\n".join(lines if given.value else [*lines, "no processes are running"])
