"""Softmax over a dimension of a sparse tensor: what has no value counts as minus infinity.

Values that differ only in the index of the dimension make a group; maxima and sums are taken of
groups.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import sparse as calls
from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import indexing, pointwise, rows, searching
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.sparse.conversion import values_at_places
from rushlight.engine.ops.sparse.parts import (
    alike,
    coalesced,
    flat_places,
    for_sparse,
    indices_of,
    new_zeros,
    sparse_dims,
    sparse_size,
    values_of,
)
from rushlight.engine.ops.sparse.sums import without_rows


class Groups:
    """The groups of a tensor's values along a sparse dimension.

    Args:
        sparse: the tensor
        dim: one of its sparse dimensions
    """

    def __init__(self, sparse: Tensor, dim: int) -> None:
        size = sparse_size(sparse)
        others = without_rows(indices_of(sparse), [dim], False)
        places = flat_places(others, size[:dim] + size[dim + 1 :])
        named, self.of = searching._unique(places, True, True)
        self.count = named._numel_

    def sums(self, values: Tensor) -> Tensor:
        """For every value, the sum of its group."""
        made = new_zeros((self.count, *values._size_[1:]), values)
        return self._spread(indexing.index_add_(made, 0, self.of, values, 1))

    def maxima(self, values: Tensor) -> Tensor:
        """For every value, the greatest of its group."""
        made = tensors.empty((self.count, *values._size_[1:]), values._dtype_)
        copies.fill__Scalar(made, float("-inf"))
        return self._spread(indexing.index_reduce(made, 0, self.of, values, "amax"))

    def _spread(self, of_groups: Tensor) -> Tensor:
        return indexing.index_select(of_groups, 0, self.of)


def _softmax(values: Tensor, groups: Groups, is_log: bool) -> Tensor:
    shifted = pointwise.sub_Tensor(values, groups.maxima(values), alpha=1)
    powers = pointwise.exp(shifted)
    total = groups.sums(powers)
    if is_log:
        return pointwise.sub_Tensor(shifted, pointwise.log(total), alpha=1)
    return pointwise.div_Tensor(powers, total)


def _softmax_gradient(grad: Tensor, output: Tensor, groups: Groups, is_log: bool) -> Tensor:
    if is_log:
        shares = pointwise.exp(output)
        return pointwise.sub_Tensor(grad, pointwise.mul_Tensor(shares, groups.sums(grad)), alpha=1)
    product = pointwise.mul_Tensor(grad, output)
    return pointwise.sub_Tensor(
        product, pointwise.mul_Tensor(output, groups.sums(product)), alpha=1
    )


def _register(name: str, is_log: bool) -> None:
    inside = rows._log_softmax if is_log else rows._softmax
    inside_back = rows._log_softmax_backward_data if is_log else rows._softmax_backward_data

    @for_sparse(name)
    def softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
        if self._dtype_.category != dtypes.FLOATING:
            raise NotImplementedError(f"\"softmax\" not implemented for '{title(self._dtype_)}'")
        d = wrap_dim(dim, len(self._size_))
        whole = coalesced(self)
        values = values_of(whole)
        count = sparse_dims(whole)
        if d >= count:
            return alike(whole, inside(values, d - count + 1, False))
        if not values._numel_:
            return alike(whole, copies.clone(values))
        return alike(whole, _softmax(values, Groups(whole, d), is_log))

    @for_sparse(f"{name}_backward_data")
    def backward(grad: Tensor, output: Tensor, dim: int, self: Tensor) -> Tensor:
        d = wrap_dim(dim, len(output._size_))
        values, count = values_of(output), sparse_dims(output)
        places = flat_places(indices_of(output), sparse_size(output))
        arrived = values_at_places(grad, output, places)
        if d >= count:
            return alike(output, inside_back(arrived, values, d - count + 1, values._dtype_))
        if not values._numel_:
            return alike(output, arrived)
        return alike(output, _softmax_gradient(arrived, values, Groups(output, d), is_log))

    @composite(f"{name}.int")
    def converted(self: Tensor, dim: int, dtype: Any) -> Tensor:
        given = self if dtype is None else copies.to_dtype(self, dtype)
        own = calls._sparse_log_softmax if is_log else calls._sparse_softmax
        return own(given, dim, False)


_register("_sparse_softmax", False)
_register("_sparse_log_softmax", True)
