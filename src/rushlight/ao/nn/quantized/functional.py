"""Functions of quantized tensors."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.nn import functional

__all__ = [
    "adaptive_avg_pool2d", "adaptive_avg_pool3d", "avg_pool2d", "avg_pool3d", "celu", "clamp",
    "conv1d", "conv2d", "conv3d", "elu", "hardsigmoid", "hardswish", "hardtanh", "interpolate", "leaky_relu", "linear", "max_pool1d",
    "max_pool2d", "threshold", "upsample", "upsample_bilinear", "upsample_nearest",
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


def _conv(dims: int) -> Any:
    def conv(
        input: Any, weight: Any, bias: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1, padding_mode: str = "zeros", scale: float = 1.0, zero_point: int = 0,
        dtype: Any = rushlight.quint8,
    ) -> Any:  # fmt: skip
        if padding_mode != "zeros":
            raise NotImplementedError("Only zero-padding is supported!")
        if input.dtype is not rushlight.quint8 or weight.dtype is not rushlight.qint8:
            raise NotImplementedError(
                f"Only quint8 inputs and qint8 weights are supported, not {input.dtype} and "
                f"{weight.dtype}"
            )
        if input.ndim != dims + 2:
            raise ValueError(f"Input must be a {dims + 2}D tensor for conv{dims}d!")
        given = [[x] * dims if isinstance(x, int) else list(x) for x in (stride, padding, dilation)]
        operators = rushlight.ops.quantized
        packed = getattr(operators, f"conv{dims}d_prepack")(weight, bias, *given, groups)
        return getattr(operators, f"conv{dims}d")(input, packed, scale, zero_point)

    conv.__name__ = conv.__qualname__ = f"conv{dims}d"
    conv.__doc__ = "A convolution of a quantized tensor, with a scale of the result's own."
    return conv


conv1d, conv2d, conv3d = map(_conv, (1, 2, 3))


def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """The older name of `interpolate`, with the nearest element."""
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """The older name of `interpolate`, between four elements."""
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
