"""Functions of quantized tensors."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.nn import functional

__all__ = [
    "adaptive_avg_pool2d", "adaptive_avg_pool3d", "avg_pool2d", "avg_pool3d", "celu", "clamp", "elu",
    "hardsigmoid", "hardswish", "hardtanh", "interpolate", "leaky_relu", "linear", "max_pool1d",
    "max_pool2d", "threshold", "upsample",
]  # fmt: skip


def _checked(name: str) -> Any:
    function = getattr(functional, name)

    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        if not input.is_quantized:
            raise ValueError(f"Input to 'quantized.{name}' must be quantized!")
        return function(input, *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`nn.functional.{name}` of a quantized tensor."
    return call


adaptive_avg_pool2d, adaptive_avg_pool3d = map(
    _checked, ("adaptive_avg_pool2d", "adaptive_avg_pool3d")
)
avg_pool2d, avg_pool3d = map(_checked, ("avg_pool2d", "avg_pool3d"))
max_pool1d, max_pool2d = map(_checked, ("max_pool1d", "max_pool2d"))
interpolate, hardsigmoid, hardtanh = map(_checked, ("interpolate", "hardsigmoid", "hardtanh"))
threshold = _checked("threshold")
upsample = interpolate


def linear(
    input: Any, weight: Any, bias: Any = None, scale: Any = None, zero_point: Any = None
) -> Any:
    """A linear layer; without a scale, its result has the input's."""
    scale = input.q_scale() if scale is None else scale
    zero_point = input.q_zero_point() if zero_point is None else zero_point
    packed = rushlight.ops.quantized.linear_prepack(weight, bias)
    return rushlight.ops.quantized.linear(input, packed, scale, zero_point)


def clamp(input: Any, min_: float, max_: float) -> Any:
    """Elements between two bounds."""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.clamp' must be quantized!")
    return rushlight.clamp(input, min_, max_)


def hardswish(input: Any, scale: float, zero_point: int) -> Any:
    """`nn.functional.hardswish`, with a scale of the result's own."""
    return rushlight.ops.quantized.hardswish(input, scale, zero_point)


def celu(input: Any, scale: float, zero_point: int, alpha: float = 1.0) -> Any:
    """`nn.functional.celu`, with a scale of the result's own."""
    return rushlight.ops.quantized.celu(input, scale, zero_point, alpha)


def elu(input: Any, scale: float, zero_point: int, alpha: float = 1.0) -> Any:
    """`nn.functional.elu`, with a scale of the result's own."""
    return rushlight.ops.quantized.elu(input, scale, zero_point, alpha)


def leaky_relu(
    input: Any, negative_slope: float = 0.01, inplace: bool = False, scale: Any = None,
    zero_point: Any = None,
) -> Any:  # fmt: skip
    """`nn.functional.leaky_relu`, with a scale of the result's own if one is given."""
    if scale is None or zero_point is None:
        return functional.leaky_relu(input, negative_slope, inplace)
    return rushlight.ops.quantized.leaky_relu(input, negative_slope, inplace, scale, zero_point)
