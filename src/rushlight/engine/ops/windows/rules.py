"""What the gradient formulas of windows call."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import windows as calls
from rushlight.engine.ops import formats
from rushlight.engine.ops.gradients import conj
from rushlight.engine.ops.windows import pooling
from rushlight.engine.ops.windows.convolution import gradients as convolution_gradients
from rushlight.engine.ops.windows.pooling import taken
from rushlight.engine.ops.windows.sizes import Ints
from rushlight.engine.ops.windows.taps import missing

__all__ = [
    "convolution_gradients",
    "mean_backward",
    "means_of",
    "put_back",
    "spread_means",
    "taken",
    "weight_gradient_gradients",
]


def mean_backward(grad: Any, *settings: Any) -> Any:
    """The gradient of images, of that of the means of their windows; its channels lie as those do."""
    return formats.laid_out_like(pooling.mean_backward(grad, *settings), grad)


def put_back(grad: Any, *settings: Any) -> Any:
    """The gradient of images, of that of the largest elements of their windows."""
    return formats.laid_out_like(pooling.put_back(grad, *settings), grad)


def spread_means(grad: Any, size: Ints, windows: Ints) -> Any:
    """The gradient of images, of that of the means of their adaptive windows."""
    made = calls._adaptive_means_backward(grad.contiguous(), size[len(size) - len(windows) :])
    return formats.laid_out_like(made, grad)


def means_of(grad: Any, size: Ints, lengths: Ints) -> Any:
    """The gradient of `spread_means`: the means."""
    return calls._adaptive_means(grad.contiguous(), size[len(size) - len(lengths) :])


def weight_gradient_gradients(
    grad: Any, grad_output: Any, input: Any, stride: Ints, padding: Ints, dilation: Ints,
    groups: int, wanted: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """The gradients of a weight's gradient: a convolution with ``grad`` for the weight."""
    d_output = d_input = None
    count = len(stride)
    if wanted[0]:
        d_output = calls.convolution(
            conj(input), grad, None, stride, padding, dilation, False, [0] * count, groups
        )
        for d, n in enumerate(grad_output._size_[2:], 2):
            d_output = d_output.narrow(d, 0, n)
    if wanted[1]:
        kernel = grad._size_[2:]
        lengths = (grad_output._size_[2:], kernel, stride, padding, dilation)
        extra = missing(input._size_[2:], *lengths)
        d_input = calls.convolution(
            conj(grad_output), grad, None, stride, padding, dilation, True, extra, groups
        )
    return d_output, d_input
