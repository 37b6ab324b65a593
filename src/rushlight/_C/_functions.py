"""Steps of a graph that programs put there to see what becomes of them."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.function import Function

__all__ = ["DelayedError", "UndefinedGrad"]


class Error(Function):
    """Gives its tensors on; a gradient that reaches it raises."""

    @staticmethod
    def forward(ctx: Any, message: str, *tensors: Any) -> Any:
        ctx.message = message
        return tuple(tensor.detach() for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError(ctx.message)


class UndefinedGradBackward(Function):
    """Gives its tensor on, and no gradient."""

    @staticmethod
    def forward(ctx: Any, tensor: Any) -> Any:
        return tensor.detach()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None


class DelayedError:
    """A step that raises in the backward pass.

    Args:
        message: the text of the error
        num_inputs: how many tensors it takes
    """

    def __init__(self, message: str, num_inputs: int) -> None:
        self.message, self.num_inputs = message, num_inputs

    def __call__(self, *tensors: Any) -> Any:
        if len(tensors) != self.num_inputs:
            raise TypeError(f"expected {self.num_inputs} arguments, got {len(tensors)} instead")
        made = Error.apply(self.message, *tensors)
        return made[0] if len(made) == 1 else made


class UndefinedGrad:
    """A step that lets no gradient through."""

    def __call__(self, *tensors: Any) -> Any:
        if len(tensors) != 1:
            raise TypeError(f"expected 1 arguments, got {len(tensors)} instead")
        return UndefinedGradBackward.apply(tensors[0])
