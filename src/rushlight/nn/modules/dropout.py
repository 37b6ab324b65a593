"""Dropouts."""

from __future__ import annotations

from typing import Any

from rushlight.nn import functional as F
from rushlight.nn.modules.module import Module

__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
]


class _DropoutNd(Module):
    """Leaves out a share of its input in training."""

    function = ""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        return getattr(F, self.function)(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Leaves out elements."""

    function = "dropout"


class Dropout1d(_DropoutNd):
    """Leaves out channels of sequences."""

    function = "dropout1d"


class Dropout2d(_DropoutNd):
    """Leaves out channels of images."""

    function = "dropout2d"


class Dropout3d(_DropoutNd):
    """Leaves out channels of volumes."""

    function = "dropout3d"


class AlphaDropout(_DropoutNd):
    """Leaves out elements in a way that keeps mean and variance."""

    function = "alpha_dropout"


class FeatureAlphaDropout(_DropoutNd):
    """Leaves out channels in a way that keeps mean and variance."""

    function = "feature_alpha_dropout"
