"""Looking at what distributed tensors do."""

from rushlight.distributed.tensor.debug._comm_mode import CommDebugMode

__all__ = ["CommDebugMode"]
