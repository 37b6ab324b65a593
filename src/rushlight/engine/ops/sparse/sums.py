"""Reductions: sums over sparse and dense dimensions, and whether any element is true."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import sparse as calls
from rushlight.engine.calls.remembered import comparison, indexing, joining, pointwise, reduction
from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.sparse.parts import (
    coalesced,
    for_compressed,
    for_sparse,
    from_coordinates,
    indices_of,
    is_sparse,
    sparse_dims,
    values_of,
    with_values,
)


@for_sparse("sum")
def total(self: Tensor, dtype: Any) -> Tensor:
    return reduction.sum(values_of(self), dtype)


def wrapped_dims(dims: Any, ndim: int) -> list[int]:
    """Dimensions counted from the front, in order; an error for one that is named twice."""
    found = [wrap_dim(d, ndim) for d in dims]
    for d in found:
        if found.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return sorted(found)


def summed(self: Tensor, dims: list[int], dtype: Any, keepdim: bool = False) -> Tensor:
    """The sum over dimensions: sparse while some sparse dimension is left, else dense.

    Dense dimensions are summed in the values; sparse ones are left out of the indices, so that values
    come to have the same index.
    """
    self = coalesced(self)
    count = sparse_dims(self)
    inside = [d - count + 1 for d in dims if d >= count]
    kind = dtype or self._dtype_
    values = copies.to_dtype(values_of(self), kind)
    if inside:
        values = reduction.sum_dim_IntList(values, inside, keepdim, dtype=kind)
    left = [d for d in range(count) if d not in dims]
    size = [n for d, n in enumerate(self._size_) if d not in dims]
    if keepdim:
        size = [1 if d in dims else n for d, n in enumerate(self._size_)]
    if not left and not keepdim:
        return reduction.sum_dim_IntList(values, [0], dtype=kind)
    indices = without_rows(indices_of(self), [d for d in dims if d < count], keepdim)
    made = from_coordinates(indices, values, tuple(size))
    return made if not dims or dims[0] >= count else calls._coalesce(made)


def without_rows(indices: Tensor, dims: list[int], keepdim: bool) -> Tensor:
    """Indices without some rows, or with zeros in them."""
    rows = views.unbind_int(indices, 0)
    if keepdim:
        left = [pointwise.mul_Scalar(r, 0) if d in dims else r for d, r in enumerate(rows)]
    else:
        left = [row for d, row in enumerate(rows) if d not in dims]
    return joining.stack(left, 0) if left else copies.clone(views.narrow(indices, 0, 0, 0))


@for_sparse("sum.dim_IntList")
def sum_dims(self: Tensor, dim: Any, keepdim: bool, dtype: Any) -> Tensor:
    dims = wrapped_dims(dim or (), len(self._size_))
    kind = dtype or _sum_kind(self._dtype_)
    if len(dims) == len(self._size_) and not keepdim:
        return reduction.sum(values_of(self), dtype)
    return summed(self, dims, kind, keepdim)


def _sum_kind(kind: Any) -> Any:
    return dtypes.int64 if kind.category <= dtypes.INTEGRAL else kind


# -- torch.sparse.sum --


@composite("_sparse_sum")
def sparse_total(self: Tensor) -> Tensor:
    return reduction.sum(values_view(self))


def values_view(self: Tensor) -> Tensor:
    """The values of a tensor put in order, with their history."""
    return calls.values(calls.coalesce(self))


@composite("_sparse_sum.dtype")
def sparse_total_as(self: Tensor, dtype: Any) -> Tensor:
    return reduction.sum(values_view(self), dtype)


@composite("_sparse_sum.dim_dtype")
def sparse_sum_as(self: Tensor, dim: Any, dtype: Any) -> Tensor:
    return calls._sparse_sum_dim(copies.to_dtype(self, dtype), dim)


@for_sparse("_sparse_sum.dim")
def sparse_sum(self: Tensor, dim: Any) -> Tensor:
    if not dim:
        raise RuntimeError("Sparse sum: expected dim to be not empty")
    dims = wrapped_dims(dim, len(self._size_))
    return summed(self, dims, self._dtype_)


def spread_back(grad: Any, self: Any, dims: Any, keepdim: bool = False) -> Any:
    """The gradient of a sum: that of an element is that of the sum it is part of."""
    found = wrapped_dims(dims, len(self._size_))
    count = sparse_dims(self)
    dense = grad.to_dense() if is_sparse(grad) else grad
    if not keepdim:
        for d in found:
            dense = views.unsqueeze(dense, d)
    whole = coalesced(self)
    rows = without_rows(indices_of(whole), [d for d in found if d < count], True)
    at = indexing.index_Tensor(dense, list(views.unbind_int(rows, 0))) if count else dense
    values = views.expand(at, list(values_of(whole)._size_))
    return with_values(copies.clone(values), whole)


# -- others --


@for_sparse("_local_scalar_dense")
@for_compressed("_local_scalar_dense")
def only_element(self: Tensor) -> Any:
    """The only element as a number; `item` has seen that there is only one."""
    return comparison._local_scalar_dense(reduction.sum(values_of(self), self._dtype_))


@for_sparse("any")
def any_true(self: Tensor) -> Tensor:
    return reduction.any(values_of(coalesced(self)))
