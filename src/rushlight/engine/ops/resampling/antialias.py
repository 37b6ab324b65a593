"""The operators that make images smaller without losing what lies between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.resampling.filters import smoothed, steps_between


def _check(image: Any, new: Sequence[int]) -> None:
    if len(new) != 2:
        raise RuntimeError(f"It is expected output_size equals to 2, but got size {len(new)}")
    if image.dim() != 4:
        raise RuntimeError(f"It is expected input_size equals to 4, but got size {image.dim()}")
    height, width = image.shape[2:]
    if min(height, width, *new) <= 0:
        raise RuntimeError(
            "Input and output sizes should be greater than 0, but got input "
            f"(H: {height}, W: {width}) output (H: {new[0]}, W: {new[1]})"
        )
    if image.size(1) == 0:
        raise RuntimeError(
            f"Non-empty 4D data tensor expected but got a tensor with sizes {list(image.shape)}"
        )


def _size_of(image: Any, output_size: Any, factors: Any) -> list[int]:
    """The wanted size, which is given or follows from factors."""
    if (output_size is None) == (factors is None):
        raise RuntimeError("Must specify exactly one of output_size and scale_factors")
    if factors is None:
        return list(output_size)
    if len(factors) != 2:
        raise RuntimeError(f"It is expected scale_factors equals to 2, but got size {len(factors)}")
    return [math.floor(n * f) for n, f in zip(image.shape[2:], factors)]


def _register(name: str, by_factors: str, mode: str) -> None:
    @composite(name)
    def upsample(
        self: Any, output_size: Any, align_corners: bool, scales_h: Any, scales_w: Any
    ) -> Any:
        new = list(output_size)
        _check(self, new)
        steps = steps_between(self.shape[2:], new, align_corners, [scales_h, scales_w])
        return smoothed(self, new, steps, mode)

    @composite(by_factors)
    def upsample_by(input: Any, output_size: Any, align_corners: bool, scale_factors: Any) -> Any:
        new = _size_of(input, output_size, scale_factors)
        return upsample(input, new, align_corners, *(scale_factors or (None, None)))


_register("_upsample_bilinear2d_aa", "_upsample_bilinear2d_aa.vec", "bilinear")
_register("_upsample_bicubic2d_aa", "_upsample_bicubic2d_aa.vec", "bicubic")
