"""Pooling by the largest elements, means and norms, its inverse, and `local_response_norm`."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import rushlight as torch
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import remembered
from rushlight.engine.generated import functions, nn_functions

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "avg_pool1d",
    "local_response_norm",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]  # fmt: skip

avg_pool1d = torch.avg_pool1d
adaptive_avg_pool1d = torch.adaptive_avg_pool1d


def _max_pool(count: int, with_places: Any, values: Any) -> tuple[Any, Any]:
    """The pooling functions of images of ``count`` dimensions."""

    def pool_with_indices(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False, return_indices: bool = False,
    ) -> Any:  # fmt: skip
        """The largest element of every window, and where it was."""
        steps = [] if stride is None else stride
        return with_places(input, kernel_size, steps, padding, dilation, ceil_mode)

    def pool(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False, return_indices: bool = False,
    ) -> Any:  # fmt: skip
        """The largest element of every window; also where it was with ``return_indices``."""
        steps = [] if stride is None else stride
        chosen = with_places if return_indices else values
        return chosen(input, kernel_size, steps, padding, dilation, ceil_mode)

    pool.__name__ = pool.__qualname__ = f"max_pool{count}d"
    pool_with_indices.__name__ = pool_with_indices.__qualname__ = f"max_pool{count}d_with_indices"
    return remembered(pool), remembered(pool_with_indices)


max_pool1d, max_pool1d_with_indices = _max_pool(
    1, functions.max_pool1d_with_indices, functions.max_pool1d
)
max_pool2d, max_pool2d_with_indices = _max_pool(
    2, nn_functions.max_pool2d_with_indices, functions.max_pool2d
)
max_pool3d, max_pool3d_with_indices = _max_pool(
    3, nn_functions.max_pool3d_with_indices, functions.max_pool3d
)


def _wanted_size(input: Tensor, output_size: Any, count: int) -> Any:
    """Output sizes, with the input's where they are None."""
    if not isinstance(output_size, Iterable):
        output_size = (output_size,) * count
    if len(input._size_) <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    if None not in output_size:
        return output_size
    given = input._size_[len(input._size_) - len(output_size) :]
    return [n if size is None else size for size, n in zip(output_size, given)]


def _adaptive_max(count: int, function: Any) -> tuple[Any, Any]:
    def pool_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        """The largest element of each of so many windows, and where it was."""
        return function(input, _wanted_size(input, output_size, count))

    def pool(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        """The largest element of each of so many windows; also where with ``return_indices``."""
        found = function(input, _wanted_size(input, output_size, count))
        return found if return_indices else found[0]

    pool.__name__ = pool.__qualname__ = f"adaptive_max_pool{count}d"
    name = f"adaptive_max_pool{count}d_with_indices"
    pool_with_indices.__name__ = pool_with_indices.__qualname__ = name
    return remembered(pool), remembered(pool_with_indices)


adaptive_max_pool1d, adaptive_max_pool1d_with_indices = _adaptive_max(
    1, functions.adaptive_max_pool1d
)
adaptive_max_pool2d, adaptive_max_pool2d_with_indices = _adaptive_max(
    2, nn_functions.adaptive_max_pool2d
)
adaptive_max_pool3d, adaptive_max_pool3d_with_indices = _adaptive_max(
    3, nn_functions.adaptive_max_pool3d
)


@remembered
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of so many windows of images."""
    return nn_functions.adaptive_avg_pool2d(input, _wanted_size(input, output_size, 2))  # type: ignore[no-any-return]


@remembered
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The means of so many windows of volumes."""
    return nn_functions.adaptive_avg_pool3d(input, _wanted_size(input, output_size, 3))  # type: ignore[no-any-return]


def _tuple(value: Any, count: int) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


def _lp_pool(count: int, average: Any) -> Any:
    def pool(
        input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> Any:
        """The power average of every window: the root of the sum of powers."""
        kernel = _tuple(kernel_size, count)
        steps = [] if stride is None else stride
        means = average(input.pow(norm_type), kernel, steps, 0, ceil_mode)
        sums = means.abs().mul(prod(kernel))
        return (means.sign() * functions.relu(sums)).pow(1.0 / norm_type)

    pool.__name__ = pool.__qualname__ = f"lp_pool{count}d"
    return remembered(pool)


lp_pool1d = _lp_pool(1, functions.avg_pool1d)
lp_pool2d = _lp_pool(2, nn_functions.avg_pool2d)
lp_pool3d = _lp_pool(3, nn_functions.avg_pool3d)


def _unpooled_size(input: Tensor, kernel: Any, stride: Any, padding: Any, wanted: Any) -> Any:
    """The size of an image that was pooled; ``wanted`` must be near what the settings say."""
    count = len(kernel)
    given = input._size_[len(input._size_) - count :]
    default = [(n - 1) * s + k - 2 * p for n, s, k, p in zip(given, stride, kernel, padding)]
    if wanted is None:
        return default
    wanted = list(wanted)
    if len(wanted) == count + 2:
        wanted = wanted[2:]
    if len(wanted) != count:
        raise ValueError(
            f"output_size should be a sequence containing {count} or {count + 2} elements, but it "
            f"has a length of '{len(wanted)}'"
        )
    for d in range(count):
        low, high = default[d] - stride[d], default[d] + stride[d]
        if not low < wanted[d] < high:
            raise ValueError(
                f'invalid output_size "{wanted}" (dim {d} must be between {low} and {high})'
            )
    return wanted


def _unpool(count: int) -> Any:
    def unpool(
        input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
        output_size: Any = None,
    ) -> Any:  # fmt: skip
        """Zeros, but for the pooled elements, which go back to where they were."""
        kernel, border = _tuple(kernel_size, count), _tuple(padding, count)
        steps = kernel if stride is None else _tuple(stride, count)
        size = _unpooled_size(input, kernel, steps, border, output_size)
        if count == 3:
            return nn_functions.max_unpool3d(input, indices, size, steps, border)
        if count == 2:
            return nn_functions.max_unpool2d(input, indices, size)
        wide = nn_functions.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1])
        return wide.squeeze(-1)

    unpool.__name__ = unpool.__qualname__ = f"max_unpool{count}d"
    return remembered(unpool)


max_unpool1d, max_unpool2d, max_unpool3d = _unpool(1), _unpool(2), _unpool(3)


@remembered
def local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    """Elements over a power of the mean square of neighbouring channels."""
    if input.dim() < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality input (got {input.dim()} dimensions)"
        )
    if input._numel_ == 0:
        return input
    squares = (input * input).unsqueeze(1).flatten(3)
    wide = nn_functions.pad(squares, [0, 0, size // 2, (size - 1) // 2])
    means = nn_functions.avg_pool2d(wide, [size, 1], 1).reshape(input._size_)
    return input / (means * alpha + k).pow(beta)
