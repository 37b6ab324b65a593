"""The normalisation over neighbouring channels that old models were saved with."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import rushlight
from rushlight.nn.modules.module import Module

__all__ = ["CrossMapLRN2d"]


@lru_cache(maxsize=32)
def _neighbours(channels: int, size: int) -> tuple[tuple[float, ...], ...]:
    """For each channel a row that is one at its neighbours.

    As in PyTorch, the first channel counts as everyone's neighbour: models were trained so.
    """
    reach = (size + 1) // 2
    return tuple(
        tuple(float(other == 0 or abs(other - one) < reach) for other in range(channels))
        for one in range(channels)
    )


class CrossMapLRN2d(Module):
    """Elements over a power of the mean square of neighbouring channels, for images.

    Unlike `LocalResponseNorm`, windows are of odd lengths, and the first channel is in all of them.

    Args:
        size: how many channels a window has
        alpha: the weight of the mean square
        beta: the power
        k: what is added to the mean square
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Any) -> Any:
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        rows = _neighbours(input.size(1), self.size)
        weights = rushlight.tensor(rows, dtype=input.dtype, device=input.device)
        sums = (weights @ input.square().flatten(2)).view_as(input)
        return input * (self.k + sums * (self.alpha / self.size)) ** -self.beta

    def extra_repr(self) -> str:
        return "{size}, alpha={alpha}, beta={beta}, k={k}".format(**self.__dict__)
