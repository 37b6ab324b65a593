"""Quantized tensors out of others, and back; what they say of themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.quantized import (
    PerChannel,
    PerTensor,
    Quantizer,
    check_quantized_type,
    check_whole_bytes,
    over_numbers,
    per_channel,
    per_tensor,
    quantizer_of,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import promotion
from rushlight.engine.loops.expr import Value, const, convert, maximum, minimum, rint
from rushlight.engine.ops import formats
from rushlight.engine.ops.kinds.elementwise import unchanged
from rushlight.engine.ops.kinds.views import composite, cpu
from rushlight.engine.ops.numbers import read_element
from rushlight.engine.ops.quantized import scalars
from rushlight.engine.ops.quantized.loops import computed, quantized
from rushlight.engine.ops.quantized.parts import (
    check_zero_point,
    elements_of,
    for_quantized,
    limits_of,
    requantized,
)

# -- from real numbers --


def _check_elements(self: Tensor, kind: Any) -> None:
    if not isinstance(kind, dtypes.dtype) or kind.category != dtypes.QUANTIZED:
        raise RuntimeError(f"ScalarType {promotion.title(kind)} is not supported in new_qtensor.")
    check_whole_bytes(kind)
    if self._dtype_ is not dtypes.float32:
        given = promotion.title(self._dtype_)
        raise RuntimeError(f"Quantize only works on Float Tensor, got {given}")


@cpu("quantize_per_tensor")
def quantize_per_tensor(self: Tensor, scale: float, zero_point: int, dtype: dtypes.dtype) -> Tensor:
    _check_elements(self, dtype)
    check_zero_point(zero_point, dtype, "quantize_tensor_per_tensor_affine")
    return requantized(self, PerTensor(float(scale), int(zero_point)), dtype)


@cpu("quantize_per_tensor.tensor_qparams")
def quantize_by_tensors(
    self: Tensor, scale: Tensor, zero_point: Tensor, dtype: dtypes.dtype
) -> Tensor:
    return quantize_per_tensor(self, float(item(scale)), int(item(zero_point)), dtype)


@cpu("quantize_per_tensor.tensors")
def quantize_each(
    tensors: Sequence[Tensor], scales: Tensor, zero_points: Tensor, dtype: dtypes.dtype
) -> list[Tensor]:
    factors, zeros = numbers_in(scales), numbers_in(zero_points)
    return [
        quantize_per_tensor(tensor, float(scale), int(zero), dtype)
        for tensor, scale, zero in zip(tensors, factors, zeros)
    ]


@cpu("quantize_per_tensor_dynamic")
def quantize_per_tensor_dynamic(self: Tensor, dtype: dtypes.dtype, reduce_range: bool) -> Tensor:
    if dtype not in (dtypes.named("qint8"), dtypes.named("quint8"), dtypes.float16):
        raise RuntimeError(
            f"dtype {promotion.title(dtype)} not supported in quantize_per_tensor_dynamic: it takes "
            "qint8, quint8 and float16"
        )
    if dtype is dtypes.float16:
        return copies.to_dtype(self, dtype)  # type: ignore[no-any-return]
    low, high = limits_of(dtype)
    if reduce_range:
        low, high = (low // 2, high // 2) if low >= 0 else (-64, 63)
    scale, zero_point = suitable_for(self, low, high)
    return quantize_per_tensor(self, scale, zero_point, dtype)


@cpu("quantize_per_channel")
def quantize_per_channel(
    self: Tensor, scales: Tensor, zero_points: Tensor, axis: int, dtype: dtypes.dtype
) -> Tensor:
    _check_elements(self, dtype)
    found = channels(self, scales, zero_points, axis)
    factors, zeros = along(self, found)
    if found.scheme is layouts.per_channel_affine_float_qparams:
        low, high = limits_of(dtype)

        def quantize(x: Value, scale: Value, zero_point: Value) -> Value:
            number = rint(x * (1.0 / scale) + zero_point)
            inside = minimum(maximum(number, const("f32", float(low))), const("f32", float(high)))
            return convert(convert(inside, "i32"), dtype.memory)

        operands = self, factors, zeros
        stride = formats.suggested_strides(self._size_, self)
        return quantized("by floats", quantize, dtype, found, operands, stride)
    body = scalars.to_numbers(dtype)

    def of_scale(x: Value, scale: Value, zero_point: Value) -> Value:
        return body(x, 1.0 / scale, zero_point)  # type: ignore[no-any-return]

    stride = formats.suggested_strides(self._size_, self)
    operands = self, factors, zeros
    return quantized("per channel", of_scale, dtype, found, operands, stride)


def channels(like: Any, scales: Tensor, zero_points: Tensor, axis: int) -> PerChannel:
    """The quantizer of a tensor from tensors of scales and zero points, which are copied."""
    size = like._size_ if isinstance(like, Tensor) else tuple(like)
    if len(scales._size_) != 1:
        raise RuntimeError("scale tensor must have dimension 1")
    if len(zero_points._size_) != 1:
        raise RuntimeError("zero_points tensor must have dimension 1")
    if scales._numel_ != zero_points._numel_:
        raise RuntimeError("number of elements in scales and zero_points must match")
    if not 0 <= axis < len(size):
        raise RuntimeError(
            f"Channel axis out of range in per channel affine quantization. Got: {axis} Expected: "
            f"[0, {len(size)})"
        )
    if scales._numel_ != size[axis]:
        raise RuntimeError(
            f"length of scales must equal to channel, expected {size[axis]} but got {scales._numel_}"
        )
    by_floats = zero_points._dtype_.category == dtypes.FLOATING
    kinds = (dtypes.float32, dtypes.float32) if by_floats else (dtypes.float64, dtypes.int64)
    own = [copies.clone(copies.to_dtype(t, k)) for t, k in zip((scales, zero_points), kinds)]
    return PerChannel(own[0], own[1], axis)


def along(like: Tensor, quantizer: PerChannel) -> tuple[Tensor, Tensor]:
    """The scales and zero points of channels as tensors that stretch to a tensor's sizes."""
    shape = [1] * len(like._size_)
    shape[quantizer.axis] = -1
    by_floats = quantizer.scheme is layouts.per_channel_affine_float_qparams
    zero_kind = dtypes.float32 if by_floats else dtypes.int32
    return (
        views.view(copies.to_dtype(quantizer.scales, dtypes.float32), shape),
        views.view(copies.to_dtype(quantizer.zero_points, zero_kind), shape),
    )


# -- to real numbers --


@for_quantized("dequantize.self")
def dequantize(self: Tensor) -> Tensor:
    found = quantizer_of(self)
    if isinstance(found, PerTensor):
        return elements_of(self)
    factors, zeros = along(self, found)
    stride = formats.suggested_strides(self._size_, self)
    if found.scheme is layouts.per_channel_affine_float_qparams:

        def to_element(number: Value, scale: Value, zero_point: Value) -> Value:
            return (convert(convert(number, "i32"), "f32") - zero_point) * scale

        operands = self, factors, zeros
        return computed("from floats", to_element, dtypes.float32, operands, stride)
    operands = self, factors, zeros
    return computed("from channels", scalars.to_element, dtypes.float32, operands, stride)


@cpu("dequantize.self")
def dequantize_plain(self: Tensor) -> Tensor:
    """A tensor that is not quantized comes as single precision."""
    return copies.to_dtype(self, dtypes.float32)  # type: ignore[no-any-return]


@composite("dequantize.tensors")
def dequantize_each(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    from rushlight.engine.calls import quantized as calls

    return tuple(calls.dequantize_self(tensor) for tensor in tensors)


# -- from numbers --

_QUANTIZED = {kind.numbers: kind for kind in dtypes.OF_QUANTIZED[:3]}


def _quantized_kind(numbers: Tensor) -> dtypes.dtype:
    kind = _QUANTIZED.get(numbers._dtype_)
    if kind is None:
        given = promotion.title(numbers._dtype_)
        raise RuntimeError(f"no quantized type has numbers of {given}: uint8, int8 and int32 are")
    return kind


@cpu("_make_per_tensor_quantized_tensor")
def make_per_tensor(self: Tensor, scale: float, zero_point: int) -> Tensor:
    kind = _quantized_kind(self)
    steps.Unrepeatable.note()
    return over_numbers(copies.clone(self), PerTensor(float(scale), int(zero_point)), kind)


@cpu("_make_per_channel_quantized_tensor")
def make_per_channel(self: Tensor, scale: Tensor, zero_point: Tensor, axis: int) -> Tensor:
    kind = _quantized_kind(self)
    steps.Unrepeatable.note()
    return over_numbers(copies.clone(self), channels(self, scale, zero_point, axis), kind)


def uninitialised(
    size: Sequence[int], quantizer: Quantizer, kind: Any, device: Any, memory_format: Any
) -> Tensor:
    """A quantized tensor of nothing in particular."""
    check_quantized_type(kind)
    check_whole_bytes(kind)
    device = device or devices.cpu
    stride = formats.strides_in(tuple(size), memory_format)
    numbers = tensors.empty_strided(tuple(size), stride, kind.numbers, device)
    steps.Unrepeatable.note()
    return over_numbers(numbers, quantizer, kind)


@cpu("_empty_affine_quantized")
def empty_affine(
    size: Sequence[int], dtype: Any, layout: Any, device: Any, pin_memory: Any, scale: float,
    zero_point: int, memory_format: Any,
) -> Tensor:  # fmt: skip
    quantizer = PerTensor(float(scale), int(zero_point))
    return uninitialised(size, quantizer, dtype, device, memory_format)


@cpu("_empty_per_channel_affine_quantized")
def empty_per_channel(
    size: Sequence[int], scales: Tensor, zero_points: Tensor, axis: int, dtype: Any, layout: Any,
    device: Any, pin_memory: Any, memory_format: Any,
) -> Tensor:  # fmt: skip
    quantizer = channels(size, scales, zero_points, axis)
    return uninitialised(size, quantizer, dtype, device, memory_format)


@for_quantized("empty_quantized")
def empty_quantized(
    size: Sequence[int], qtensor: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any,
    memory_format: Any,
) -> Tensor:  # fmt: skip
    kind = qtensor._dtype_ if dtype is None else dtype
    return uninitialised(size, quantizer_of(qtensor), kind, device, memory_format)


# -- what a tensor says of itself --


@for_quantized("int_repr")
def int_repr(self: Tensor) -> Tensor:
    steps.Unrepeatable.note()
    stride = formats.suggested_strides(self._size_, self)
    return computed("numbers", unchanged, self._dtype_.numbers, (self,), stride)


@for_quantized("q_scale")
def scale_of(self: Tensor) -> float:
    return per_tensor(self).scale


@for_quantized("q_zero_point")
def zero_point_of(self: Tensor) -> int:
    return per_tensor(self).zero_point


@for_quantized("q_per_channel_scales")
def scales_of(self: Tensor) -> Tensor:
    return tensors.same_elements(per_channel(self).scales)


@for_quantized("q_per_channel_zero_points")
def zero_points_of(self: Tensor) -> Tensor:
    return tensors.same_elements(per_channel(self).zero_points)


@for_quantized("q_per_channel_axis")
def axis_of(self: Tensor) -> int:
    return per_channel(self).axis


@for_quantized("qscheme")
def scheme_of(self: Tensor) -> layouts.qscheme:
    found: layouts.qscheme = quantizer_of(self).scheme
    return found


# -- scales that suit given elements --

# Smaller ones would make inverses too large.
SMALLEST_SCALE = float(np.float32(6.1e-5))


def item(tensor: Tensor) -> Any:
    """The number in a tensor of one element."""
    return numbers_in(tensor)[0]


def numbers_in(tensor: Tensor) -> list[Any]:
    """The elements as Python's numbers."""
    from rushlight.engine.ops import bridge

    found: list[Any] = bridge.array(tensor).ravel().tolist()
    return found


def extremes_of(tensor: Tensor) -> tuple[float, float]:
    """The least and the largest element; 0 without elements."""
    from rushlight.engine.generated import functions

    if not tensor._numel_:
        return 0.0, 0.0
    steps.Unrepeatable.note()
    # By its public name the call is remembered: layers make it again and again.
    least, most = functions.aminmax(tensor)
    return float(read_element(least)), float(read_element(most))


def suitable_for(tensor: Tensor, low: int, high: int) -> tuple[float, int]:
    """The scale and zero point with which numbers between two others span all elements, and 0."""
    return suitable_scale(*extremes_of(tensor), low, high)


def suitable_scale(
    least: float, most: float, low: int, high: int, symmetric: bool = False
) -> tuple[float, int]:
    """The same for elements between two others; steps are PyTorch's, in single and double precision."""
    if not symmetric and least < most:
        # What follows is in double precision but for scales that are very small.
        widest = (max(most, 0.0) - min(least, 0.0)) / (high - low)
        if widest >= SMALLEST_SCALE:
            return widest, _zero_point(min(least, 0.0), max(most, 0.0), widest, low, high)
    single, double = np.float32, np.float64
    if least < 0 and most > 0 and symmetric:
        symmetric_low, symmetric_high = -((high - low) // 2 + 1), (high - low) // 2
        reach = max(abs(least / symmetric_low), abs(most / symmetric_high))
        least, most = reach * symmetric_low, reach * symmetric_high
    least_, most_ = min(single(least), single(0)), max(single(most), single(0))
    with np.errstate(all="ignore"):
        scale = (double(most_) - double(least_)) / double(high - low)
        if single(scale) == 0 or np.isinf(single(1) / single(scale)):
            scale = double(0.1)
        if scale < SMALLEST_SCALE:
            wider = single(single(SMALLEST_SCALE) / single(scale))
            scale = double(SMALLEST_SCALE)
            if least_ == 0:
                most_ = SMALLEST_SCALE * single(high - low)
            elif most_ == 0:
                least_ = -SMALLEST_SCALE * single(high - low)
            else:
                least_, most_ = least_ * wider, most_ * wider
        from_least, from_most = low - double(least_) / scale, high - double(most_) / scale
        least_error = abs(low) + abs(double(least_) / scale)
        most_error = abs(high) + abs(double(most_) / scale)
        initial = from_least if least_error < most_error else from_most
    if least < 0 and most > 0 and symmetric:
        initial = double(low + high) / 2
    if initial < low:
        zero_point = low
    elif initial > high:
        zero_point = high
    else:
        zero_point = int(np.rint(initial))
    return float(scale), zero_point


def _zero_point(least: float, most: float, scale: float, low: int, high: int) -> int:
    """The number for 0, from the bound whose error is the smaller one."""
    from_least, from_most = low - least / scale, high - most / scale
    least_error, most_error = abs(low) + abs(least / scale), abs(high) + abs(most / scale)
    initial = from_least if least_error < most_error else from_most
    return low if initial < low else high if initial > high else round(initial)


@cpu("_choose_qparams_per_tensor")
def choose_qparams(self: Tensor, reduce_range: bool) -> tuple[float, int]:
    return suitable_for(self, 0, 127 if reduce_range else 255)


@cpu("choose_qparams_optimized")
def choose_optimized(
    input: Tensor, numel: int, n_bins: int, ratio: float, bit_width: int
) -> tuple[Tensor, Tensor]:
    """The bounds that lose least when elements are rounded, found by narrowing them in turns."""
    from rushlight.engine.ops import bridge

    values = np.ascontiguousarray(bridge.array(input)).ravel()[:numel]
    if numel < 0 or numel > input._numel_:
        raise RuntimeError(
            f"numel {numel} is out of bounds of the input, which has {input._numel_}"
        )
    least, most = (values.min(), values.max()) if numel else (np.float32(0), np.float32(0))
    step = np.float32(most - least) / np.float32(n_bins)
    top = (1 << bit_width) - 1

    def loss(low: Any, high: Any) -> Any:
        data = np.float32(high) - np.float32(low)
        scale = np.float32(1) if data == 0 else np.float32(data / np.float32(top))
        inverse = np.float32(1) / scale
        number = np.clip(np.rint((values - low) * inverse), 0, top).astype(np.float32)
        error = values - (number * scale + low)
        return np.sqrt(np.sum(error * error, dtype=np.float32))

    low, high = least, most
    best, found = loss(low, high), (low, high)
    smallest = np.float32(1.0 - ratio) * np.float32(most - least)
    while low + step < high and (high - low) > smallest:
        from_left, from_right = loss(low + step, high), loss(low, high - step)
        if from_left < from_right:
            low, now = low + step, from_left
        else:
            high, now = high - step, from_right
        if now < best:
            best, found = now, (low, high)
    made = [bridge.tensor_of(np.array([bound], np.float32)) for bound in (found[1], found[0])]
    return made[0], made[1]
