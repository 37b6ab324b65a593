"""`pixel_shuffle`, `channel_shuffle`: channels turned into pixels and back, and shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import layout as layouts
from rushlight.engine.ops import formats
from rushlight.engine.ops.kinds.views import composite


def _check(name: str, self: Any, factor: int) -> None:
    if len(self._size_) < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with "
            f"{len(self._size_)} dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive factor, but got {factor}")


@composite("pixel_shuffle")
def pixel_shuffle(self: Any, factor: int) -> Any:
    _check("pixel_shuffle", self, factor)
    *batch, channels, height, width = self._size_
    if channels % (factor * factor):
        raise RuntimeError(
            f"pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor, but input.size(-3)={channels} is not divisible by {factor**2}"
        )
    n, c = len(batch), channels // factor**2
    split = self.reshape([*batch, c, factor, factor, height, width])
    order = [*range(n), n, n + 3, n + 1, n + 4, n + 2]
    return _merged(split.permute(order), [*batch, c, height * factor, width * factor], n, 1, self)


@composite("pixel_unshuffle")
def pixel_unshuffle(self: Any, factor: int) -> Any:
    _check("pixel_unshuffle", self, factor)
    *batch, channels, height, width = self._size_
    for name, length in (("height", height), ("width", width)):
        if length % factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"{name}={length} is not divisible by {factor}"
            )
    n, h, w = len(batch), height // factor, width // factor
    split = self.reshape([*batch, channels, h, factor, w, factor])
    order = [*range(n), n, n + 2, n + 4, n + 1, n + 3]
    return _merged(split.permute(order), [*batch, channels * factor**2, h, w], n, 3, self)


@composite("channel_shuffle", "native_channel_shuffle")
def channel_shuffle(self: Any, groups: int) -> Any:
    if len(self._size_) < 3:
        raise RuntimeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes "
            f"{list(self._size_)}"
        )
    if groups <= 0:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    batch, channels, *rest = self._size_
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and "
            f"{groups} groups."
        )
    split = self.reshape([batch, groups, channels // groups, *rest])
    return _merged(split.transpose(1, 2), self._size_, 1, 2, self)


def _merged(parts: Any, size: Sequence[int], first: int, count: int, image: Any) -> Any:
    """Dimensions put together to those of an image, with channels last if the image has them so.

    Args:
        parts: what is put together
        size: the result's
        first: the first dimension that channels consist of
        count: how many dimensions these are
        image: what the result is made of
    """
    if first != 1 or formats.suggested(image) is layouts.contiguous_format:
        return parts.reshape(size)
    batch, channels, *inside = size
    last = parts.movedim(list(range(1, 1 + count)), list(range(-count, 0)))
    return last.reshape([batch, *inside, channels]).movedim(-1, 1)
