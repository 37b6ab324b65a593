"""Layer, RMS and group normalisation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import rows as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core.dtype import COMPLEX, FLOATING, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.loops import row_kernel as programs
from rushlight.engine.loops.expr import Value, const, fma, maximum, sqrt
from rushlight.engine.loops.reduction import Reduction, Values
from rushlight.engine.loops.reductions import variance_of
from rushlight.engine.ops import formats
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds.planned import Computed, Request, contiguous_spec, planned
from rushlight.engine.ops.kinds.rows import Normalize, RowsAlong
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.rows.softmax import suggested_spec

Ints = Sequence[int]


def check_shape(input: Tensor, shape: Ints, weight: Tensor | None, bias: Tensor | None) -> int:
    """Check the normalised shape; how many dimensions come before it."""
    if not len(shape):
        raise RuntimeError(
            f"Expected normalized_shape to be at least 1-dimensional, i.e., containing at least "
            f"one element, but got normalized_shape = {list(shape)}"
        )
    for name, given in (("weight", weight), ("bias", bias)):
        if given is not None and tuple(given._size_) != tuple(shape):
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of "
                f"shape {list(given._size_)} and normalized_shape = {list(shape)}"
            )
    before = len(input._size_) - len(shape)
    if before < 0 or tuple(input._size_[before:]) != tuple(shape):
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape "
            f"[*, {', '.join(map(str, shape))}], but got input of size{list(input._size_)}"
        )
    return before


def check_floating(kernel: str, kind: dtype) -> None:
    if kind.category != FLOATING or kind in dtypes.FLOAT8:
        raise not_implemented(kernel, kind)


def statistics_dtype(input: Tensor, *parameters: Tensor | None) -> dtype:
    """The type of means: that of the parameters, if they are wider than a half input."""
    for given in parameters:
        if given is not None and given._dtype_ is not input._dtype_:
            if input._dtype_ not in (dtypes.float16, dtypes.bfloat16) or (
                given._dtype_ is not dtypes.float32
            ):
                raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
            return given._dtype_
    return input._dtype_


@planned("native_layer_norm")
def native_layer_norm(
    input: Tensor, normalized_shape: Ints, weight: Tensor | None, bias: Tensor | None, eps: float
) -> Request:
    before = check_shape(input, normalized_shape, weight, bias)
    check_floating("LayerNormKernelImpl", input._dtype_)
    kind = statistics_dtype(input, weight, bias)
    dims = tuple(range(before, len(input._size_)))
    program = programs.layer_norm(
        promotion.compute_type(input._dtype_), eps, weight is not None, bias is not None
    )
    size = tuple(1 if d in dims else n for d, n in enumerate(input._size_))
    specs = [contiguous_spec(input._size_, input._dtype_)]
    specs += [contiguous_spec(size, kind), contiguous_spec(size, kind)]
    given = tuple(t for t in (input, weight, bias) if t is not None)
    return RowsAlong(given, dims, program, specs)


@planned("_layer_norm_input_gradient")
def layer_norm_input_gradient(
    grad: Tensor, input: Tensor, mean: Tensor, rstd: Tensor, weight: Tensor | None, shape: Ints
) -> Request:
    dims = tuple(range(len(input._size_) - len(shape), len(input._size_)))
    program = programs.layer_norm_backward(
        promotion.compute_type(input._dtype_), weight is not None
    )
    given = tuple(t for t in (grad, input, mean, rstd, weight) if t is not None)
    return RowsAlong(given, dims, program, [contiguous_spec(input._size_, input._dtype_)])


@composite("layer_norm")
def layer_norm(
    input: Tensor,
    normalized_shape: Ints,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    cudnn_enable: bool,
) -> Tensor:
    return calls.native_layer_norm(input, normalized_shape, weight, bias, eps)[0]


@planned("_fused_rms_norm")
def fused_rms_norm(
    input: Tensor, normalized_shape: Ints, weight: Tensor | None, eps: float | None
) -> Request:
    before = check_shape(input, normalized_shape, weight, None)
    kind = input._dtype_
    check_floating("rms_norm", kind)
    if eps is None:
        eps = dtypes.finfo(kind if kind is dtypes.float64 else dtypes.float32).eps
    dims = tuple(range(before, len(input._size_)))
    program = programs.rms_norm(promotion.compute_type(kind), eps, weight is not None)
    size = tuple(1 if d in dims else n for d, n in enumerate(input._size_))
    wide = kind if kind is dtypes.float64 else dtypes.float32
    result = kind if weight is None else promotion.promote_types(kind, weight._dtype_)
    specs = [contiguous_spec(input._size_, result), contiguous_spec(size, wide)]
    return RowsAlong(tuple(t for t in (input, weight) if t is not None), dims, program, specs)


@composite("rms_norm")
def rms_norm(
    input: Tensor, normalized_shape: Ints, weight: Tensor | None, eps: float | None
) -> Tensor:
    if input._dtype_.category == COMPLEX:
        return _complex_rms_norm(input, normalized_shape, weight, eps)
    made = calls._fused_rms_norm(input, normalized_shape, weight, eps)[0]
    # A weight of another type counts in its precision, but not in the result's type.
    return made if made._dtype_ is input._dtype_ else copies.to_dtype(made, input._dtype_)


def _complex_rms_norm(input: Any, shape: Ints, weight: Any, eps: float | None) -> Any:
    """Over the root of the mean of the squares, which are complex themselves."""
    before = check_shape(input, shape, weight, None)
    dims = list(range(before, len(input._size_)))
    least = dtypes.finfo(input._dtype_).eps if eps is None else eps
    normal = input * ((input * input).mean(dims, True) + least).rsqrt()
    return normal if weight is None else normal * weight


# -- statistics per channel or group --


@cache
def moments_of(type: str, eps: float, unbiased: bool = False) -> Reduction:
    """The mean and the reciprocal standard deviation; perhaps the unbiased variance too."""

    def finish(totals: Values, count: Value) -> Any:
        number, mean, squares = totals
        variance = maximum(squares / number, 0)
        found = [mean, const("f64", 1) / sqrt(variance + eps)]
        return [*found, squares / (number - 1)] if unbiased else found

    return variance_of(type, finish)


def scaled(weight: bool, bias: bool) -> Any:
    """The map after the statistics."""

    def body(x: Value, mean: Value, scale: Value, *others: Value) -> Value:
        x = (x - mean) * scale
        if weight and bias:
            return fma(x, others[0], others[1])
        if weight:
            return x * others[0]
        return x + others[0] if bias else x

    return body


@planned("native_group_norm")
def native_group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> Request:
    check_group(input, weight, bias, C, group)
    check_floating("GroupNormKernelImpl", input._dtype_)
    kind = statistics_dtype(input, weight, bias)
    specs = [
        suggested_spec(input, input._dtype_),
        contiguous_spec((N, group), kind),
        contiguous_spec((N, group), kind),
    ]
    if not sizes.is_contiguous(input._size_, input._stride_):
        if not sizes.is_channels_last(input._size_, input._stride_):
            raise RuntimeError("Expected X.is_contiguous(memory_format) to be true, but got false.")
        plain = copies.contiguous
        return Computed(
            specs,
            lambda: _laid_out_first(
                calls.native_group_norm(plain(input), weight, bias, N, C, HxW, group, eps), input
            ),
        )
    shape = (N, group, C // group, HxW)
    parameters = [t for t in (weight, bias) if t is not None]
    views = [
        ((1, group, C // group, 1), (0, t._stride_[0] * (C // group), t._stride_[0], 0))
        for t in parameters
    ]
    element = promotion.compute_type(input._dtype_)
    return Normalize(
        (input, *parameters),
        shape,
        sizes.contiguous_strides(shape),
        (2, 3),
        moments_of(element, eps),
        scaled(weight is not None, bias is not None),
        (0, 1),
        views,
        specs,
        element,
    )


def _laid_out_first(results: tuple[Tensor, ...], like: Tensor) -> tuple[Tensor, ...]:
    return formats.laid_out_like(results[0], like), *results[1:]


def check_group(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, channels: int, group: int
) -> None:
    if group <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {group}")
    if channels % group:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input "
            f"of shape {list(input._size_)} and num_groups={group}"
        )
    for name, given in (("weight", weight), ("bias", bias)):
        if given is not None and tuple(given._size_) != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in "
                f"input, but got {name} of shape {list(given._size_)} and input of shape "
                f"{list(input._size_)}"
            )


@composite("group_norm")
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    if len(input._size_) < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {len(input._size_)}"
        )
    count, channels = input._size_[:2]
    check_group(input, weight, bias, channels, num_groups)
    area = math.prod(input._size_[2:])
    input = copies.contiguous(input, formats.suggested(input))
    return calls.native_group_norm(input, weight, bias, count, channels, area, num_groups, eps)[0]
