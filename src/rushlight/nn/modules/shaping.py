"""Modules that only rearrange elements, and distances."""

from __future__ import annotations

from typing import Any

from rushlight.nn.modules._settings import OfFunction
from rushlight.nn.modules.module import Module

__all__ = [
    "ChannelShuffle", "CosineSimilarity", "Flatten", "Fold", "LocalResponseNorm",
    "PairwiseDistance", "PixelShuffle", "PixelUnshuffle", "Unflatten", "Unfold",
]  # fmt: skip


class Flatten(Module):
    """Joins dimensions into one, by default all but the batch's."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Any) -> Any:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits a dimension into several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(dim, int):
            raise TypeError(f"invalid argument type for dim parameter: {type(dim).__name__}")
        for i, n in enumerate(unflattened_size):
            if not isinstance(n, int):
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type "
                    f"{type(n).__name__} at pos {i}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Any) -> Any:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class PixelShuffle(OfFunction):
    """Turns channels into pixels."""

    signature = "upscale_factor"
    function = "pixel_shuffle"


class PixelUnshuffle(OfFunction):
    """Turns pixels into channels."""

    signature = "downscale_factor"
    function = "pixel_unshuffle"


class ChannelShuffle(OfFunction):
    """Mixes the channels of groups."""

    signature = "groups"
    function = "channel_shuffle"


class Unfold(OfFunction):
    """The sliding windows of images, each as a column."""

    signature = "kernel_size, dilation=1, padding=0, stride=1"
    function = "unfold"


class Fold(OfFunction):
    """Images in which windows, given as columns, are summed."""

    signature = "output_size, kernel_size, dilation=1, padding=0, stride=1"
    function = "fold"


class LocalResponseNorm(OfFunction):
    """Elements over a power of the mean square of neighbouring channels."""

    signature = "size, alpha=1e-4, beta=0.75, k=1.0"
    function = "local_response_norm"
    bare = ("size",)


class CosineSimilarity(OfFunction):
    """The cosine of the angle between vectors."""

    signature = "dim=1, eps=1e-8"
    function = "cosine_similarity"

    def extra_repr(self) -> str:
        return ""


class PairwiseDistance(Module):
    """The norm of the difference of vectors."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Any, x2: Any) -> Any:
        from rushlight.nn import functional as F

        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
