"""`grid_sample` and `affine_grid`: images read at given places."""

from __future__ import annotations

from typing import Any

from rushlight.engine.dispatch.call_cache import remembered, steps
from rushlight.engine.generated import functions

__all__ = [
    "GRID_SAMPLE_INTERPOLATION_MODES", "GRID_SAMPLE_PADDING_MODES", "affine_grid", "grid_sample",
]  # fmt: skip

GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


def _warn_of_corners(name: str) -> None:
    steps.warn(
        f"Default {name} and related behavior is align_corners=False; specify align_corners=True if "
        "corners are to lie on corners.",
        stacklevel=4,
    )


@remembered
def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:  # fmt: skip
    """The input at the places that the grid names, from -1 to 1 across the image."""
    if mode not in GRID_SAMPLE_INTERPOLATION_MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in GRID_SAMPLE_PADDING_MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    if align_corners is None:
        _warn_of_corners("grid_sample")
    return functions.grid_sampler(
        input, grid, GRID_SAMPLE_INTERPOLATION_MODES[mode],
        GRID_SAMPLE_PADDING_MODES[padding_mode], bool(align_corners),
    )  # fmt: skip


@remembered
def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Any:
    """The places that affine maps send the pixels of images of this size to."""
    if align_corners is None:
        _warn_of_corners("affine_grid")
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    count = len(size) - 2
    if count not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {size}."
        )
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (count, count + 1):
        raise ValueError(
            f"Expected a batch of {count}D affine matrices of shape Nx{count}x{count + 1} for size "
            f"{size}. Got {theta.shape}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return functions.affine_grid_generator(theta, size, bool(align_corners))
