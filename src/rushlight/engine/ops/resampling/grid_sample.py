"""Images read at places between their pixels."""

from __future__ import annotations

from math import prod
from typing import Any

from rushlight.engine.calls import resampling
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated import functions
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.pointwise.pixel_places import CUBIC
from rushlight.engine.ops.resampling.neighbours import summed
from rushlight.engine.ops.resampling.sampled_pixels import has_kernel


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


def _sampled(input: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    if has_kernel(input, grid):
        outside = grid.shape[1:-1]
        places = grid.reshape(grid.shape[0], prod(outside), grid.shape[-1])
        found: Any = resampling._sampled_pixels(input, places, mode, padding, align_corners)
        return found.reshape(*input.shape[:2], *outside)
    return summed(input, grid, mode, padding, align_corners)


def _register(name: str) -> None:
    def sampler(input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool) -> Any:
        _check(input, grid, mode)
        return _sampled(input, grid, mode, padding, align_corners)

    composite(name)(sampler)


for _name in ("grid_sampler", "grid_sampler_2d", "grid_sampler_3d"):
    _register(_name)
