"""Functions of quantized tensors whose results have scales of their own: operators ``quantized::``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import pointwise
from rushlight.engine.calls import quantized as calls
from rushlight.engine.calls import rows as row_calls
from rushlight.engine.core.quantized import (
    PerTensor,
    limits_of,
    numbers_of,
    over_numbers,
    per_tensor,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import maths
from rushlight.engine.loops.expr import Value, const, convert, maximum, minimum, rint, select
from rushlight.engine.ops.quantized import scalars
from rushlight.engine.ops.quantized.elements import (
    bounds,
    cut,
    leaky_relu_to,
    of_elements,
    relu,
    shift_of,
    sigmoid_to,
)
from rushlight.engine.ops.quantized.elements import threshold as threshold_of
from rushlight.engine.ops.quantized.loops import quantized
from rushlight.engine.ops.quantized.parts import elements_of, for_quantized, requantized
from rushlight.engine.ops.quantized.shapes import check_joined, joined

# -- sums and products of two --


def _check_pair(qa: Tensor, qb: Tensor, name: str) -> None:
    if qa._dtype_ is not qb._dtype_:
        raise RuntimeError(f"{name} operands should have same data type.")


def _add(with_relu: bool) -> Callable[..., Tensor]:
    def add(qa: Tensor, qb: Tensor, scale: float, zero_point: int) -> Tensor:
        _check_pair(qa, qb, "Add")
        a, b, result = per_tensor(qa), per_tensor(qb), PerTensor(float(scale), int(zero_point))
        kind = qa._dtype_

        def body(
            x: Value, y: Value, sx: Value, dx: Value, sy: Value, dy: Value, inverse: Value,
            zero: Value,
        ) -> Value:  # fmt: skip
            left = scalars.to_element_fused(x, sx, dx)
            total = left + scalars.to_element_fused(y, sy, dy)
            if with_relu:
                total = maximum(total, const("f32", 0.0))
            return scalars.rounded(rint(total * inverse) + convert(zero, "f32"), kind)

        operands = (
            qa, qb, float(a.scale), *shift_of(a), float(b.scale), *shift_of(b),
            scalars.inverse_of(result.scale), result.zero_point,
        )  # fmt: skip
        return quantized(("add", with_relu), body, kind, result, operands)

    return add


def _mul(with_relu: bool) -> Callable[..., Tensor]:
    def mul(qa: Tensor, qb: Tensor, scale: float, zero_point: int) -> Tensor:
        _check_pair(qa, qb, "Mul")
        a, b, result = per_tensor(qa), per_tensor(qb), PerTensor(float(scale), int(zero_point))
        kind = qa._dtype_

        def body(x: Value, y: Value, zx: Value, zy: Value, factor: Value, zero: Value) -> Value:
            product = (convert(x, "i32") - zx) * (convert(y, "i32") - zy)
            if with_relu:
                product = maximum(product, const("i32", 0))
            return scalars.rounded(
                rint(convert(product, "f32") * factor) + convert(zero, "f32"), kind
            )

        inverse = np.float32(scalars.inverse_of(result.scale))
        factor = float(np.float32(a.scale) * np.float32(b.scale) * inverse)
        operands = qa, qb, a.zero_point, b.zero_point, factor, result.zero_point
        return quantized(("mul", with_relu), body, kind, result, operands)

    return mul


def _add_number(with_relu: bool) -> Callable[..., Tensor]:
    def add(qa: Tensor, b: Any) -> Tensor:
        """The scale stays where the zero point can move as far; else both change."""
        found, kind = per_tensor(qa), qa._dtype_
        low, high = limits_of(kind)
        steps = int(np.rint(float(b) / found.scale))
        zero = found.zero_point - steps
        if low <= zero <= high:
            moved = over_numbers(copies.clone(numbers_of(qa)), PerTensor(found.scale, zero), kind)
            return relu(moved) if with_relu else moved
        reach = high - zero if zero < low else zero - low
        scale = reach / (high - low) * found.scale
        elements = pointwise.add_Scalar(elements_of(qa), steps * found.scale)
        if with_relu:
            elements = pointwise.relu(elements)
        return requantized(elements, PerTensor(scale, low if zero < low else high), kind)

    return add


def _mul_number(with_relu: bool) -> Callable[..., Tensor]:
    def mul(qa: Tensor, b: Any) -> Tensor:
        """A number changes the scale; a negative one turns the numbers around."""
        found, kind, factor = per_tensor(qa), qa._dtype_, float(b)
        low, high = limits_of(kind)
        if factor > 0:
            result = PerTensor(factor * found.scale, found.zero_point)
            made = over_numbers(copies.clone(numbers_of(qa)), result, kind)
        elif factor == 0:
            nothing = copies.zero_(copies.clone(numbers_of(qa)))
            return over_numbers(nothing, PerTensor(1.0, 0), kind)
        else:
            result = PerTensor(-factor * found.scale, high + low - found.zero_point)

            def turn(number: Value, total: Value) -> Value:
                return convert(total - convert(number, "i32"), kind.memory)

            made = quantized("turn", turn, kind, result, (qa, high + low))
        return relu(made) if with_relu else made

    return mul


for _relu in (False, True):
    _end = "_relu" if _relu else ""
    for _name, _two, _one in (("add", _add, _add_number), ("mul", _mul, _mul_number)):
        for_quantized(f"quantized::{_name}{_end}")(_two(_relu))
        _number = _one(_relu)
        for_quantized(f"quantized::{_name}{_end}.Scalar")(_number)
        for_quantized(f"quantized::{_name}{_end}.Scalar2")(
            lambda b, qa, function=_number: function(qa, b)
        )

# -- joined --


def _cat(with_relu: bool) -> Callable[..., Tensor]:
    def cat(qx: Sequence[Tensor], dim: int, scale: Any, zero_point: Any) -> Tensor:
        check_joined(qx)
        first = per_tensor(qx[0])
        result = PerTensor(
            first.scale if scale is None else float(scale),
            first.zero_point if zero_point is None else int(zero_point),
        )
        made = joined(qx, dim, result, lambda numbers: numbers)
        return relu(made) if with_relu else made

    return cat


for_quantized("quantized::cat")(_cat(False))
for_quantized("quantized::cat_relu")(_cat(True))

# -- functions of one --


def _result(output_scale: float, output_zero_point: int) -> PerTensor:
    return PerTensor(float(output_scale), int(output_zero_point))


@for_quantized("quantized::clamp")
def clamp(qx: Tensor, min: Any, max: Any) -> Tensor:
    return cut(qx, *bounds(qx, min, max))


@for_quantized("quantized::relu6")
def relu6(qx: Tensor, inplace: bool) -> Tensor:
    made = cut(qx, *bounds(qx, 0.0, 6.0))
    if not inplace:
        return made
    copies.copy_(numbers_of(qx), numbers_of(made))
    return qx


@for_quantized("quantized::threshold")
def threshold(qx: Tensor, threshold: Any, value: Any) -> Tensor:
    return threshold_of(qx, threshold, value)


@for_quantized("quantized::hardswish")
def hardswish(input: Tensor, output_scale: float, output_zero_point: int) -> Tensor:
    def function(x: Value) -> Value:
        three, zero, six = (const("f32", n) for n in (3.0, 0.0, 6.0))
        return x * minimum(maximum(x + three, zero), six) / six

    return of_elements("hardswish", function, input, _result(output_scale, output_zero_point))


@for_quantized("quantized::sigmoid")
def sigmoid(qx: Tensor, output_scale: float, output_zero_point: int) -> Tensor:
    return sigmoid_to(qx, _result(output_scale, output_zero_point))


@for_quantized("quantized::leaky_relu")
def leaky_relu(
    qx: Tensor, negative_slope: Any, inplace: bool, output_scale: float, output_zero_point: int
) -> Tensor:
    if inplace:
        made = leaky_relu_to(qx, per_tensor(qx), negative_slope)
        copies.copy_(numbers_of(qx), numbers_of(made))
        return qx
    return leaky_relu_to(qx, _result(output_scale, output_zero_point), negative_slope)


def _by_elements(
    self: Tensor, output_scale: float, output_zero_point: int, function: Callable[[Tensor], Tensor]
) -> Tensor:
    result = _result(output_scale, output_zero_point)
    return requantized(function(elements_of(self)), result, self._dtype_)


@for_quantized("quantized::elu")
def elu(
    self: Tensor, output_scale: float, output_zero_point: int, alpha: Any, scale: Any,
    input_scale: Any,
) -> Tensor:  # fmt: skip
    def function(x: Value, alpha: Value, scale: Value, inner: Value) -> Value:
        below = maths.expm1(x * inner) * alpha * scale
        return select(x >= const("f32", 0.0), x * scale, below)

    result = _result(output_scale, output_zero_point)
    numbers = float(alpha), float(scale), float(input_scale)
    return of_elements("elu", function, self, result, numbers)


@for_quantized("quantized::celu")
def celu(self: Tensor, output_scale: float, output_zero_point: int, alpha: Any) -> Tensor:
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return elu(self, output_scale, output_zero_point, alpha, 1, 1 / float(alpha))


@for_quantized("quantized::prelu")
def prelu(qx: Tensor, weight: Tensor, output_scale: float, output_zero_point: int) -> Tensor:
    from rushlight.engine.generated import functions

    slopes = calls.dequantize_self(weight)
    return _by_elements(qx, output_scale, output_zero_point, lambda x: functions.prelu(x, slopes))


@for_quantized("quantized::softmax")
def softmax(qx: Tensor, dim: int, output_scale: float, output_zero_point: int) -> Tensor:
    return _by_elements(
        qx, output_scale, output_zero_point, lambda x: row_calls._softmax(x, dim, False)
    )


# -- normalisations --


def _norm(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a normalisation of real numbers; the last two arguments are the result's scale."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def normalise(input: Tensor, *args: Any) -> Tensor:
            *rest, scale, zero_point = args
            return _by_elements(input, scale, zero_point, lambda x: function(x, *rest))

        return for_quantized(f"quantized::{name}")(normalise)

    return decorate


@_norm("layer_norm")
def layer_norm(x: Tensor, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    from rushlight.engine.generated import functions

    return functions.layer_norm(x, shape, weight, bias, eps)


@_norm("group_norm")
def group_norm(x: Tensor, groups: int, weight: Any, bias: Any, eps: float) -> Any:
    from rushlight.engine.generated import functions

    return functions.group_norm(x, groups, weight, bias, eps)


@_norm("instance_norm")
def instance_norm(x: Tensor, weight: Any, bias: Any, eps: float) -> Any:
    from rushlight.engine.generated import functions

    return functions.instance_norm(x, weight, bias, None, None, True, 0.0, eps, False)


def _batch_norm(dims: int, with_relu: bool) -> None:
    end = "_relu" if with_relu else ""

    @for_quantized(f"quantized::batch_norm{dims}d{end}")
    def batch_norm(qx: Tensor, *args: Any) -> Tensor:
        made = calls.quantized_batch_norm(qx, *args)
        return relu(made) if with_relu else made


for _dims in (1, 2, 3):
    for _relu in (False, True):
        _batch_norm(_dims, _relu)
