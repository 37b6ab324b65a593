"""Weighted sums of neighbours, of which images of other sizes are made."""

from __future__ import annotations

from rushlight.engine.calls import indexing, pointwise
from rushlight.engine.calls import view as views
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.kinds.views import explicit


@explicit("_weighted_neighbours")
def weighted_neighbours(self: Tensor, dim: int, places: Tensor, factors: Tensor) -> Tensor:
    """For each new element along a dimension the sum of some old ones, each times a factor.

    Args:
        self: the old elements
        dim: the dimension
        places: in each row, one of the old elements for every new one
        factors: in each row, what these are multiplied by; with a dimension of size 1 for each
            dimension of ``self`` behind ``dim``
    """
    parts = [
        pointwise.mul_Tensor(
            indexing.index_select(self, dim, views.select_int(places, 0, k)),
            views.select_int(factors, 0, k),
        )
        for k in range(places._size_[0])
    ]
    total = parts[0]
    for part in parts[1:]:
        total = pointwise.add_Tensor(total, part, 1)
    return total
