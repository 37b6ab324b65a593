"""Convolutions as matrix products: windows become columns, which the weights multiply.

A direct kernel that needs no columns is faster for large images; these are the general forms.
"""

from __future__ import annotations

from math import prod
from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated import functions
from rushlight.engine.generated.calls import indexing, view
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.windows.sizes import Ints, for_each, padding_list, reach


def windows(image: Any, kernel: Ints, stride: Ints, dilation: Ints) -> Any:
    """A view of all windows: the leading dimensions, the windows' positions, their elements."""
    count = len(kernel)
    first = len(image._size) - count
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
        count = len(weight._size) - 2
        self.kernel = weight._size[2:]
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


def _check(input: Tensor, weight: Tensor, bias: Tensor | None, channels: int, outputs: int) -> None:
    if input._dtype is not weight._dtype:
        raise RuntimeError(
            f"Input type ({input._dtype}) and weight type ({weight._dtype}) should be the same"
        )
    if bias is not None and bias._dtype is not input._dtype:
        raise RuntimeError(
            f"Input type ({input._dtype}) and bias type ({bias._dtype}) should be the same"
        )
    if input._size[1] != channels:
        raise RuntimeError(
            f"Given groups, weight of size {list(weight._size)}, expected input{list(input._size)} "
            f"to have {channels} channels, but got {input._size[1]} channels instead"
        )
    if bias is not None and bias._size != (outputs,):
        raise RuntimeError(
            f"Given weight of size {list(weight._size)}, expected bias to be 1-dimensional with "
            f"{outputs} elements, but got bias of size {list(bias._size)} instead"
        )


def _batched(name: str, input: Tensor, weight: Tensor, count: int) -> tuple[Any, bool]:
    """The input with a batch dimension, and whether it came with one."""
    dims = len(input._size)
    if len(weight._size) != count + 2:
        raise RuntimeError(
            f"weight should have at least three dimensions: expected {count + 2}-dimensional "
            f"weight, but got weight of size {list(weight._size)}"
        )
    if dims not in (count + 1, count + 2):
        raise RuntimeError(
            f"Expected {count + 1}D (unbatched) or {count + 2}D (batched) input to {name}, but got "
            f"input of size: {list(input._size)}"
        )
    return (input, True) if dims == count + 2 else (view.unsqueeze(input, 0), False)


def _flat(kernel: Ints, stride: Ints, padding: Ints) -> bool:
    """Whether every window is one element, and every element a window."""
    return set(kernel) <= {1} and set(stride) <= {1} and not any(padding)


def _columns(image: Any, how: _Settings) -> Any:
    """The windows as columns: batch, a channel's elements, positions."""
    count = len(how.kernel)
    if _flat(how.kernel, how.stride, how.padding):
        return image.flatten(2)
    if count <= 2 and image._numel:
        flat = (1,) * (2 - count)
        return indexing.im2col(
            image.unsqueeze(2) if count == 1 else image,
            (*flat, *how.kernel),
            (*flat, *how.dilation),
            (*((0,) * (2 - count)), *how.padding),
            (*flat, *how.stride),
        )
    found = windows(padded(image, how.padding, how.padding), how.kernel, how.stride, how.dilation)
    inner = [*range(2 + count, 2 + 2 * count), *range(2, 2 + count)]
    rows = image._size[1] * prod(how.kernel)
    positions = prod(found._size[2 : 2 + count])
    return found.permute([0, 1, *inner]).reshape([image._size[0], rows, positions])


def _with_bias(made: Any, bias: Any, count: int) -> Any:
    return made if bias is None else made + bias.reshape([-1] + [1] * count)


def _convolve(name: str, count: int, input: Tensor, weight: Any, bias: Any, how: _Settings) -> Any:
    image, was_batched = _batched(name, input, weight, count)
    outputs, per_group = weight._size[:2]
    groups = how.groups
    _check(image, weight, bias, per_group * groups, outputs)
    if outputs < groups or outputs % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, "
            f"but got weight of size {list(weight._size)} instead"
        )
    room = [n + 2 * p for n, p in zip(image._size[2:], how.padding)]
    size = [(n - r) // s + 1 for n, r, s in zip(room, reach(how.kernel, how.dilation), how.stride)]
    if 0 in how.kernel or min(size, default=1) <= 0:
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, room))}). Kernel "
            f"size: ({' x '.join(map(str, how.kernel))}). Kernel size can't be greater than actual "
            f"input size"
        )
    columns = _columns(image, how)
    rows = per_group * prod(how.kernel)
    batch = image._size[0]
    if groups == 1:
        product = functions.matmul(weight.reshape([outputs, rows]), columns)
    else:
        split = columns.reshape([batch, groups, rows, prod(size)])
        product = functions.matmul(weight.reshape([groups, outputs // groups, rows]), split)
    made = _with_bias(product.reshape([batch, outputs, *size]), bias, count)
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


def _folded(columns: Any, size: Ints, how: _Settings) -> Any:
    """Images in which the windows' elements are summed."""
    count = len(size)
    flat, none = (1,) * (2 - count), (0,) * (2 - count)
    made = indexing.col2im(
        columns,
        (*flat, *size),
        (*flat, *how.kernel),
        (*flat, *how.dilation),
        (*none, *how.padding),
        (*flat, *how.stride),
    )
    return made.squeeze(2) if count == 1 else made  # type: ignore[attr-defined]


def _spaced(image: Any, stride: Ints) -> Any:
    """The image with ``stride - 1`` zeros between neighbours."""
    for d, step in enumerate(stride, 2):
        if step > 1:
            apart = functions.constant_pad_nd(image.unsqueeze(d + 1), _behind(image, d, step))
            length = (image._size[d] - 1) * step + 1
            image = view.slice_Tensor(apart.flatten(d, d + 1), d, 0, length, 1)
    return image


def _behind(image: Any, dim: int, step: int) -> list[int]:
    """The padding that puts ``step - 1`` zeros behind the dimension that follows ``dim``."""
    after = len(image._size) - 1 - dim
    return [0, 0] * after + [0, step - 1]


def _transposed_by_convolution(image: Any, weight: Any, how: _Settings, extra: Ints) -> Any:
    """The transposed convolution: one of the spaced-out image with the mirrored weight."""
    groups = how.groups
    inputs, per_group = weight._size[:2]
    mirrored = weight.flip(list(range(2, len(weight._size))))
    split = mirrored.reshape([groups, inputs // groups, per_group, *how.kernel])
    turned = split.transpose(1, 2).reshape([groups * per_group, inputs // groups, *how.kernel])
    before = [r - 1 - p for r, p in zip(reach(how.kernel, how.dilation), how.padding)]
    after = [n + e for n, e in zip(before, extra)]
    wide = padded(_spaced(image, how.stride), before, after)
    plain = _Settings(turned, [1], [0], how.dilation, groups)
    return _convolve("conv_transpose", len(how.kernel), wide, turned, None, plain)


def _transposed_by_columns(image: Any, weight: Any, how: _Settings, size: Ints) -> Any:
    groups = how.groups
    inputs, per_group = weight._size[:2]
    rows = per_group * prod(how.kernel)
    batch = image._size[0]
    split = image.reshape([batch, groups, inputs // groups, prod(image._size[2:])])
    turned = weight.reshape([groups, inputs // groups, rows]).transpose(1, 2)
    columns = functions.matmul(turned, split).reshape([batch, groups * rows, -1])
    return _folded(columns, size, how)


def _convolve_transposed(
    name: str, count: int, input: Tensor, weight: Any, bias: Any, how: _Settings, extra: Ints
) -> Any:
    image, was_batched = _batched(name, input, weight, count)
    inputs, per_group = weight._size[:2]
    extra = for_each("output_padding", extra, count)
    _check(image, weight, bias, inputs, per_group * how.groups)
    if inputs % how.groups:
        raise RuntimeError(
            f"Given groups={how.groups}, expected weight to be divisible by {how.groups} at "
            f"dimension 0, but got weight of size {list(weight._size)} instead"
        )
    if any(e < 0 for e in extra):
        raise RuntimeError("negative output_padding is not supported")
    if any(e >= max(s, d) for e, s, d in zip(extra, how.stride, how.dilation)):
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got "
            f"output_padding: {tuple(extra)}, stride: {how.stride}, dilation: {how.dilation}"
        )
    size = [
        (n - 1) * s - 2 * p + r + e
        for n, s, p, r, e in zip(
            image._size[2:], how.stride, how.padding, reach(how.kernel, how.dilation), extra
        )
    ]
    if min(size, default=1) <= 0:
        raise RuntimeError(
            f"Given input size per channel: {list(image._size[2:])}. Calculated output size per "
            f"channel: {size}. Output size is too small"
        )
    if count <= 2 and image._numel and all(e < s for e, s in zip(extra, how.stride)):
        made = _transposed_by_columns(image, weight, how, size)
    else:
        made = _transposed_by_convolution(image, weight, how, extra)
    made = _with_bias(made, bias, count)
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


@composite("convolution")
def convolution(
    input: Tensor, weight: Tensor, bias: Any, stride: Ints, padding: Ints, dilation: Ints,
    transposed: bool, output_padding: Ints, groups: int,
) -> Any:  # fmt: skip
    how = _Settings(weight, stride, padding, dilation, groups)
    count = len(weight._size) - 2
    if transposed:
        return _convolve_transposed("convolution", count, input, weight, bias, how, output_padding)
    return _convolve("convolution", count, input, weight, bias, how)


@composite("conv_tbc")
def conv_tbc(self: Any, weight: Any, bias: Any, pad: int) -> Any:
    """A convolution over time, of time-major sequences."""
    made = _convolve(
        "conv_tbc", 1, self.permute([1, 2, 0]), weight.permute([2, 1, 0]), bias,
        _Settings(weight.permute([2, 1, 0]), [1], [pad], [1], 1),
    )  # fmt: skip
    return made.permute([2, 0, 1])
