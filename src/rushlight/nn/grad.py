"""Gradients of convolutions as functions."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.nn import functional as F

__all__ = [
    "conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input",
    "conv3d_weight",
]  # fmt: skip


def _for_input(name: str) -> Any:
    convolve = getattr(F, name)

    def gradient(
        input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Any:  # fmt: skip
        """The gradient of a convolution for an input of this size."""
        start = grad_output.new_zeros(input_size).requires_grad_()
        with rushlight.enable_grad():
            made = convolve(start, weight, None, stride, padding, dilation, groups)
        create = rushlight.is_grad_enabled() and (grad_output.requires_grad or weight.requires_grad)
        return rushlight.autograd.grad(made, start, grad_output, create_graph=create)[0]

    gradient.__name__ = gradient.__qualname__ = f"{name}_input"
    return gradient


def _for_weight(name: str) -> Any:
    convolve = getattr(F, name)

    def gradient(
        input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Any:  # fmt: skip
        """The gradient of a convolution for a weight of this size."""
        start = grad_output.new_zeros(weight_size).requires_grad_()
        with rushlight.enable_grad():
            made = convolve(input, start, None, stride, padding, dilation, groups)
        create = rushlight.is_grad_enabled() and (grad_output.requires_grad or input.requires_grad)
        return rushlight.autograd.grad(made, start, grad_output, create_graph=create)[0]

    gradient.__name__ = gradient.__qualname__ = f"{name}_weight"
    return gradient


conv1d_input, conv1d_weight = _for_input("conv1d"), _for_weight("conv1d")
conv2d_input, conv2d_weight = _for_input("conv2d"), _for_weight("conv2d")
conv3d_input, conv3d_weight = _for_input("conv3d"), _for_weight("conv3d")
