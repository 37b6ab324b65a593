"""Reading and writing elements at positions that tensors give.

Positions are checked by the kernels that move the elements, so nothing outside a tensor is ever
read or written.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import view as views
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.indexing import (
    along_dim,
    flat,
    im2col,
    lookup,
    masks,
    segments,
    slices,
    tables,
)
from rushlight.engine.ops.kinds.views import composite, explicit

# Importing the family registers all of its files.
__all__ = ["along_dim", "flat", "im2col", "lookup", "masks", "segments", "slices", "tables"]


@explicit("_underivable")
def underivable(self: Tensor, message: str) -> Tensor:
    """The same elements; a gradient that comes back to them raises."""
    return copies.clone(self)


@composite("fill_diagonal_")
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool) -> Tensor:
    ndim = len(self._size_)
    if ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if ndim > 2 and len(set(self._size_)) != 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    length = min(self._size_)
    step = sum(self._stride_)
    copies.fill__Scalar(views.as_strided(self, (length,), (step,), self._offset_), fill_value)
    rows, columns = self._size_[0], self._size_[1]
    if wrap and ndim == 2 and rows > columns + 1:
        first = self._stride_[0] * (columns + 1)
        count = -(-(rows * columns - columns * (columns + 1)) // (columns + 1))
        rest = views.as_strided(self, (count,), (step,), self._offset_ + first)
        copies.fill__Scalar(rest, fill_value)
    return self
