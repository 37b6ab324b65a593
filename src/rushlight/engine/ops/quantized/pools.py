"""Windows over quantized images, and images of other sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import pointwise
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core.quantized import numbers_of, over_numbers, per_tensor
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.loops.expr import Value, convert
from rushlight.engine.ops import formats
from rushlight.engine.ops.quantized import scalars
from rushlight.engine.ops.quantized.loops import computed, quantized
from rushlight.engine.ops.quantized.parts import for_quantized

# -- the largest of a window --


def _max_pool(dims: int) -> None:
    pool = operators.operator(f"max_pool{dims}d").call

    @for_quantized(f"quantized_max_pool{dims}d")
    def largest(
        self: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
    ) -> Tensor:
        found, kind = per_tensor(self), self._dtype_
        # Every number of eight bits is one of single precision.
        wide = dtypes.float64 if kind.itemsize == 4 else dtypes.float32
        numbers = copies.to_dtype(numbers_of(self), wide)
        made = pool(numbers, kernel_size, stride, padding, dilation, ceil_mode)
        return over_numbers(copies.to_dtype(made, kind.numbers), found, kind)

    name = f"quantized_max_pool{dims}d"

    @for_quantized(f"max_pool{dims}d")
    def max_pool(*args: Any) -> Tensor:
        return operators.operator(name).call(*args)  # type: ignore[no-any-return]


for _dims in (1, 2, 3):
    _max_pool(_dims)

# -- means of windows --


def rounded_numbers(self: Tensor, means: Tensor, order: Any = None) -> Tensor:
    """Means of numbers, less the zero point, as numbers of the same scale again."""
    found, kind = per_tensor(self), self._dtype_

    def to_number(mean: Value, zero_point: Value) -> Value:
        return scalars.rounded(mean + convert(zero_point, "f32"), kind)

    order = order or formats.suggested(means)
    stride = formats.strides_in(means._size_, order)
    operands = means, found.zero_point
    return quantized("mean", to_number, kind, found, operands, stride)


def resampled(self: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """What a function that mixes neighbours makes of a tensor's numbers."""
    found = per_tensor(self)
    mixed = function(copies.to_dtype(numbers_of(self), dtypes.float32))
    return rounded_numbers(self, pointwise.sub_Scalar(mixed, found.zero_point, 1))


def from_zero(self: Tensor) -> Tensor:
    """The numbers, less the zero point, as single precision."""
    operands = self, 1.0, per_tensor(self).zero_point
    return computed("dequantize", scalars.to_element, dtypes.float32, operands)


def _avg_pool(name: str) -> None:
    pool = operators.operator(name).call

    @for_quantized(name)
    def mean_of_windows(self: Tensor, *args: Any) -> Tensor:
        per_tensor(self)
        means = pool(from_zero(self), *args)
        # PyTorch's are channels last, whatever was given.
        stride = None if name != "avg_pool3d" else layouts.channels_last_3d
        return rounded_numbers(self, means, stride)


for _name in ("avg_pool2d", "avg_pool3d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"):
    _avg_pool(_name)


@for_quantized("grid_sampler", "grid_sampler_2d")
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    from rushlight.engine.calls import resampling

    per_tensor(input)
    found = resampling.grid_sampler(
        from_zero(input), grid, interpolation_mode, padding_mode, align_corners
    )
    return rounded_numbers(input, found)
