"""`unfold` and `fold`: the sliding windows of images as columns, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import remembered
from rushlight.engine.generated import nn_functions

__all__ = ["fold", "unfold"]


def _pair(value: Any) -> tuple[int, int]:
    return tuple(value) if isinstance(value, Iterable) else (value, value)


@remembered
def unfold(
    input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """The sliding windows of a batch of images, each as a column."""
    return nn_functions.im2col(
        input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride)
    )


@remembered
def fold(
    input: Tensor,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Tensor:
    """Images whose windows are the columns; where windows overlap, their elements are summed."""
    return nn_functions.col2im(
        input,
        _pair(output_size),
        _pair(kernel_size),
        _pair(dilation),
        _pair(padding),
        _pair(stride),
    )
