"""Gradients of what is read by index: sparse, since few rows are read."""

from __future__ import annotations

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation, indexing, joining, pointwise
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds.views import explicit
from rushlight.engine.ops.sparse.making import without_values
from rushlight.engine.ops.sparse.parts import from_coordinates


@explicit("embedding_sparse_backward")
def embedding_backward(
    grad: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    """A row of the gradient for every row that was read; none for padding."""
    if scale_grad_by_freq:
        raise RuntimeError(
            "embedding_backward: scale_grad_by_freq not supported with sparse gradients"
        )
    named = copies.to_dtype(views.reshape(indices, (-1,)), dtypes.int64)
    width = grad._size_[-1]
    if not named._numel_:
        return without_values((num_weights, width), 1, grad._dtype_)
    rows = views.reshape(grad, (named._numel_, width))
    if padding_idx != -1:
        kept = views.select_int(indexing.nonzero(pointwise.ne_Scalar(named, padding_idx)), 1, 0)
        named, rows = (indexing.index_select(x, 0, kept) for x in (named, rows))
    return from_coordinates(
        copies.clone(views.unsqueeze(named, 0)), copies.clone(rows), (num_weights, width)
    )


def indices_along(index: Tensor, ndim: int, dim: int) -> Tensor:
    """Where `gather` has read, as indices of a sparse tensor: one for each element of ``index``."""
    count = index._numel_
    if not ndim:
        return creation.zeros([0, count], dtypes.int64)
    d = wrap_dim(dim, ndim)
    size = list(index._size_)
    rows = []
    for k, length in enumerate(size):
        places = index
        if k != d:
            shape = [length if j == k else 1 for j in range(ndim)]
            steps = creation.arange(length, dtypes.int64, None, None, None)
            places = views.expand(views.view(steps, shape), size)
        rows.append(views.reshape(places, (count,)))
    return joining.stack(rows, 0)


@explicit("_gather_sparse_backward")
def gather_backward(self: Tensor, dim: int, index: Tensor, grad: Tensor) -> Tensor:
    """Every element of the gradient where the element that was read is."""
    places = indices_along(index, len(self._size_), dim)
    return from_coordinates(places, copies.clone(views.reshape(grad, (-1,))), self._size_)
