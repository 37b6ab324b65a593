"""Memory formats: the strides that a requested format means for a shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import size as sizes
from rushlight.engine.core.layout import memory_format
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry


def strides_in(size: tuple[int, ...], format: memory_format | None) -> tuple[int, ...]:
    """Strides of a new tensor in an explicit format; None means contiguous."""
    if format is None or format is layouts.contiguous_format:
        return sizes.contiguous_strides(size)
    for wanted, ndim in ((layouts.channels_last, 4), (layouts.channels_last_3d, 5)):
        if format is wanted:
            if len(size) != ndim:
                raise RuntimeError(f"required rank {ndim} tensor to use {format._name} format")
            return sizes.channels_last_strides(size)
    raise RuntimeError(
        f"unsupported memory format option {'Preserve' if format is layouts.preserve_format else format}"
    )


def strides_like(tensor: Tensor, format: memory_format | None) -> tuple[int, ...]:
    """Strides of a new tensor like another one; None or preserve_format keeps its layout."""
    if format is not None and format is not layouts.preserve_format:
        return strides_in(tensor._size_, format)
    if sizes.is_dense(tensor._size_, tensor._stride_) and _is_plain(tensor):
        return tensor._stride_
    return geometry.output_strides(tensor._size_, [(tensor._size_, tensor._stride_)])


def _is_plain(tensor: Tensor) -> bool:
    """Whether strides of dimensions of size 1 are what a fresh tensor would have."""
    return not sizes.is_contiguous(tensor._size_, tensor._stride_) or (
        tensor._stride_ == sizes.contiguous_strides(tensor._size_)
    )


def is_in_format(tensor: Tensor, format: Any) -> bool:
    """Whether a tensor's elements lie as the format says."""
    if format in (layouts.contiguous_format, layouts.preserve_format, None):
        return sizes.is_contiguous(tensor._size_, tensor._stride_)
    wanted = 4 if format is layouts.channels_last else 5
    return len(tensor._size_) == wanted and sizes.is_channels_last(tensor._size_, tensor._stride_)


def is_suggested(tensor: Tensor, format: Any) -> bool:
    """Whether a tensor's strides say that this is the format it is meant to have.

    Dimensions of size 1 make a tensor lie in several formats at once; their strides decide.
    """
    ndim = len(tensor._size_)
    found = layouts.contiguous_format
    if ndim in (4, 5) and _means_channels_last(tensor._size_, tensor._stride_):
        found = layouts.channels_last if ndim == 4 else layouts.channels_last_3d
    return found is format


def suggested_strides(size: Sequence[int], *given: Tensor) -> tuple[int, ...]:
    """Strides of a new tensor whose channels are the innermost if those of a given one are."""
    shape = tuple(size)
    if len(shape) in (4, 5) and any(
        suggested(tensor) is not layouts.contiguous_format for tensor in given
    ):
        return sizes.channels_last_strides(shape)
    return sizes.contiguous_strides(shape)


def strides_as_it_lies(image: Tensor) -> tuple[int, ...]:
    """Strides of a result whose channels are the innermost if those of the image happen to be."""
    size, stride = image._size_, image._stride_
    if not sizes.is_contiguous(size, stride) and sizes.is_channels_last(size, stride):
        return sizes.channels_last_strides(size)
    return suggested_strides(size, image)


def laid_out_like(made: Tensor, image: Tensor) -> Tensor:
    """A result in the format that an image is meant to have."""
    wanted = suggested(image)
    if suggested(made) is wanted:
        return made
    # Not `clone`: what a program asks of that is refused for elements of a batch.
    return copies._to_copy(made, memory_format=wanted)


def suggested(tensor: Tensor) -> memory_format:
    """The format that a tensor's strides say it is meant to have."""
    for format in (layouts.channels_last, layouts.channels_last_3d):
        if is_suggested(tensor, format):
            return format
    return layouts.contiguous_format


def _means_channels_last(size: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    """Whether strides grow from the channels over the last dimension to the first."""
    if stride[1] == 0:
        return False
    least = 0
    for d in (1, *range(len(size) - 1, 1, -1), 0):
        if size[d] == 0 or stride[d] < least or (d == 0 and least == stride[1]):
            return False
        least = stride[d] * max(size[d], 1)
    return True
