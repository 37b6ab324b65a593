"""What the gradient formulas of the operators' entries call."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import creation, indexing, pointwise, view


def weighted_neighbours_backward(grad: Any, size: Any, dim: int, places: Any, factors: Any) -> Any:
    """Every old element gets its share of each new one that it counts for."""
    found = creation.new_zeros(grad, list(size))
    for k in range(places._size_[0]):
        share = pointwise.mul_Tensor(grad, view.select_int(factors, 0, k))
        found = indexing.index_add(found, dim, view.select_int(places, 0, k), share, 1)
    return found
