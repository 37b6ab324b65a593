"""The operators of convolution: settings, checks, and which of the ways does the work.

Floating-point types have kernels: `direct` for most, `amx` for bfloat16 where the processor
has one, `depthwise` for the gradients of weights with one channel each. All of them ask `taps` where
windows lie. For the other types windows become columns, which the weights multiply; that is here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import view
from rushlight.engine.calls import windows as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import state
from rushlight.engine.core.dtype import FLOATING, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated import functions
from rushlight.engine.loops import promotion
from rushlight.engine.ops import formats
from rushlight.engine.ops.gradients import conj
from rushlight.engine.ops.kinds.planned import Computed, Request, Spec, contiguous_spec, planned
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.windows.amx import AmxConvolution, AmxWeightGradient
from rushlight.engine.ops.windows.amx import suits as amx_suits
from rushlight.engine.ops.windows.depthwise import DepthwiseWeightGradient
from rushlight.engine.ops.windows.direct import Convolution, WeightGradient
from rushlight.engine.ops.windows.sizes import Ints, for_each, padding_list, reach
from rushlight.engine.ops.windows.taps import (
    Axis,
    convolution_axis,
    missing,
    transposed_axis,
    transposed_length,
    whole_axis,
    window_count,
)


def windows(image: Any, kernel: Ints, stride: Ints, dilation: Ints) -> Any:
    """A view of all windows: the leading dimensions, the windows' positions, their elements."""
    count = len(kernel)
    first = len(image._size_) - count
    for d, (length, step) in enumerate(zip(reach(kernel, dilation), stride)):
        image = image.unfold(first + d, length, step)
    for d, step in enumerate(dilation):
        if step > 1:
            image = view.slice_Tensor(image, first + count + d, None, None, step)
    return image


def padded(image: Tensor, before: Ints, after: Ints, value: Any = 0) -> Tensor:
    """The image with a border on its last dimensions."""
    if not any(before) and not any(after):
        return image
    return functions.constant_pad_nd(image, padding_list(before, after), value)  # type: ignore[no-any-return]


class _Settings:
    """The checked settings of a convolution of ``count`` dimensions."""

    def __init__(
        self, weight: Tensor, stride: Ints, padding: Ints, dilation: Ints, groups: int
    ) -> None:
        count = len(weight._size_) - 2
        self.kernel = weight._size_[2:]
        self.stride = for_each("stride", stride, count)
        self.padding = for_each("padding", padding, count)
        self.dilation = for_each("dilation", dilation, count)
        self.groups = groups
        if groups <= 0:
            raise RuntimeError("non-positive groups is not supported")
        if min(self.padding, default=0) < 0:
            raise RuntimeError("negative padding is not supported")
        if min(self.stride, default=1) <= 0:
            raise RuntimeError("non-positive stride is not supported")
        if min(self.dilation, default=1) <= 0:
            raise RuntimeError("dilation should be greater than zero")


def _check(
    input: Tensor, weight: Tensor, bias: Tensor | None, channels: int, outputs: int, how: str
) -> None:
    if bias is not None and bias._dtype_ is not input._dtype_:
        raise RuntimeError(
            f"Input type ({promotion.c_name(input._dtype_)}) and bias type "
            f"({promotion.c_name(bias._dtype_)}) should be the same"
        )
    if input._dtype_ is not weight._dtype_:
        raise RuntimeError(
            f"expected scalar type {promotion.title(input._dtype_)} but found "
            f"{promotion.title(weight._dtype_)}"
        )
    if input._size_[1] != channels:
        raise RuntimeError(
            f"Given {how}, weight of size {list(weight._size_)}, expected input{list(input._size_)} "
            f"to have {channels} channels, but got {input._size_[1]} channels instead"
        )
    if bias is not None and bias._size_ != (outputs,):
        raise RuntimeError(
            f"Given weight of size {list(weight._size_)}, expected bias to be 1-dimensional with "
            f"{outputs} elements, but got bias of size {list(bias._size_)} instead"
        )


def _batched(name: str, input: Tensor, weight: Tensor, count: int) -> tuple[Any, bool]:
    """The input with a batch dimension, and whether it came with one."""
    dims = len(input._size_)
    if len(weight._size_) != count + 2:
        raise RuntimeError(
            f"weight should have at least three dimensions: expected {count + 2}-dimensional "
            f"weight, but got weight of size {list(weight._size_)}"
        )
    if dims not in (count + 1, count + 2):
        raise RuntimeError(
            f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got "
            f"input of size: {list(input._size_)}"
        )
    return (input, True) if dims == count + 2 else (view.unsqueeze(input, 0), False)


def _convolve(name: str, count: int, input: Tensor, weight: Any, bias: Any, how: _Settings) -> Any:
    image, was_batched = _batched(name, input, weight, count)
    made = calls.convolution(
        image, weight, bias, how.stride, how.padding, how.dilation, False, (0,) * count, how.groups
    )
    return made if was_batched else made.squeeze(0)


def _convolve_named(
    name: str, count: int, input: Any, weight: Any, bias: Any, stride: Ints, padding: str,
    dilation: Ints, groups: int,
) -> Any:  # fmt: skip
    """A convolution whose padding is a word."""
    if padding not in ("same", "valid"):
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    how = _Settings(weight, stride, [0], dilation, groups)
    if padding == "same":
        if set(how.stride) - {1}:
            raise RuntimeError("padding='same' is not supported for strided convolutions")
        whole = [n - 1 for n in reach(how.kernel, how.dilation)]
        before = [n // 2 for n in whole]
        if any(n % 2 for n in whole):
            input = padded(input, before, [n - b for n, b in zip(whole, before)])
        else:
            how.padding = tuple(before)
    return _convolve(name, count, input, weight, bias, how)


def _spaced(image: Any, stride: Ints) -> Any:
    """The image with ``stride - 1`` zeros between neighbours."""
    for d, step in enumerate(stride, 2):
        if step > 1:
            apart = functions.constant_pad_nd(image.unsqueeze(d + 1), _behind(image, d, step))
            length = (image._size_[d] - 1) * step + 1
            image = view.slice_Tensor(apart.flatten(d, d + 1), d, 0, length, 1)
    return image


def _behind(image: Any, dim: int, step: int) -> list[int]:
    """The padding that puts ``step - 1`` zeros behind the dimension that follows ``dim``."""
    after = len(image._size_) - 1 - dim
    return [0, 0] * after + [0, step - 1]


def _convolve_transposed(
    name: str, count: int, input: Tensor, weight: Any, bias: Any, how: _Settings, extra: Ints
) -> Any:
    image, was_batched = _batched(name, input, weight, count)
    extra = for_each("output_padding", extra, count)
    made = calls.convolution(
        image, weight, bias, how.stride, how.padding, how.dilation, True, extra, how.groups
    )
    return made if was_batched else made.squeeze(0)


def _register(count: int) -> None:
    """Make the convolutions of ``count`` dimensions."""
    name, transposed = f"conv{count}d", f"conv_transpose{count}d"

    def convolve(
        input: Tensor, weight: Tensor, bias: Any, stride: Ints, padding: Ints, dilation: Ints,
        groups: int,
    ) -> Any:  # fmt: skip
        how = _Settings(weight, stride, padding, dilation, groups)
        return _convolve(name, count, input, weight, bias, how)

    def convolve_named(*args: Any) -> Any:
        return _convolve_named(f"conv{count}d", count, *args)

    def convolve_transposed(
        input: Tensor, weight: Tensor, bias: Any, stride: Ints, padding: Ints,
        output_padding: Ints, groups: int, dilation: Ints,
    ) -> Any:  # fmt: skip
        how = _Settings(weight, stride, padding, dilation, groups)
        return _convolve_transposed(transposed, count, input, weight, bias, how, output_padding)

    composite(name)(convolve)
    composite(f"{name}.padding")(convolve_named)
    composite(transposed if count == 1 else f"{transposed}.input")(convolve_transposed)


for _count in (1, 2, 3):
    _register(_count)


# -- the operators that have kernels --


def _convolved_size(image: Tensor, weight: Tensor, bias: Any, how: _Settings) -> list[int]:
    """The size of a convolution's result; raise if the operands do not fit."""
    outputs, per_group = weight._size_[:2]
    groups = how.groups
    _check(image, weight, bias, per_group * groups, outputs, f"groups={groups}")
    if outputs < groups or outputs % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, "
            f"but got weight of size {list(weight._size_)} instead"
        )
    room = [n + 2 * p for n, p in zip(image._size_[2:], how.padding)]
    size = [
        window_count(*of)
        for of in zip(image._size_[2:], how.kernel, how.stride, how.padding, how.dilation)
    ]
    if 0 in how.kernel or any(n <= 0 for n in size):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, room))}). Kernel "
            f"size: ({' x '.join(map(str, how.kernel))}). Kernel size can't be greater than actual "
            f"input size"
        )
    return [image._size_[0], outputs, *size]


def _transposed_size(
    image: Tensor, weight: Tensor, bias: Any, how: _Settings, extra: Ints
) -> list[int]:
    """The size of a transposed convolution's result; raise if the operands do not fit."""
    inputs, per_group = weight._size_[:2]
    _check(image, weight, bias, inputs, per_group * how.groups, "transposed=1")
    if inputs < how.groups:
        raise RuntimeError(
            f"Given groups={how.groups}, expected weight to be at least {how.groups} at dimension "
            f"0, but got weight of size {list(weight._size_)} instead"
        )
    if inputs % how.groups:
        raise RuntimeError(
            f"Given groups={how.groups}, expected weight to be divisible by {how.groups} at "
            f"dimension 0, but got weight of size {list(weight._size_)} instead"
        )
    if any(e < 0 for e in extra):
        raise RuntimeError("negative output_padding is not supported")
    if any(e >= max(s, d) for e, s, d in zip(extra, how.stride, how.dilation)):
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got "
            f"output_padding: {tuple(extra)}, stride: {how.stride}, dilation: {how.dilation}"
        )
    size = [
        transposed_length(*of)
        for of in zip(image._size_[2:], how.kernel, how.stride, how.padding, how.dilation, extra)
    ]
    if any(n <= 0 for n in size):
        raise RuntimeError(
            f"Given input size per channel: {list(image._size_[2:])}. Calculated output size per "
            f"channel: {size}. Output size is too small"
        )
    return [image._size_[0], per_group * how.groups, *size]


def result_spec(size: Sequence[int], kind: dtype, *given: Tensor) -> Spec:
    """A result whose channels are the innermost if those of an operand are."""
    return tuple(size), formats.suggested_strides(size, *given), kind


@planned("convolution")
def convolution(
    input: Tensor, weight: Tensor, bias: Any, stride: Ints, padding: Ints, dilation: Ints,
    transposed: bool, output_padding: Ints, groups: int,
) -> Request:  # fmt: skip
    how = _Settings(weight, stride, padding, dilation, groups)
    count = len(how.kernel)
    if len(input._size_) != count + 2:
        raise RuntimeError(
            f"Expected {count + 2}D (batched) input to convolution, but got input of size: "
            f"{list(input._size_)}"
        )
    extra = for_each("output_padding", output_padding, count)
    if transposed:
        size = _transposed_size(input, weight, bias, how, extra)
    else:
        size = _convolved_size(input, weight, bias, how)
    make_axis: Callable[..., Axis] = transposed_axis if transposed else convolution_axis
    kind = input._dtype_
    spec = result_spec(size, kind, input, weight)
    if state.thread.planner is not None:
        # Programs of the host have no use for it.
        from rushlight.engine.ops.windows import device_convolution as device

        operands = (weight, input) if transposed else (input, weight)
        way = device.IMAGE if transposed else device.FORWARD
        steps = how.padding, how.stride, how.dilation
        found = device.library_request(way, operands, bias, size, steps, groups)
        if found is not None:
            return found
    # Whatever has no kernel that goes over windows where they lie is a product of copied windows.
    if kind.category != FLOATING or kind in dtypes.FLOAT8 or state.thread.planner is not None:
        given: list[Any] = [None if t is None else t.detach() for t in (input, weight, bias)]
        if kind is dtypes.complex32:
            return Computed([spec], lambda: _in_wider(given, how, transposed, extra))
        return Computed([spec], lambda: _by_columns(given, how, transposed, extra))
    on_amx = amx_suits(input, how.kernel, size[1], prod(size[2:]) * size[0], groups)
    if on_amx and not transposed:
        make_axis = whole_axis
    axes = [
        make_axis(*of)
        for of in zip(input._size_[2:], how.kernel, how.stride, how.padding, how.dilation, size[2:])
    ]
    inputs = (input, weight) if bias is None else (input, weight, bias)
    if on_amx:
        return AmxConvolution(inputs, axes, 1 - transposed, [spec])
    return Convolution(inputs, axes, groups, 1 - transposed, [spec])


@planned("_convolution_weight_gradient")
def weight_gradient(
    grad: Tensor, input: Tensor, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints,
    groups: int,
) -> Request:  # fmt: skip
    """What a convolution's weight changes in its result, weighted by the result's gradient."""
    size = [grad._size_[1], input._size_[1] // groups, *kernel]
    kind = input._dtype_
    spec = contiguous_spec(size, kind)
    if state.thread.planner is not None:
        from rushlight.engine.ops.windows import device_convolution as device

        steps = padding, stride, dilation
        found = device.library_request(device.WEIGHTS, (input, grad), None, size, steps, groups)
        if found is not None:
            return found
    if kind.category != FLOATING or state.thread.planner is not None:
        given = (grad.detach(), input.detach())
        return Computed(
            [spec], lambda: _weight_by_columns(*given, kernel, stride, padding, dilation, groups)
        )
    if groups == input._size_[1] == grad._size_[1] > 1:
        axes = [
            convolution_axis(*of)
            for of in zip(input._size_[2:], kernel, stride, padding, dilation, grad._size_[2:])
        ]
        return DepthwiseWeightGradient((grad, input), axes, [spec])
    axes = [
        whole_axis(*of)
        for of in zip(input._size_[2:], kernel, stride, padding, dilation, grad._size_[2:])
    ]
    if amx_suits(input, kernel, grad._size_[1], grad._numel_ // max(grad._size_[1], 1), groups):
        return AmxWeightGradient((grad, input), axes, [spec])
    # The one with fewer channels is rearranged.
    single = prod(kernel) == 1 and grad._size_[2:] == input._size_[2:]
    turned = (
        single and groups == 1 and all(a.plain for a in axes) and input._size_[1] > grad._size_[1]
    )
    return WeightGradient((grad, input), axes, groups, [spec], turned)


# -- types and devices without a kernel --


def _columns(
    image: Any, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, size: Ints
) -> Any:
    """The first ``size`` windows as columns: batch, a channel's elements, positions."""
    count = len(kernel)
    found = windows(padded(image, padding, padding), kernel, stride, dilation)
    for d, n in enumerate(size, 2):
        found = view.slice_Tensor(found, d, 0, n, 1)
    inner = [*range(2 + count, 2 + 2 * count), *range(2, 2 + count)]
    rows = image._size_[1] * prod(kernel)
    positions = prod(found._size_[2 : 2 + count])
    return found.permute([0, 1, *inner]).reshape([image._size_[0], rows, positions])


def _by_columns(given: Sequence[Any], how: _Settings, transposed: bool, extra: Ints) -> Any:
    image, weight, bias = given
    if transposed:
        image, weight, how = _as_plain(image, weight, how, extra)
    size = _convolved_size(image, weight, None, how)
    batch, outputs, *spatial = size
    groups, rows = how.groups, prod(weight._size_[1:])
    columns = _columns(image, how.kernel, how.stride, how.padding, how.dilation, spatial)
    split = columns.reshape([batch, groups, rows, prod(spatial)])
    made = functions.matmul(weight.reshape([groups, outputs // groups, rows]), split).reshape(size)
    return made if bias is None else made + bias.reshape([-1] + [1] * len(spatial))


def _in_wider(given: Sequence[Any], how: _Settings, transposed: bool, extra: Ints) -> Any:
    """A convolution in complex numbers of half precision, for which there are no products."""
    wide = [None if t is None else copies.to_dtype(t, dtypes.complex64) for t in given]
    return copies.to_dtype(_by_columns(wide, how, transposed, extra), dtypes.complex32)


def _as_plain(image: Any, weight: Any, how: _Settings, extra: Ints) -> tuple[Any, Any, _Settings]:
    """A transposed convolution as one of the spaced-out image with the mirrored weight."""
    groups = how.groups
    inputs, per_group = weight._size_[:2]
    mirrored = weight.flip(list(range(2, len(weight._size_))))
    split = mirrored.reshape([groups, inputs // groups, per_group, *how.kernel])
    turned = split.transpose(1, 2).reshape([groups * per_group, inputs // groups, *how.kernel])
    before = [r - 1 - p for r, p in zip(reach(how.kernel, how.dilation), how.padding)]
    after = [n + e for n, e in zip(before, extra)]
    wide = padded(_spaced(image, how.stride), before, after)
    return wide, turned, _Settings(turned, [1], [0], how.dilation, groups)


def _weight_by_columns(
    grad: Any, image: Any, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Any:
    batch, outputs = grad._size_[:2]
    per_group = image._size_[1] // groups
    if image._dtype_ is dtypes.complex32:
        grad, image = (copies.to_dtype(t, dtypes.complex64) for t in (grad, image))
        made = _weight_by_columns(grad, image, kernel, stride, padding, dilation, groups)
        return copies.to_dtype(made, dtypes.complex32)
    columns = _columns(image, kernel, stride, padding, dilation, grad._size_[2:])
    positions = prod(grad._size_[2:])
    split = columns.reshape([batch, groups, per_group * prod(kernel), positions])
    rows = grad.reshape([batch, groups, outputs // groups, positions])
    made = functions.matmul(rows, split.transpose(-1, -2)).sum(0)
    return made.reshape([outputs, per_group, *kernel])


@composite("convolution_backward")
def convolution_backward(
    grad_output: Any, input: Any, weight: Any, bias_sizes: Any, stride: Ints, padding: Ints,
    dilation: Ints, transposed: bool, output_padding: Ints, groups: int, output_mask: Any,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The gradients of a convolution, those that the mask asks for."""
    return gradients(
        grad_output, input, weight, stride, padding, dilation, transposed, groups, output_mask
    )


def gradients(
    grad: Any, input: Any, weight: Any, stride: Ints, padding: Ints, dilation: Ints,
    transposed: bool, groups: int, wanted: Any,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """A convolution's gradients: a convolution the other way round, and one for the weight."""
    how = _Settings(weight, stride, padding, dilation, groups)
    d_input = d_weight = d_bias = None
    count = len(how.kernel)
    # Where the result's channels are the innermost, so are those of the gradients.
    found = (formats.suggested(t) for t in (input, weight))
    format = next((f for f in found if f is not layouts.contiguous_format), None)
    if format is not None and formats.suggested(grad) is not format:
        grad = copies.clone(grad, format)
    if wanted[0]:
        extra = [0] * count
        if not transposed:
            lengths = (grad._size_[2:], how.kernel, how.stride, how.padding, how.dilation)
            extra = missing(input._size_[2:], *lengths)
        d_input = calls.convolution(
            grad, conj(weight), None, how.stride, how.padding, how.dilation, not transposed,
            extra, groups,
        )  # fmt: skip
        # Windows that lie within a large output padding belong to no element.
        for d, n in enumerate(input._size_[2:], 2):
            if d_input._size_[d] != n:
                d_input = d_input.narrow(d, 0, n)
    if wanted[1]:
        small, large = (conj(input), grad) if transposed else (grad, conj(input))
        d_weight = calls._convolution_weight_gradient(
            small, large, how.kernel, how.stride, how.padding, how.dilation, groups
        )
        if format is not None:
            d_weight = copies.clone(d_weight, format)
    if wanted[2]:
        d_bias = grad.sum([0, *range(2, 2 + count)])
    return d_input, d_weight, d_bias


@composite("conv_tbc")
def conv_tbc(self: Any, weight: Any, bias: Any, pad: int) -> Any:
    """A convolution over time, of time-major sequences."""
    made = _convolve(
        "conv_tbc", 1, self.permute([1, 2, 0]), weight.permute([2, 1, 0]), bias,
        _Settings(weight.permute([2, 1, 0]), [1], [pad], [1], 1),
    )  # fmt: skip
    return made.permute([2, 0, 1])
