"""Images read at places between their pixels."""

from __future__ import annotations

from itertools import product
from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated import functions
from rushlight.engine.ops.kinds.views import composite

LINEAR, NEAREST, CUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2


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
    if input.dim() not in (4, 5) or grid.dim() != input.dim():
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but "
            f"got input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
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
    if input.dim() == 5 and mode == CUBIC:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")


def _in_pixels(at: Any, n: int, align_corners: bool) -> Any:
    """Coordinates between -1 and 1 as numbers of pixels."""
    return (at + 1) * ((n - 1) / 2) if align_corners else (at + 1) * (n / 2) - 0.5


def _brought_inside(at: Any, n: int, padding: int, align_corners: bool) -> Any:
    """Places outside of the image moved to its border, or reflected there."""
    if padding == ZEROS:
        return at
    if padding == REFLECTION:
        low, span = (0.0, float(n - 1)) if align_corners else (-0.5, float(n))
        if span == 0:
            at = at * 0
        else:
            away = (at - low).abs()
            rest = away.fmod(span)
            turned = (away.detach() / span).floor().fmod(2) != 0
            at = functions.where(turned, span - rest, rest) + low
    # Nothing changes with a place that lies on the border.
    inside = (at > 0) & (at < n - 1)
    return functions.where(inside, at, at.detach().clamp(0, n - 1))


def _cubic_weights(t: Any) -> list[Any]:
    """Weights of four neighbours, for a place ``t`` behind the second."""
    a = -0.75

    def near(x: Any) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _taps(at: Any, n: int, mode: int, padding: int, align_corners: bool) -> list[tuple[Any, Any]]:
    """Along one dimension: pixels (as floats, perhaps outside) and their weights."""
    at = _in_pixels(at, n, align_corners)
    if mode == CUBIC:
        first = at.detach().floor()
        pixels = [first + k for k in (-1, 0, 1, 2)]
        inside = [_brought_inside(pixel, n, padding, align_corners) for pixel in pixels]
        return list(zip(inside, _cubic_weights(at - first)))
    at = _brought_inside(at, n, padding, align_corners)
    if mode == NEAREST:
        # The gradient of the place is zero, but there is one, which depends on the gradient given.
        share = (at - at.detach()) * 0 + 1 if at.requires_grad else None
        return [(at.detach().round(), share)]
    first = at.detach().floor()
    return [(first, first + 1 - at), (first + 1, at - first)]


def _sampled(input: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    batch, channels, *inside = input.shape
    outside = grid.shape[1:-1]
    count = len(inside)
    places = grid.reshape(batch, 1, -1, count)
    taps = [
        _taps(places[..., count - 1 - d], n, mode, padding, align_corners)
        for d, n in enumerate(inside)
    ]
    pixels = input.flatten(2)
    total: Any = 0
    for corner in product(*taps):
        flat: Any = 0
        weight: Any = None
        seen: Any = True
        for n, (pixel, share) in zip(inside, corner):
            seen = ((pixel >= 0) & (pixel <= n - 1)) & seen
            flat = flat * n + pixel.clamp(0, n - 1).nan_to_num().long()
            if share is not None:
                weight = share if weight is None else weight * share
        taken = pixels.gather(2, flat.expand(-1, channels, -1))
        part = taken if weight is None else taken * weight
        total = total + functions.where(seen, part, 0)
    return total.reshape(batch, channels, *outside)


def _register(name: str) -> None:
    def sampler(input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool) -> Any:
        _check(input, grid, mode)
        return _sampled(input, grid, mode, padding, align_corners)

    composite(name)(sampler)


for _name in ("grid_sampler", "grid_sampler_2d", "grid_sampler_3d"):
    _register(_name)
