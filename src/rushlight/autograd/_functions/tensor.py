"""Changes of type and of shape, as functions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from rushlight.autograd.function import Function

__all__ = ["Resize", "Type"]


class Type(Function):
    """A tensor in another type; the gradient comes back in its own."""

    @staticmethod
    def forward(ctx: Any, i: Any, dest_type: Any) -> Any:
        warnings.warn(
            "`torch.autograd._functions.Type` is deprecated as of PyTorch 2.1, please use "
            "`torch.tensor.to(dtype=dtype)` instead.",
            FutureWarning,
            stacklevel=3,
        )
        ctx.input_type = i.dtype
        return i.type(dest_type)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output.to(ctx.input_type), None


class Resize(Function):
    """A tensor's elements in another shape."""

    @staticmethod
    def forward(ctx: Any, tensor: Any, sizes: Sequence[int]) -> Any:
        if tensor.numel() != math.prod(sizes):
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({math.prod(sizes)} elements in "
                f"total), but the given tensor has a size of {'x'.join(map(str, tensor.size()))} "
                f"({tensor.numel()} elements). autograd's resize can only change the shape of a given "
                "tensor, while preserving the number of elements. "
            )
        ctx.input_sizes = tensor.size()
        if tensor.is_contiguous():
            return tensor.detach().reshape(sizes).clone()
        return tensor.contiguous().reshape(sizes)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output.contiguous().view(ctx.input_sizes), None
