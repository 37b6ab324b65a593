"""The functions of CUDA's runtime that PyTorch hands on (`torch.cuda.cudart`), by the driver's of the same use."""

from __future__ import annotations

import ctypes
import enum
from typing import Any

from rushlight.engine.cuda import context, driver

__all__ = [
    "cudaError", "cudaGetErrorString", "cudaHostRegister", "cudaHostUnregister", "cudaMemGetInfo",
    "cudaProfilerStart", "cudaProfilerStop", "cudaStreamCreate", "cudaStreamDestroy",
]  # fmt: skip


class cudaError(enum.IntEnum):
    """What functions of the runtime give."""

    success = 0
    errorInvalidValue = 1
    errorMemoryAllocation = 2
    errorNotReady = 600
    errorUnknown = 999

    @classmethod
    def _missing_(cls, value: object) -> cudaError:
        # The driver's numbers are the runtime's.
        made = int.__new__(cls, value)  # type: ignore[call-overload]
        made._name_, made._value_ = f"error{value}", value
        return made  # type: ignore[no-any-return]


def _called(name: str, *arguments: Any) -> cudaError:
    context.enter(context.current())
    return cudaError(getattr(driver.library, name)(*arguments))


def cudaGetErrorString(error: cudaError | int) -> str:
    """What an error means."""
    context.start()
    return driver.describe(int(error))[1]


def cudaProfilerStart() -> cudaError:
    """Have NVIDIA's profiler look from now on."""
    return _called("cuProfilerStart")


def cudaProfilerStop() -> cudaError:
    """Have it look no more."""
    return _called("cuProfilerStop")


def cudaHostRegister(ptr: int, size: int, flags: int) -> cudaError:
    """Have memory of the host stay where it is, for devices to read."""
    arguments = ctypes.c_void_p(ptr), ctypes.c_size_t(size), ctypes.c_uint(flags)
    return _called("cuMemHostRegister_v2", *arguments)


def cudaHostUnregister(ptr: int) -> cudaError:
    """Let such memory go where the system wants it."""
    return _called("cuMemHostUnregister", ctypes.c_void_p(ptr))


def cudaStreamCreate(ptr: int) -> cudaError:
    """Write a new stream's handle to an address."""
    return _called("cuStreamCreate", ctypes.c_void_p(ptr), ctypes.c_uint(0))


def cudaStreamDestroy(stream: int) -> cudaError:
    """End such a stream."""
    return _called("cuStreamDestroy_v2", ctypes.c_void_p(stream))


def cudaMemGetInfo(device: int) -> tuple[int, int]:
    """How many bytes of a device are free, and how many it has."""
    context.enter(device)
    return driver.memory_info()
