"""Steps that programs from before `Tensor.type` and `Tensor.reshape` use."""

from rushlight.autograd._functions.tensor import Resize, Type

__all__ = ["Resize", "Type"]
