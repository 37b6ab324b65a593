"""Images read at places between their pixels."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any

from rushlight.engine.calls import pointwise as calls
from rushlight.engine.calls import resampling
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, objects, state, symbolic
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.generated import functions
from rushlight.engine.loops.plan import Loop
from rushlight.engine.ops.kinds.planned import Built, Request, Target, contiguous_spec, planned
from rushlight.engine.ops.kinds.views import composite, cuda
from rushlight.engine.ops.resampling.sampling_kernel import TAPS, sampling_address

LINEAR, NEAREST, CUBIC = 0, 1, 2


@composite("affine_grid_generator")
def affine_grid_generator(theta: Any, size: Any, align_corners: bool) -> Any:
    """The places that an affine map sends the pixels of an image of a size to."""
    if len(size) not in (4, 5):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    batch, _, *inside = size
    axes = []
    for d, n in enumerate(inside):
        axis: Any = functions.linspace(-1, 1, n, dtype=theta.dtype, device=theta.device)
        if n <= 1:
            axis = axis * 0
        if not align_corners:
            axis = axis * (n - 1) / n
        axes.append(axis.reshape([-1 if k == d else 1 for k in range(len(inside))]).expand(inside))
    ones: Any = functions.ones_like(axes[0])
    # The last dimension of the image is the first coordinate.
    base: Any = functions.stack([*reversed(axes), ones], -1)
    flat = base.reshape(1, -1, len(inside) + 1).expand(batch, -1, -1)
    return flat.bmm(theta.transpose(1, 2)).reshape(batch, *inside, len(inside))


def _check(input: Any, grid: Any, mode: int) -> None:
    if input.dtype != grid.dtype:
        raise RuntimeError(
            "grid_sampler(): expected input and grid to have same dtype, but input has "
            f"{input.dtype} and grid has {grid.dtype}"
        )
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with "
            f"sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if grid.shape[-1] != input.dim() - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {input.dim() - 2} in last dimension, but "
            f"got grid with sizes {list(grid.shape)}"
        )
    for d in range(2, input.dim()):
        if input.shape[d] == 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
                f"sizes {list(input.shape)} with dimension {d} being empty"
            )
    if input.dim() not in (4, 5) or grid.dim() != input.dim():
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but "
            f"got input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if input.dim() == 5 and mode == CUBIC:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")


# Larger results are made neighbour by neighbour along all dimensions but the last.
_AT_ONCE = 1 << 16


def _neighbours(place: Any, n: int, mode: int, padding: int, align_corners: bool) -> Any:
    """For places along one dimension: the pixels around each, and how much each of them counts.

    Places and pixels are rows; of pixels there is a row for each neighbour.
    """
    place = calls._pixel_place(place, n, mode, padding, align_corners).unsqueeze(1)
    taps = _taps(2 if mode == LINEAR else 4 if mode == CUBIC else 1, place)
    index = calls._pixel_index(place.detach(), taps, n, mode, padding, align_corners)
    if mode != NEAREST:
        return index, calls._pixel_share(place, taps, mode)
    # The gradient of the place is zero, but there is one, which depends on the gradient given.
    return index, (place - place.detach()) * 0 + 1 if place.requires_grad else None


def _taps(count: int, like: Any) -> Any:
    """The numbers of the neighbours, as a column."""

    def make() -> Any:
        made: Any = functions.arange(count, dtype=like.dtype, device=like.device)
        return made.reshape(1, count, 1)

    return steps.Constant.of(make)


def _joined(found: Any, n: int, along: Any) -> Any:
    """Pixels over one more dimension: all pairs of neighbours."""
    (rows, shares), (pixels, more) = found, along
    index = calls._joined_index(rows.unsqueeze(2), pixels.unsqueeze(1), n).flatten(1, 2)
    if shares is None:
        return index, None
    return index, (shares.unsqueeze(2) * more.unsqueeze(1)).flatten(1, 2)


def _taken(pixels: Any, found: Any) -> Any:
    """The sums of what neighbouring pixels add, for each channel."""
    index, share = found
    batch, channels, _ = pixels.shape
    flat = index.clamp_min(0).flatten(1).unsqueeze(1).expand(-1, channels, -1)
    seen = pixels.gather(2, flat).reshape(batch, channels, *index.shape[1:])
    index = index.unsqueeze(1)
    if share is None:
        parts: Any = functions.where(index >= 0, seen, 0)
    else:
        parts = calls._seen_share(seen, share.unsqueeze(1), index)
    return parts.sum(2)


def _has_kernel(input: Tensor, grid: Tensor) -> bool:
    """Whether these are elements in memory, and neither gradients nor batches nor traces are wanted."""
    return (
        input._keys_ & ~keys.INFERENCE == grid._keys_ & ~keys.INFERENCE == keys.CPU
        and input._dtype_ in (dtypes.float32, dtypes.float64)
        and not (state.active and state.thread.included & ~keys.INFERENCE)
        and input._numel_ > 0
        and grid._numel_ > 0
    )


class _Sampling(Request):
    """Images of (batch, channels, ...) at places of (batch, places, coordinates)."""

    def __init__(self, input: Tensor, grid: Tensor, *how: Any) -> None:
        self.inputs = (input, grid)
        self.how = how
        size = (*input._size_[:2], grid._size_[1])
        self.specs = [contiguous_spec(size, input._dtype_)]

    def build(self, targets: Sequence[Target]) -> Built:
        input, grid = self.inputs
        kind, item = input._dtype_, input._dtype_.itemsize
        (batch, channels, count), steps_, _ = self.specs[0]
        inside = list(zip(input._size_[2:], input._stride_[2:]))
        table = [w for n, step in inside for w in (n, step * item)]
        words = symbolic.words([*table, grid._stride_[2] * item])
        strides = [
            [steps_[1] * item, item, steps_[0] * item],
            [input._stride_[1] * item, 0, input._stride_[0] * item],
            [0, grid._stride_[1] * item, grid._stride_[0] * item],
            [0, 0, 0],
        ]
        kinds = [(objects.TENSOR_OPERAND, item)] * 3 + [(objects.CONSTANT_OPERAND, 8)]
        work = batch * channels * count * item * 4 * TAPS[self.how[0]] ** len(inside)
        kernel = sampling_address(kind, len(inside), *self.how)
        loop = Loop(
            kernel, [channels, count, batch], strides, kinds, 2, [1, 2], work,
            [0, 0, 0, ctypes.addressof(words)], words,
        )  # fmt: skip
        return loop, []


@planned("_sampled_pixels")
def sampled_pixels(
    input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool
) -> Request:
    return _Sampling(input, grid, mode, padding, align_corners)


def _sampled(input: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    if _has_kernel(input, grid):
        outside = grid.shape[1:-1]
        places = grid.reshape(grid.shape[0], prod(outside), grid.shape[-1])
        found: Any = resampling._sampled_pixels(input, places, mode, padding, align_corners)
        return found.reshape(*input.shape[:2], *outside)
    return _summed(input, grid, mode, padding, align_corners)


def _summed(input: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    """The same of operators that everything is known about: gradients, batches, devices."""
    batch, channels, *inside = input.shape
    outside = grid.shape[1:-1]
    count = len(inside)
    # The last dimension of the image is the first coordinate.
    places = grid.reshape(batch, prod(outside), count).unbind(-1)[::-1]
    along = [_neighbours(at, n, mode, padding, align_corners) for at, n in zip(places, inside)]
    every = prod(index.shape[1] for index, _ in along)
    if every * batch * channels * prod(outside) <= _AT_ONCE:
        choices = [along[:-1]]
    else:
        rows = [range(index.shape[1]) for index, _ in along[:-1]]
        choices = [
            [(index[:, k : k + 1], share if share is None else share[:, k : k + 1])
             for (index, share), k in zip(along, chosen)]
            for chosen in product(*rows)
        ]  # fmt: skip
    pixels = input.flatten(2)
    total: Any = None
    for chosen in choices:
        found = chosen[0]
        for n, more in zip(inside[1:], [*chosen[1:], along[-1]]):
            found = _joined(found, n, more)
        part = _taken(pixels, found)
        total = part if total is None else total + part
    return total.reshape(batch, channels, *outside)


@cuda("_sampled_pixels")
def sampled_on_device(input: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    """By the operators that `grid_sample` itself asks there."""
    batch, places, count = grid.shape
    rows = grid.reshape(batch, *[1] * (count - 1), places, count)
    return _summed(input, rows, mode, padding, align_corners).flatten(2)


def _register(name: str) -> None:
    def sampler(input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool) -> Any:
        _check(input, grid, mode)
        return _sampled(input, grid, mode, padding, align_corners)

    composite(name)(sampler)


for _name in ("grid_sampler", "grid_sampler_2d", "grid_sampler_3d"):
    _register(_name)
