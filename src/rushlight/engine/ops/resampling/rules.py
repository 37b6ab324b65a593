"""What the gradient formulas of the operators' entries call."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import creation, indexing, pointwise, resampling, view
from rushlight.engine.core import state
from rushlight.engine.ops.resampling import neighbours


def weighted_neighbours_backward(grad: Any, size: Any, dim: int, places: Any, factors: Any) -> Any:
    """Every old element gets its share of each new one that it counts for."""
    found = creation.new_zeros(grad, list(size))
    for k in range(places._size_[0]):
        share = pointwise.mul_Tensor(grad, view.select_int(factors, 0, k))
        found = indexing.index_add(found, dim, view.select_int(places, 0, k), share, 1)
    return found


def sampled_pixels_backward(
    grad: Any, input: Any, grid: Any, mode: int, padding: int, align_corners: bool, wanted: Any
) -> tuple[Any, Any]:
    """By kernels, or by operators where the gradients are differentiated themselves."""
    given = grad, input, grid, mode, padding, align_corners
    of_image, of_places = resampling._sampled_image_gradient, resampling._sampled_place_gradient
    if state.thread.grad_enabled:
        of_image, of_places = neighbours.image_gradient, neighbours.place_gradient
    return of_image(*given) if wanted[0] else None, of_places(*given) if wanted[1] else None
