"""An older name of the distributed tensors of `distributed.tensor`."""

from rushlight.distributed.tensor import DTensor, distribute_module, distribute_tensor

__all__ = ["DTensor", "distribute_module", "distribute_tensor"]
