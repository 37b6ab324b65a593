"""Images read at given places, random windows, and distances within a set."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.engine.dispatch.call_cache import remembered, steps
from rushlight.engine.dispatch.overrides_hook import asking
from rushlight.engine.generated import functions, nn_functions

__all__ = [
    "GRID_SAMPLE_INTERPOLATION_MODES", "GRID_SAMPLE_PADDING_MODES", "affine_grid",
    "fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices", "grid_sample", "pdist",
]  # fmt: skip

GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}

pdist = torch.pdist


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


def _fractional(count: int, function: Any) -> tuple[Any, Any]:
    name = f"fractional_max_pool{count}d"

    @asking
    def pool_with_indices(
        input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Any = None,
    ) -> Any:  # fmt: skip
        """The largest elements of windows that begin at random places, and where they were."""
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or output_ratio")
        if output_size is None:
            ratios = _each(output_ratio, count)
            output_size = [int(n * r) for n, r in zip(input.shape[-count:], ratios)]
        if _random_samples is None:
            batch = 1 if input.dim() == count + 1 else input.size(0)
            channels = input.size(-count - 1)
            _random_samples = functions.rand(
                batch, channels, count, dtype=input.dtype, device=input.device
            )
        kernel, size = _each(kernel_size, count), _each(output_size, count)
        return function(input, kernel, size, _random_samples)

    @asking
    def pool(
        input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Any = None,
    ) -> Any:  # fmt: skip
        """The largest elements of windows that begin at random places."""
        found = pool_with_indices(
            input, kernel_size, output_size, output_ratio, True, _random_samples
        )
        return found if return_indices else found[0]

    pool.__name__ = pool.__qualname__ = name
    pool_with_indices.__name__ = pool_with_indices.__qualname__ = f"{name}_with_indices"
    return pool, pool_with_indices


def _each(value: Any, count: int) -> list[Any]:
    return [value] * count if isinstance(value, (int, float)) else list(value)


fractional_max_pool2d, fractional_max_pool2d_with_indices = _fractional(
    2, nn_functions.fractional_max_pool2d
)
fractional_max_pool3d, fractional_max_pool3d_with_indices = _fractional(
    3, nn_functions.fractional_max_pool3d
)
