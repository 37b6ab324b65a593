"""Images read at places by operators that everything is known about: gradients, batches, devices."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

from rushlight.engine.calls import pointwise as calls
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.generated import functions
from rushlight.engine.ops.pointwise.pixel_places import NEAREST
from rushlight.engine.ops.resampling.sampling_kernel import TAPS

# Larger results are made neighbour by neighbour along all dimensions but the last.
_AT_ONCE = 1 << 16


def _neighbours(place: Any, n: int, mode: int, padding: int, align_corners: bool) -> Any:
    """For places along one dimension: the pixels around each, and how much each of them counts.

    Places and pixels are rows; of pixels there is a row for each neighbour.
    """
    place = calls._pixel_place(place, n, mode, padding, align_corners).unsqueeze(1)
    taps = _taps(TAPS[mode], place)
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


def summed(input: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
    """The sums of the pixels around each place, each times its share."""
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


def image_gradient(grad: Any, input: Any, grid: Any, *how: Any) -> Any:
    """Every pixel gets its share of the gradient of each place that it is near to."""
    index, share, _ = _every_neighbour(input, grid, *how)
    batch, channels = input.shape[:2]
    share = functions.where(index >= 0, 1 if share is None else share, 0)
    parts = (grad.unsqueeze(2) * share.unsqueeze(1)).flatten(2)
    pixels: Any = grad.new_zeros(batch, channels, prod(input.shape[2:]))
    return pixels.scatter_add(2, _flat(index, channels), parts).reshape(input.shape)


def place_gradient(grad: Any, input: Any, grid: Any, *how: Any) -> Any:
    """How the sums of gradients times what is read change with each coordinate."""
    index, _, slopes = _every_neighbour(input, grid, *how)
    if slopes is None:
        # Nothing, but recorded: it depends on what is given.
        nothing = grad.narrow(2, 0, 0).sum() + grid.narrow(1, 0, 0).sum()
        return functions.zeros_like(grid) + nothing
    pixels = input.flatten(2)
    seen = pixels.gather(2, _flat(index, input.shape[1]))
    seen = seen.reshape(*pixels.shape[:2], *index.shape[1:])
    seen = functions.where(index.unsqueeze(1) >= 0, seen, 0)
    change = (seen * grad.unsqueeze(2)).sum(1)
    return functions.stack([(change * slope).sum(1) for slope in slopes], -1)


def _flat(index: Any, channels: int) -> Any:
    """The pixels of all neighbours, for each channel; the first one instead of none."""
    return index.clamp_min(0).flatten(1).unsqueeze(1).expand(-1, channels, -1)


def _every_neighbour(
    input: Any, grid: Any, mode: int, padding: int, align_corners: bool
) -> tuple[Any, Any, Any]:
    """The pixels near a row of places: which, their shares, and how these change with coordinates."""
    how = mode, padding, align_corners
    inside = input.shape[2:]
    places = grid.unbind(-1)[::-1]
    along = [_neighbours(at, n, *how) for at, n in zip(places, inside)]
    if mode == NEAREST:
        return *_all_pairs(along, inside), None
    taps = _taps(TAPS[mode], grid)
    slopes = [calls._pixel_slope(at.unsqueeze(1), taps, n, *how) for at, n in zip(places, inside)]
    # The last dimension of the image is the first coordinate.
    changes = []
    for d in reversed(range(len(inside))):
        changed = [
            (index, slopes[k] if k == d else share) for k, (index, share) in enumerate(along)
        ]
        changes.append(_all_pairs(changed, inside)[1])
    return *_all_pairs(along, inside), changes


def _all_pairs(along: Any, inside: Any) -> tuple[Any, Any]:
    """The neighbours over all dimensions from those along each."""
    found = along[0]
    for n, more in zip(inside[1:], along[1:]):
        found = _joined(found, n, more)
    return found  # type: ignore[no-any-return]
