"""Images read at places, and the gradients of that, by one kernel each."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import creation
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, objects, state, symbolic
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.plan import Loop
from rushlight.engine.ops.kinds.planned import (
    Built,
    Computed,
    Request,
    Spec,
    Target,
    contiguous_spec,
    planned,
)
from rushlight.engine.ops.kinds.views import cuda
from rushlight.engine.ops.pointwise.pixel_places import NEAREST
from rushlight.engine.ops.resampling import neighbours
from rushlight.engine.ops.resampling.sampling_kernel import (
    TAPS,
    ImageGradient,
    PlaceGradient,
    Sampling,
    SamplingKernel,
    sampling_address,
)

_KINDS = (dtypes.float32, dtypes.float64)


def has_kernel(input: Tensor, grid: Tensor) -> bool:
    """Whether these are elements in memory, and no batches nor traces are wanted."""
    seen = keys.INFERENCE | keys.AUTOGRAD
    return (
        input._keys_ & ~seen == grid._keys_ & ~seen == keys.CPU
        and all(x._dtype_ in _KINDS and x._numel_ > 0 for x in (input, grid))
        and not (state.active and state.thread.included & ~keys.INFERENCE)
    )


# How many elements the widest vectors have.
_MOST_LANES = 16


class _Request(Request):
    """A kernel's call on images (batch, channels, ...) and places (batch, places, coordinates)."""

    form: type[SamplingKernel]
    # Which of channels, places and images threads may share.
    splittable: list[int]

    def __init__(self, inputs: tuple[Tensor, ...], spec: Spec, how: tuple[int, int, bool]) -> None:
        self.inputs = inputs
        self.specs = [spec]
        self.how = how

    def operands(self) -> tuple[list[list[int]], Spec, Sequence[int]]:
        """The operands' strides along channels, places and images; the images; how many of each."""
        raise NotImplementedError

    def build(self, targets: Sequence[Target]) -> Built:
        strides, (size, image_strides, kind), count = self.operands()
        item, inside = kind.itemsize, list(zip(size[2:], image_strides[2:]))
        table = [w for n, step in inside for w in (n, step * item)]
        words = symbolic.words([*table, self.inputs[-1]._stride_[2] * item])
        strides = [[step * item for step in each] for each in strides]
        tensors = len(strides)
        kinds = [(objects.TENSOR_OPERAND, item)] * tensors + [(objects.CONSTANT_OPERAND, 8)]
        work = size[0] * size[1] * count[1] * item * 4 * TAPS[self.how[0]] ** len(inside)
        steps = [abs(each[1]) * _MOST_LANES for each in strides]
        extent = sum((n - 1) * abs(step) * item for n, step in inside)
        index = "i32" if all(x < 1 << 31 for x in (extent, *steps)) else "i64"
        kernel = sampling_address(self.form, kind, index, len(inside), self.how)
        loop = Loop(
            kernel, count, [*strides, [0, 0, 0]], kinds, 2, self.splittable, work,
            [0] * tensors + [ctypes.addressof(words)], words,
        )  # fmt: skip
        return loop, []


def _spec(x: Tensor) -> Spec:
    return x._size_, x._stride_, x._dtype_


def _elements(spec: Spec) -> list[int]:
    """The strides of (batch, channels, places)."""
    return [spec[1][1], spec[1][2], spec[1][0]]


def _images(spec: Spec) -> list[int]:
    return [spec[1][1], 0, spec[1][0]]


def _places(spec: Spec) -> list[int]:
    return [0, spec[1][1], spec[1][0]]


class _Sampling(_Request):
    form = Sampling
    splittable = [1, 2]

    def operands(self) -> tuple[list[list[int]], Spec, Sequence[int]]:
        image, places = map(_spec, self.inputs)
        batch, channels, count = self.specs[0][0]
        strides = [_elements(self.specs[0]), _images(image), _places(places)]
        return strides, image, (channels, count, batch)


class _ImageGradient(_Request):
    form = ImageGradient
    splittable = [0, 2]

    def operands(self) -> tuple[list[list[int]], Spec, Sequence[int]]:
        grad, places = map(_spec, self.inputs)
        image = self.specs[0]
        batch, channels, count = grad[0]
        strides = [_images(image), _elements(grad), _places(places)]
        return strides, image, (channels, count, batch)


class _PlaceGradient(_Request):
    form = PlaceGradient
    splittable = [1, 2]

    def operands(self) -> tuple[list[list[int]], Spec, Sequence[int]]:
        grad, image, places = map(_spec, self.inputs)
        batch, channels, count = grad[0]
        strides = [_places(self.specs[0]), _elements(grad), _images(image), _places(places)]
        return strides, image, (channels, count, batch)


@planned("_sampled_pixels")
def sampled_pixels(
    input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool
) -> Request:
    spec = contiguous_spec((*input._size_[:2], grid._size_[1]), input._dtype_)
    return _Sampling((input, grid), spec, (mode, padding, align_corners))


@planned("_sampled_image_gradient")
def sampled_image_gradient(
    grad: Tensor, input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool
) -> Request:
    spec = contiguous_spec(input._size_, input._dtype_)
    return _ImageGradient((grad, grid), spec, (mode, padding, align_corners))


@planned("_sampled_place_gradient")
def sampled_place_gradient(
    grad: Tensor, input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool
) -> Request:
    spec = contiguous_spec(grid._size_, grid._dtype_)
    if mode == NEAREST:
        return Computed([spec], lambda: creation.zeros_like(grid))
    return _PlaceGradient((grad, input, grid), spec, (mode, padding, align_corners))


@cuda("_sampled_pixels")
def sampled_on_device(input: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    """By the operators that `grid_sample` itself asks there."""
    batch, places, count = grid.shape
    rows = grid.reshape(batch, *[1] * (count - 1), places, count)
    return neighbours.summed(input, rows, mode, padding, align_corners).flatten(2)


cuda("_sampled_image_gradient")(neighbours.image_gradient)
cuda("_sampled_place_gradient")(neighbours.place_gradient)
