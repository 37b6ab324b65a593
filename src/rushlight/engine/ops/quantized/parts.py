"""What kernels for quantized tensors are registered and made with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.quantized import (
    PerChannel,
    PerTensor,
    Quantizer,
    is_quantized,
    limits_of,
    numbers_of,
    over_numbers,
    per_tensor,
    quantizer_of,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.ops import formats
from rushlight.engine.ops.quantized import scalars
from rushlight.engine.ops.quantized.loops import computed, quantized

Function = Callable[..., Any]


def for_quantized(*names: str) -> Callable[[Function], Function]:
    """Register a function for calls in which some tensor is quantized."""

    def decorate(function: Function) -> Function:
        for name in names:
            operators.register_kernel(name, "Quantized", function)
        return function

    return decorate


def check_zero_point(zero_point: int, kind: dtypes.dtype, name: str) -> None:
    """Raise for a zero point that is no number of the type."""
    low, high = limits_of(kind)
    if zero_point < low:
        raise RuntimeError(f"{name} zero_point {zero_point} is below lower bound.")
    if zero_point > high:
        raise RuntimeError(f"{name} zero_point {zero_point} is above upper bound.")


def requantized(elements: Tensor, quantizer: PerTensor, kind: dtypes.dtype) -> Tensor:
    """A tensor of real numbers as a quantized one."""
    inverse = scalars.inverse_of(quantizer.scale)
    body = scalars.to_numbers(kind)
    operands = elements, inverse, quantizer.zero_point
    stride = formats.suggested_strides(elements._size_, elements)
    return quantized("quantize", body, kind, quantizer, operands, stride)


def elements_of(tensor: Tensor) -> Tensor:
    """The elements of a tensor that has one scale, as single precision."""
    found = per_tensor(tensor)
    operands = tensor, float(found.scale), found.zero_point
    stride = formats.suggested_strides(tensor._size_, tensor)
    return computed("dequantize", scalars.to_element, dtypes.float32, operands, stride)


def through_elements(tensor: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """What a function of real numbers makes of a tensor, quantized as that is."""
    return requantized(function(elements_of(tensor)), per_tensor(tensor), tensor._dtype_)


def through_numbers(tensor: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """What a function that moves or chooses elements makes of a tensor's numbers."""
    found = per_tensor(tensor)
    return over_numbers(function(numbers_of(tensor)), found, tensor._dtype_)


def copied(quantizer: Quantizer) -> Quantizer:
    """A quantizer that shares no tensors."""
    from rushlight.engine.calls import copy as copies

    if isinstance(quantizer, PerTensor):
        return quantizer
    scales, zeros = copies.clone(quantizer.scales), copies.clone(quantizer.zero_points)
    return PerChannel(scales, zeros, quantizer.axis)


def mean_the_same(a: Quantizer, b: Quantizer) -> bool:
    """Whether numbers mean the same under two quantizers."""
    from rushlight.engine.calls import comparison

    if isinstance(a, PerTensor) or isinstance(b, PerTensor):
        same = isinstance(a, PerTensor) and isinstance(b, PerTensor)
        return same and (a.scale, a.zero_point) == (b.scale, b.zero_point)  # type: ignore[union-attr]
    return (
        a.axis == b.axis
        and a.scheme is b.scheme
        and bool(comparison.equal(a.scales, b.scales))
        and bool(comparison.equal(a.zero_points, b.zero_points))
    )


def number_for(value: float, quantizer: PerTensor, kind: dtypes.dtype) -> int:
    """The number that stands for an element."""
    from rushlight.engine.calls import comparison
    from rushlight.engine.ops import bridge

    one = bridge.tensor_of([value], dtypes.float32)
    return int(comparison._local_scalar_dense(numbers_of(requantized(one, quantizer, kind))))


__all__ = [
    "PerTensor",
    "check_zero_point",
    "copied",
    "elements_of",
    "for_quantized",
    "is_quantized",
    "limits_of",
    "mean_the_same",
    "number_for",
    "numbers_of",
    "over_numbers",
    "per_tensor",
    "quantizer_of",
    "requantized",
    "through_elements",
    "through_numbers",
]  # fmt: skip
