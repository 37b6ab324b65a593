"""`torch.utils.dlpack`: tensors lent to other libraries and borrowed from them."""

from __future__ import annotations

import enum
from typing import Any

from rushlight._tensor_members import dlpack as _dlpack
from rushlight._tensor_members.construction import from_dlpack
from rushlight.engine.core.tensor import Tensor

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """Numbers of the kinds of device in the structures."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def to_dlpack(tensor: Tensor) -> Any:
    """A capsule that lends the tensor's memory."""
    return _dlpack.capsule(tensor)
