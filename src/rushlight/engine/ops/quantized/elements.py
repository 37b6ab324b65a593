"""Functions of every element of quantized tensors, comparisons, extremes and means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import comparison, pointwise, reduction
from rushlight.engine.calls import copy as copies
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core.quantized import (
    PerChannel,
    PerTensor,
    is_quantized,
    limits_of,
    numbers_of,
    over_numbers,
    per_tensor,
    quantizer_of,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.loops.expr import Value, const, convert, maximum, minimum, rint, select
from rushlight.engine.ops import formats
from rushlight.engine.ops.quantized import scalars
from rushlight.engine.ops.quantized.loops import quantized
from rushlight.engine.ops.quantized.parts import (
    elements_of,
    for_quantized,
    mean_the_same,
    number_for,
    requantized,
    through_elements,
)

# -- cut to a range --


def cut(self: Tensor, low: int, high: int) -> Tensor:
    """The numbers cut to a range, as a tensor of the same scale."""

    def cut_number(number: Value, least: Value, most: Value) -> Value:
        inside = minimum(maximum(convert(number, "i32"), least), most)
        return convert(inside, self._dtype_.memory)

    operands = self, low, high
    return quantized("cut", cut_number, self._dtype_, per_tensor(self), operands)


def bounds(self: Tensor, least: Any, most: Any) -> tuple[int, int]:
    """The numbers that stand for two bounds, of which one may be absent."""
    found, kind = per_tensor(self), self._dtype_
    low, high = limits_of(kind)
    low = low if least is None else number_for(float(least), found, kind)
    return low, high if most is None else number_for(float(most), found, kind)


@for_quantized("relu")
def relu(self: Tensor) -> Tensor:
    return cut(self, per_tensor(self).zero_point, limits_of(self._dtype_)[1])


@for_quantized("clamp")
def clamp(self: Tensor, min: Any, max: Any) -> Tensor:
    if min is None and max is None:
        raise RuntimeError("Both min and max is None")
    return cut(self, *bounds(self, min, max))


@for_quantized("hardtanh")
def hardtanh(self: Tensor, min_val: Any, max_val: Any) -> Tensor:
    return cut(self, *bounds(self, min_val, max_val))


@for_quantized("relu6")
def relu6(self: Tensor) -> Tensor:
    return cut(self, *bounds(self, 0.0, 6.0))


def _in_place(name: str, function: Callable[..., Tensor]) -> None:
    @for_quantized(name)
    def change(self: Tensor, *args: Any) -> Tensor:
        copies.copy_(numbers_of(self), numbers_of(function(self, *args)))
        return self


for _name, _function in (("relu_", relu), ("hardtanh_", hardtanh), ("relu6_", relu6), ("clamp_", clamp)):  # fmt: skip
    _in_place(_name, _function)

# -- through the elements --


def of_elements(
    name: Any,
    function: Callable[..., Value],
    self: Tensor,
    result: PerTensor,
    numbers: tuple[float, ...] = (),
) -> Tensor:
    """A function of real numbers of every element, with a scale of the result's own."""
    found, kind = per_tensor(self), self._dtype_

    def of_number(
        number: Value, scale: Value, shift: Value, inverse: Value, zero_point: Value, *rest: Value
    ) -> Any:
        value = function(scalars.to_element_fused(number, scale, shift), *rest)
        # PyTorch's vectors add the zero point after they have rounded.
        return scalars.rounded(rint(value * inverse) + convert(zero_point, "f32"), kind)

    operands = (
        self, float(found.scale), *shift_of(found), scalars.inverse_of(result.scale),
        result.zero_point, *numbers,
    )  # fmt: skip
    return quantized(("of elements", name), of_number, kind, result, operands)


def shift_of(quantizer: PerTensor) -> tuple[float]:
    """What is added to a number times the scale, in single precision."""
    import numpy as np

    return (float(np.float32(-np.float32(quantizer.scale)) * np.float32(quantizer.zero_point)),)


def _of_range(least: float, most: float, kind: dtypes.dtype) -> PerTensor:
    """The scale with which a type's numbers span a range that is known before."""
    low, high = limits_of(kind)
    symmetric = least < 0
    scale = (most - least) / (high - low + 1)
    return PerTensor(scale, (low + high + 1) // 2 if symmetric else low)


@for_quantized("sigmoid")
def sigmoid(self: Tensor) -> Tensor:
    low, high = limits_of(self._dtype_)
    zero = 0 if self._dtype_._name == "qint32" else low
    return sigmoid_to(self, PerTensor(1.0 / (high - low + 1), zero))


def sigmoid_to(self: Tensor, result: PerTensor) -> Tensor:
    elements = elements_of(self)
    return requantized(pointwise.sigmoid(elements), result, self._dtype_)


@for_quantized("tanh")
def tanh(self: Tensor) -> Tensor:
    found = _of_range(-1.0, 1.0, self._dtype_)
    return requantized(pointwise.tanh(elements_of(self)), found, self._dtype_)


@for_quantized("hardsigmoid")
def hardsigmoid(self: Tensor) -> Tensor:
    low, high = limits_of(self._dtype_)
    zero = 0 if self._dtype_._name == "qint32" else low
    found = PerTensor(1.0 / (high - low + 1), zero)
    return requantized(pointwise.hardsigmoid(elements_of(self)), found, self._dtype_)


@for_quantized("leaky_relu")
def leaky_relu(self: Tensor, negative_slope: Any) -> Tensor:
    return leaky_relu_to(self, per_tensor(self), negative_slope)


def leaky_relu_to(self: Tensor, result: PerTensor, slope: Any) -> Tensor:
    def function(x: Value, slope: Value) -> Value:
        return select(x > const("f32", 0.0), x, x * slope)

    return of_elements("leaky_relu", function, self, result, (float(slope),))


@for_quantized("threshold")
def threshold(self: Tensor, threshold: Any, value: Any) -> Tensor:
    def function(x: Value, least: Value, other: Value) -> Value:
        return select(x > least, x, other)

    numbers = float(threshold), float(value)
    return of_elements("threshold", function, self, per_tensor(self), numbers)


@for_quantized("gelu")
def gelu(self: Tensor, approximate: str) -> Tensor:
    import numpy as np

    found = per_tensor(self)
    single = PerTensor(float(np.float32(found.scale)), found.zero_point)
    elements = pointwise.gelu(elements_of(self), approximate=approximate)
    return requantized(elements, single, self._dtype_)


for _name, _function in (("leaky_relu_", leaky_relu), ("threshold_", threshold)):
    _in_place(_name, _function)

# -- comparisons --


def _compared(name: str) -> None:
    call = operators.operator(name).call

    @for_quantized(name)
    def compare(self: Any, other: Any) -> Any:
        return call(_plain(self), _plain(other))


def _plain(value: Any) -> Any:
    from rushlight.engine.calls import quantized as calls

    is_one = isinstance(value, Tensor) and is_quantized(value)
    return calls.dequantize_self(value) if is_one else value


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    for _overload in ("Tensor", "Scalar"):
        _compared(f"{_name}.{_overload}")


@for_quantized("equal")
def equal(self: Tensor, other: Tensor) -> bool:
    if not (is_quantized(self) and is_quantized(other)) or self._dtype_ is not other._dtype_:
        return False
    same = self._size_ == other._size_ and mean_the_same(quantizer_of(self), quantizer_of(other))
    return same and bool(comparison.equal(numbers_of(self), numbers_of(other)))


@for_quantized("isclose")
def isclose(self: Tensor, other: Tensor, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    raise RuntimeError("isclose is not supported for quantized inputs.")


# -- extremes and means --


def _check_one_scale(self: Tensor, name: str) -> PerTensor:
    if isinstance(quantizer_of(self), PerChannel):
        raise RuntimeError(
            f"{name} operator for quantized tensors only works for per tensor quantized tensors. "
            "Please open an issue on https://github.com/pytorch/pytorch/issues if you need per "
            "channel quantized tensor support."
        )
    return per_tensor(self)


@for_quantized("max")
def max_of_all(self: Tensor) -> Tensor:
    found = _check_one_scale(self, "Max")
    return over_numbers(reduction.max(numbers_of(self)), found, self._dtype_)


@for_quantized("min")
def min_of_all(self: Tensor) -> Tensor:
    found = _check_one_scale(self, "Min")
    return over_numbers(reduction.min(numbers_of(self)), found, self._dtype_)


@for_quantized("max.dim")
def max_along(self: Tensor, dim: int, keepdim: bool) -> Any:
    found = _check_one_scale(self, "Max")
    numbers, places = reduction.max_dim(numbers_of(self), dim, keepdim)
    return over_numbers(numbers, found, self._dtype_), places


@for_quantized("min.dim")
def min_along(self: Tensor, dim: int, keepdim: bool) -> Any:
    found = _check_one_scale(self, "Min")
    numbers, places = reduction.min_dim(numbers_of(self), dim, keepdim)
    return over_numbers(numbers, found, self._dtype_), places


@for_quantized("mean")
def mean(self: Tensor, dtype: Any) -> Tensor:
    return through_elements(self, lambda x: reduction.mean(x))


@for_quantized("mean.dim")
def mean_along(self: Tensor, dim: Any, keepdim: bool, dtype: Any) -> Tensor:
    return through_elements(self, lambda x: reduction.mean_dim(x, dim, keepdim))


@for_quantized("std.correction")
def std(self: Tensor, dim: Any, correction: Any, keepdim: bool) -> Tensor:
    return through_elements(
        self, lambda x: reduction.std_correction(x, dim, correction=correction, keepdim=keepdim)
    )


# -- scales of batches --


@for_quantized("quantized_batch_norm")
def batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, var: Tensor,
    eps: float, output_scale: float, output_zero_point: int,
) -> Tensor:  # fmt: skip
    """The normalisation of channels (dimension 1) by given means and variances."""
    found, result = per_tensor(input), PerTensor(float(output_scale), int(output_zero_point))
    kind = input._dtype_
    factor = pointwise.rsqrt(pointwise.add_Scalar(var, eps))
    if weight is not None:
        factor = pointwise.mul_Tensor(factor, weight)
    shift = pointwise.neg(pointwise.mul_Tensor(mean, factor))
    if bias is not None:
        shift = pointwise.add_Tensor(bias, shift)
    factor = pointwise.mul_Scalar(factor, float(found.scale) / float(output_scale))
    shift = pointwise.div_Scalar(shift, float(output_scale))
    from rushlight.engine.calls import view

    shape = [1, -1] + [1] * (len(input._size_) - 2)

    def normalise(number: Value, zero: Value, a: Value, b: Value, zero_point: Value) -> Value:
        y = convert(convert(number, "i32") - zero, "f32") * a + b
        return scalars.rounded(rint(y) + convert(zero_point, "f32"), kind)

    operands = (
        input, found.zero_point, view.view(factor, shape), view.view(shift, shape), result.zero_point,
    )  # fmt: skip
    last = {4: layouts.channels_last, 5: layouts.channels_last_3d}.get(len(input._size_))
    stride = formats.strides_in(input._size_, last)
    return quantized("batch_norm", normalise, kind, result, operands, stride)
