"""Places between the pixels of an image: which pixels are near, and how much each counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import dtype
from rushlight.engine.loops import differentiation, maths
from rushlight.engine.loops.expr import Value, const, convert, floor, rint, select
from rushlight.engine.ops.kinds.pointwise import Args, group, pointwise, rounded_to

LINEAR, NEAREST, CUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2

FLOATS = "hf"
STATIC = ("mode", "padding", "align_corners")


def _int64(common: dtype, args: Args) -> dtype:
    return dtypes.int64


def _rounding(kind: dtype) -> Callable[[Value], Value]:
    """What is done to every intermediate result: half precision knows only its own numbers."""
    return partial(rounded_to, kind) if group(kind) == "h" else lambda x: x


def _inside(kind: dtype, at: Value, n: Value, padding: int, align_corners: bool) -> Value:
    """A place outside of the image moved to its border, or reflected there."""
    if padding == ZEROS:
        return at
    rounded = _rounding(kind)
    if padding == REFLECTION:
        low, span = (0.0, n - 1) if align_corners else (-0.5, n)
        away = abs(rounded(at - low))
        rest = rounded(maths.fmod(away, span))
        half = floor(rounded(away / span)) / 2
        turned = half != floor(half)
        reflected = rounded(select(turned, rounded(span - rest), rest) + low)
        at = select(span > 0, reflected, const(at.type, 0))
    return select(at <= 0, const(at.type, 0), select(at >= n - 1, n - 1, at))


@pointwise("_pixel_place", allowed=FLOATS, typed=True, compiled=STATIC)
def pixel_place(
    kind: dtype, at: Value, n: Any, mode: int, padding: int, align_corners: bool
) -> Value:
    """A coordinate between -1 and 1 as a number of pixels."""
    rounded = _rounding(kind)
    length = n - 1 if align_corners else n
    place = rounded(rounded(at + 1) * (length / 2))
    if not align_corners:
        place = rounded(place - 0.5)
    # Of cubic neighbours each is moved inside by itself.
    return place if mode == CUBIC else _inside(kind, place, n, padding, align_corners)


@pointwise("_pixel_index", allowed=FLOATS, result=_int64, typed=True, compiled=STATIC)
def pixel_index(
    kind: dtype, place: Value, tap: Value, n: Any, mode: int, padding: int, align_corners: bool
) -> Value:
    """The pixel that is the neighbour of this number; -1 if it is outside."""
    return pixel_number(kind, "i64", place, tap, n, mode, padding, align_corners)


def pixel_number(
    kind: dtype, type: str, place: Value, tap: Value, n: Any, mode: int, padding: int, align: bool
) -> Value:
    """The same as a number of this type."""
    pixel = rint(place) if mode == NEAREST else floor(place) + tap
    if mode == CUBIC:
        pixel = _inside(kind, pixel - 1, n, padding, align)
    seen = (pixel >= 0) & (pixel <= n - 1)
    index = convert(select(seen, pixel, const(pixel.type, 0)), type)
    return select(seen, index, const(type, -1))


@pointwise("_pixel_share", allowed=FLOATS, typed=True, compiled=STATIC)
def pixel_share(kind: dtype, place: Value, tap: Value, mode: int) -> Value:
    """How much the neighbour of this number counts."""
    first = floor(place)
    if mode == LINEAR:
        return select(tap < 1, first + 1 - place, place - first)
    rounded = _rounding(kind)
    a, t = -0.75, rounded(place - first)

    def near(x: Value) -> Value:
        inner = rounded(rounded(rounded(x * (a + 2)) - (a + 3)) * x)
        return rounded(rounded(inner * x) + 1)

    def far(x: Value) -> Value:
        inner = rounded(rounded(rounded(rounded(x * a) - 5 * a) * x) + 8 * a)
        return rounded(rounded(inner * x) - 4 * a)

    later = select(tap < 3, near(rounded(1 - t)), far(rounded(2 - t)))
    return select(tap < 1, far(rounded(t + 1)), select(tap < 2, near(t), later))


@pointwise("_pixel_slope", allowed=FLOATS, typed=True, compiled=STATIC)
def pixel_slope(
    kind: dtype, at: Value, tap: Value, n: Any, mode: int, padding: int, align_corners: bool
) -> Value:
    """How much more the neighbour of this number counts as the coordinate grows."""

    def share(at: Value) -> Value:
        place = pixel_place(kind, at, n, mode, padding, align_corners)
        return pixel_share(kind, place, tap, mode)

    slope = differentiation.partial(share, 0, (at,), 1)
    return at * 0 if slope is None else slope


@pointwise("_joined_index", allowed="ihf")
def joined_index(row: Value, pixel: Value, n: Any) -> Value:
    """An index over two dimensions; -1 if one of them is outside."""
    return select((row < 0) | (pixel < 0), const(row.type, -1), row * n + pixel)


@pointwise("_seen_share", allowed=FLOATS, separate=("index",))
def seen_share(pixel: Value, share: Value, index: Value) -> Value:
    """What a pixel adds; nothing if it is outside."""
    return select(index < 0, const(pixel.type, 0), pixel * share)
