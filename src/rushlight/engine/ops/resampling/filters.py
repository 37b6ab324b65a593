"""Images made smaller without losing what lies between: every weight is a filter as wide as a step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.promotion import title
from rushlight.engine.native.numpy_later import np
from rushlight.engine.ops import formats
from rushlight.engine.ops.creation.from_data import shown, tensor_from_data


def _triangle(x: float) -> float:
    return max(0.0, 1.0 - abs(x))


def _cubic(x: float) -> float:
    a, x = -0.5, abs(x)
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def _lanczos(x: float) -> float:
    if x == 0:
        return 1.0
    if abs(x) >= 3:
        return 0.0
    at = math.pi * x
    return math.sin(at) / at * math.sin(at / 3) / (at / 3)


# A filter, and how far it reaches.
MODES: dict[str, tuple[Callable[[float], float], int]] = {
    "bilinear": (_triangle, 1),
    "bicubic": (_cubic, 2),
    "lanczos": (_lanczos, 3),
}


@lru_cache(maxsize=128)
def _weights(
    old: int, new: int, step: float, mode: str, number: Callable[[float], Any]
) -> tuple[tuple[float, ...], ...]:
    """For each new element, the weights of all old ones.

    ``number`` rounds to the image's precision, as the places themselves are rounded to it.
    """
    shape, reach = MODES[mode]
    step = number(step)
    width = max(step, number(1.0))
    narrow = float(number(1.0 / width))
    rows = []
    for i in range(new):
        center = number(float(step) * (i + 0.5))
        first = max(int(float(center - reach * width) + 0.5), 0)
        last = min(int(float(center + reach * width) + 0.5), old)
        found = [
            number(shape(number((float(k - center) + 0.5) * narrow))) for k in range(first, last)
        ]
        total = number(sum(found, number(0.0)))
        row = [0.0] * old
        row[first:last] = [float(weight / total) for weight in found]
        rows.append(tuple(row))
    return tuple(rows)


def smoothed(image: Any, new: list[int], distances: list[float], mode: str) -> Any:
    """An image of another size, as products with the weights along both dimensions."""
    check_images(image, "compute_index_ranges_weights")
    is_bytes = image.dtype is dtypes.uint8
    number = float if is_bytes or image.dtype is dtypes.float64 else np.float32
    rows = [_weights(image.size(d), new[d - 2], distances[d - 2], mode, number) for d in (2, 3)]
    image, first, put_back = in_memory_order(image)
    if is_bytes:
        return put_back(weighted_bytes(image, first, rows))
    for dim, weights in enumerate(rows, first):
        image = _sums_along(image, dim, _constant(weights, image.dtype, image.device))
    return put_back(image)


def in_memory_order(image: Any) -> tuple[Any, int, Callable[[Any], Any]]:
    """An image with its dimensions as they lie in memory.

    Returns:
        the image, the first of the dimensions that windows slide along, and what puts the
        dimensions of a result back
    """
    if formats.suggested(image) is layouts.contiguous_format:
        return image, 2, lambda made: made
    return image.movedim(1, -1), 1, lambda made: made.movedim(-1, 1)


def _sums_along(image: Any, dim: int, weights: Any) -> Any:
    """Weighted sums of what lies along a dimension."""
    if dim == image.dim() - 1:
        return image @ weights.t()
    behind = image.shape[dim + 1 :]
    return (weights @ image.flatten(dim + 1)).unflatten(dim + 1, behind)


def _constant(rows: Sequence[Sequence[float]], kind: Any, device: Any) -> Any:
    """Weights that sizes decide, as a tensor that is never written."""

    def make() -> Any:
        made: Any = shown(tensor_from_data(rows, kind))
        return made.to(device)

    return steps.Constant.of(make)


def check_images(image: Any, what: str, allows_bytes: bool = True) -> None:
    """Only images of floating-point numbers, and flat ones of bytes, have means."""
    allowed = image.dtype.is_floating_point or (allows_bytes and image.dtype is dtypes.uint8)
    if not allowed:
        raise NotImplementedError(f"\"{what}\" not implemented for '{title(image.dtype)}'")


def weighted_bytes(image: Any, first: int, rows: Sequence[Sequence[Sequence[float]]]) -> Any:
    """Weighted means of bytes, from whole numbers alone: along the width, then along the height.

    Args:
        image: a batch of images
        first: the dimension of the height; that of the width is the next
        rows: for the height and for the width, the weights of all old elements for each new one
    """
    for at in (1, 0):
        whole, bits = _whole_weights(rows[at])
        weights = _constant(whole, dtypes.int32, image.device)
        made = _sums_along(image.to(dtypes.int32), first + at, weights)
        image = ((made + (1 << bits >> 1)) >> bits).clamp(0, 255).to(dtypes.uint8)
    return image


def _whole_weights(rows: Sequence[Sequence[float]]) -> tuple[list[list[int]], int]:
    """Weights times the largest power of two with which all are numbers of 16 bits."""
    largest = max(max(row) for row in rows)
    bits = 0
    while bits < 22 and int(0.5 + largest * (1 << (bits + 1))) < 1 << 15:
        bits += 1
    return [[int(w * (1 << bits) + math.copysign(0.5, w)) for w in row] for row in rows], bits


def steps_between(
    old: Sequence[int], new: Sequence[int], align_corners: bool, factors: Sequence[float | None]
) -> list[float]:
    """From a new element to the next one, counted in old elements."""
    if align_corners:
        return [(o - 1) / (n - 1) if n > 1 else 0.0 for o, n in zip(old, new)]
    return [1.0 / f if f else o / n for o, n, f in zip(old, new, factors)]
