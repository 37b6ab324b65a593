"""`fractional_max_pool2d` and its kin: pooling over windows that begin at random places."""

from __future__ import annotations

from typing import Any

from rushlight.engine.dispatch.overrides_hook import asking
from rushlight.engine.generated import functions, nn_functions

__all__ = [
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
]


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
