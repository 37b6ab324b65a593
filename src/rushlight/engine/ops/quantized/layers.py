"""Linear layers and convolutions of eight-bit numbers: the operators ``quantized::``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import joining, pointwise
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core.quantized import (
    PerTensor,
    limits_of,
    numbers_of,
    over_numbers,
    per_tensor,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.expr import Value, const, convert, fma, rint, select
from rushlight.engine.ops.kinds.views import composite, cpu
from rushlight.engine.ops.quantized import scalars
from rushlight.engine.ops.quantized.loops import computed
from rushlight.engine.ops.quantized.making import suitable_for
from rushlight.engine.ops.quantized.packed import (
    Conv2dPackedParamsBase,
    Conv3dPackedParamsBase,
    ConvPackedParams,
    HalfLinear,
    LinearPackedParamsBase,
    Packed,
)
from rushlight.engine.ops.quantized.parts import for_quantized
from rushlight.engine.ops.quantized.products import produced, with_whole_quads

QUINT8 = dtypes.named("quint8")

# -- what is made of sums --


def _to_numbers(relu: bool, by_rows: bool) -> Callable[..., Value]:
    """From sums to numbers of the result's scale."""
    low, high = limits_of(QUINT8)

    def finish(
        total: Value, correction: Value, added: Value, factor: Value, zero_point: Value,
        *rows: Value,
    ) -> Value:  # fmt: skip
        whole = total + correction
        if by_rows:
            whole = whole - rows[0] * rows[1]
        real = (convert(whole, "f32") + added) * factor
        zero = convert(zero_point, "f32")
        least = select(zero > const("f32", float(low)), zero, const("f32", float(low)))
        least = least if relu else const("f32", float(low))
        number = scalars.within(rint(real) + zero, least, const("f32", float(high)))
        return convert(convert(number, "i32"), "u8")

    return finish


def _to_elements(relu: bool, by_rows: bool) -> Callable[..., Value]:
    """From sums to real numbers."""

    def finish(
        total: Value, sums: Value, scale: Value, added: Value, zero_point: Value, own: Value,
        *rows: Value,
    ) -> Value:  # fmt: skip
        whole = total - zero_point * sums
        if by_rows:
            whole = whole - rows[0] * rows[1]
        value = fma(convert(whole, "f32"), own * scale, added)
        nothing = const("f32", 0.0)
        return select(value > nothing, value, nothing) if relu else value

    return finish


def _row_sums(numbers: Tensor, packed: Packed) -> tuple[Tensor, ...]:
    """What zero points of weights are multiplied with, and these; nothing where they are 0."""
    from rushlight.engine.calls import reduction

    if packed.zeros_row is None:
        return ()
    sums = reduction.sum_dim_IntList(numbers, [1], True)
    return copies.to_dtype(sums, dtypes.int32), packed.zeros_row


def static_product(
    numbers: Tensor, packed: Packed, given: PerTensor, result: PerTensor, relu: bool
) -> Tensor:
    """Rows of numbers times a weight, as numbers of the result's scale."""
    beside = packed.of_static(given.scale, given.zero_point, result.scale)
    rows = _row_sums(numbers, packed)
    name = "static", relu, bool(rows)
    return produced(
        name, with_whole_quads(numbers), packed.factors[0], dtypes.uint8,
        _to_numbers(relu, bool(rows)), [*beside, result.zero_point, *rows],
    )  # fmt: skip


def _check_factor(input: Tensor, packed: Any, name: str) -> None:
    if input._dtype_ is not QUINT8:
        raise RuntimeError(
            f"expected scalar type QUInt8 but found {input._dtype_}: {name} takes quint8 inputs"
        )


# -- linear layers --


@for_quantized("quantized::linear_prepack")
def linear_prepack(W: Tensor, B: Tensor | None) -> LinearPackedParamsBase:
    if len(W._size_) != 2:
        raise RuntimeError(
            "The weight tensor for quantized::linear_prepack (fbgemm) should be 2-dimensional."
        )
    return LinearPackedParamsBase(W, B)


@composite("quantized::linear_unpack", "quantized::linear_unpack_fp16")
def linear_unpack(W_prepack: Any) -> Any:
    return W_prepack.unpack()


def _flat(input: Tensor, packed: LinearPackedParamsBase) -> Tensor:
    """The numbers of a layer's input as rows."""
    depth = packed.weight._size_[1]
    if not input._size_:
        raise RuntimeError("The dimension of input should be larger than 0")
    if input._size_[-1] != depth:
        raise RuntimeError(
            f"The number of rows in the packB should be equal to K: {depth}, but the input has "
            f"{input._size_[-1]} columns"
        )
    rows = views.reshape(input, (-1, depth)) if len(input._size_) != 2 else input
    return rows if rows._stride_[1] == 1 else copies.clone(rows, layouts.contiguous_format)


def _linear(relu: bool) -> Callable[..., Tensor]:
    def linear(
        X: Tensor, W_prepack: LinearPackedParamsBase, Y_scale_i: float, Y_zero_point_i: int
    ) -> Tensor:
        _check_factor(X, W_prepack, "quantized::linear")
        result = PerTensor(float(Y_scale_i), int(Y_zero_point_i))
        found = per_tensor(X)
        numbers = numbers_of(X)
        made = static_product(_flat(numbers, W_prepack), W_prepack, found, result, relu)
        made = _unflat(made, X)
        return over_numbers(made, result, QUINT8)

    return linear


def _unflat(made: Tensor, input: Tensor) -> Tensor:
    """Rows of results in the shape of the input."""
    if len(input._size_) == 2:
        return made
    return copies.alias(views.view(made, (*input._size_[:-1], made._size_[1])))  # type: ignore[no-any-return]


linear = for_quantized("quantized::linear")(_linear(False))
for_quantized("quantized::linear_relu")(_linear(True))


@for_quantized("quantized::linear_leaky_relu")
def linear_leaky_relu(
    X: Tensor, W_prepack: LinearPackedParamsBase, Y_scale_i: float, Y_zero_point_i: int,
    negative_slope: float,
) -> Tensor:  # fmt: skip
    from rushlight.engine.ops.quantized.elements import leaky_relu_to

    found = linear(X, W_prepack, Y_scale_i, Y_zero_point_i)
    return leaky_relu_to(found, per_tensor(found), negative_slope)


def _dynamic(relu: bool) -> Callable[..., Tensor]:
    def linear_dynamic(X: Tensor, W_prepack: LinearPackedParamsBase, reduce_range: bool) -> Tensor:
        if X._dtype_ is not dtypes.float32:
            raise RuntimeError(
                f"quantized::linear_dynamic (fbgemm): data type of input should be float, got {X._dtype_}"
            )
        elements = _flat(X, W_prepack)
        scale, zero_point = suitable_for(elements, 0, 127 if reduce_range else 255)
        operands = elements, scalars.inverse_of(scale), zero_point
        numbers = computed("quantize", scalars.to_numbers(QUINT8), dtypes.uint8, operands)
        rows = _row_sums(numbers, W_prepack)
        if rows:
            # The zero points of weights and inputs together: as if sums of rows were less.
            less = zero_point * W_prepack.factors[0].depth
            rows = pointwise.sub_Scalar(rows[0], less, 1), rows[1]
        beside = [*W_prepack.dynamic, zero_point, scale, *rows]
        made = produced(
            ("dynamic", relu, bool(rows)), with_whole_quads(numbers), W_prepack.factors[0],
            dtypes.float32, _to_elements(relu, bool(rows)), beside,
        )  # fmt: skip
        return _unflat(made, X)

    return linear_dynamic


cpu("quantized::linear_dynamic")(_dynamic(False))
cpu("quantized::linear_relu_dynamic")(_dynamic(True))


@cpu("quantized::linear_prepack_fp16")
def linear_prepack_half(W: Tensor, B: Tensor | None) -> HalfLinear:
    return HalfLinear(W, B)


def _half(relu: bool) -> Callable[..., Tensor]:
    def linear_dynamic_fp16(X: Tensor, W_prepack: HalfLinear) -> Tensor:
        from rushlight.engine.calls import matrix

        made = matrix.linear(X, W_prepack.weight, W_prepack.bias)
        return pointwise.relu(made) if relu else made  # type: ignore[no-any-return]

    return linear_dynamic_fp16


cpu("quantized::linear_dynamic_fp16")(_half(False))
cpu("quantized::linear_relu_dynamic_fp16")(_half(True))

# -- convolutions --


def _prepack(dims: int) -> Any:
    kind: Any = Conv3dPackedParamsBase if dims == 3 else Conv2dPackedParamsBase

    def prepack(
        weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int
    ) -> ConvPackedParams:
        if len(weight._size_) != dims + 2:
            raise RuntimeError(f"Weights are expected to have {dims + 2} dimensions")
        given = [tuple(x) for x in (stride, padding, dilation)]
        if dims == 1:
            # A row is an image of height 1.
            weight = views.unsqueeze(weight, 2)
            given = [(first, *x) for first, x in zip((1, 0, 1), given)]
        made: ConvPackedParams = kind(weight, bias, *given, groups)
        return made

    for_quantized(f"quantized::conv{dims}d_prepack")(prepack)


def _settings(dims: int) -> None:
    for name in ("stride", "padding", "dilation", "groups"):
        composite(f"quantized::conv{dims}d_{name}")(_setting(name))


def _setting(name: str) -> Callable[[Any], Any]:
    def read(packed_weights: Any) -> Any:
        found = getattr(packed_weights, name)
        return list(found) if isinstance(found, tuple) else found

    return read


@composite("quantized::conv2d_unpack", "quantized::conv3d_unpack")
def conv_unpack(packed_weights: Any) -> Any:
    return packed_weights.unpack()


@composite("quantized::conv1d_unpack")
def conv1d_unpack(packed_weights: Any) -> Any:
    weight, bias = packed_weights.unpack()
    return views.squeeze_dim(weight, 2), bias


def _windows(
    numbers: Tensor, packed: ConvPackedParams, zero: int
) -> tuple[Tensor, tuple[int, ...]]:
    """All windows of images as rows, and the sizes of the result: channels are last everywhere."""
    dims = len(packed.window)
    order = (0, *range(2, dims + 2), 1)
    image = views.permute(numbers, order)
    if any(packed.padding):
        ends = [n for p in reversed(packed.padding) for n in (p, p)]
        image = joining.constant_pad_nd(image, [0, 0, *ends], zero)
    image = copies.clone(image, layouts.contiguous_format) if not _is_dense(image) else image
    size = [
        (length - dilation * (window - 1) - 1) // stride + 1
        for length, window, stride, dilation in zip(
            image._size_[1:-1], packed.window, packed.stride, packed.dilation
        )
    ]
    if any(n <= 0 for n in size):
        raise RuntimeError(
            f"quantized convolution: the window {packed.window} is larger than the padded image "
            f"{tuple(image._size_[1:-1])}"
        )
    batch, *steps, last = image._stride_
    shape = [image._size_[0], *size, *packed.window, image._size_[-1]]
    strides = [batch, *(s * n for s, n in zip(steps, packed.stride))]
    strides += [*(s * n for s, n in zip(steps, packed.dilation)), last]
    seen = views.as_strided(image, shape, strides, image._offset_)
    return seen, (image._size_[0], *size)


def _is_dense(image: Tensor) -> bool:
    from rushlight.engine.core import size as sizes

    return bool(sizes.is_contiguous(image._size_, image._stride_))


def _convolved(
    numbers: Tensor, packed: ConvPackedParams, given: PerTensor, result: PerTensor, relu: bool
) -> Tensor:
    """The numbers of a convolution's result, with channels second, and last in memory."""
    if numbers._size_[1] != packed.channels * packed.groups:
        raise RuntimeError(
            f"Given groups={packed.groups}, weight of size {list(packed.weight._size_)}, expected "
            f"input[{', '.join(map(str, numbers._size_))}] to have "
            f"{packed.channels * packed.groups} channels, but got {numbers._size_[1]} channels instead"
        )
    seen, size = _windows(numbers, packed, given.zero_point)
    count = packed.weight._size_[0]
    depth = packed.factors[0].depth
    made = [
        _of_group(seen, packed, group, depth, given, result, relu) for group in range(packed.groups)
    ]
    rows = made[0] if packed.groups == 1 else joining.cat(made, 1)
    last = len(size)
    image = views.view(rows, (*size, count))
    return views.permute(image, (0, last, *range(1, last)))  # type: ignore[no-any-return]


def _of_group(
    seen: Tensor, packed: ConvPackedParams, group: int, depth: int, given: PerTensor,
    result: PerTensor, relu: bool,
) -> Tensor:  # fmt: skip
    channels = packed.channels
    part = views.narrow(seen, -1, group * channels, channels) if packed.groups > 1 else seen
    rows = views.reshape(part, (-1, depth))
    per_group = packed.weight._size_[0] // packed.groups
    first = group * per_group

    def cut(row: Any) -> Any:
        return row if packed.groups == 1 else views.narrow(row, 1, first, per_group)

    beside = [cut(x) for x in packed.of_static(given.scale, given.zero_point, result.scale)]
    sums = _row_sums(rows, packed)
    if sums:
        sums = sums[0], cut(sums[1])
    return produced(
        ("static", relu, bool(sums)), with_whole_quads(rows), packed.factors[group], dtypes.uint8,
        _to_numbers(relu, bool(sums)), [*beside, result.zero_point, *sums],
    )  # fmt: skip


def _conv(dims: int, relu: bool) -> Callable[..., Tensor]:
    def conv(
        qx: Tensor, packed_weight: ConvPackedParams, output_scale: float, output_zero_point: int
    ) -> Tensor:
        _check_factor(qx, packed_weight, f"quantized::conv{dims}d")
        result = PerTensor(float(output_scale), int(output_zero_point))
        found = per_tensor(qx)
        numbers = numbers_of(qx)
        alone = len(numbers._size_) == dims + 1
        if alone:
            numbers = views.unsqueeze(numbers, 0)
        if len(numbers._size_) != dims + 2:
            raise RuntimeError(f"Expected activations to have {dims + 2} dimensions")
        if dims == 1:
            numbers = views.unsqueeze(numbers, 2)
        made = _convolved(numbers, packed_weight, found, result, relu)
        if dims == 1:
            made = views.squeeze_dim(made, 2)
        if alone:
            made = views.squeeze_dim(made, 0)
        return over_numbers(copies.detach(made), result, QUINT8)

    return conv


def _with_settings(conv: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The older form, which repeats what the packed weight says."""

    def older(
        qx: Tensor, weight: Any, stride: Any, padding: Any, dilation: Any, groups: int,
        output_scale: float, output_zero_point: int,
    ) -> Tensor:  # fmt: skip
        return conv(qx, weight, output_scale, output_zero_point)

    return older


for _dims in (1, 2, 3):
    _prepack(_dims)
    for _relu in (False, True):
        _name = f"quantized::conv{_dims}d" + ("_relu" if _relu else "")
        _function = _conv(_dims, _relu)
        if _dims == 1:
            for_quantized(_name)(_function)
        else:
            for_quantized(f"{_name}.new")(_function)
            for_quantized(_name)(_with_settings(_function))
    if _dims > 1:
        _settings(_dims)
