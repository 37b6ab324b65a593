"""Sparse tensors with their dimensions exchanged, chosen from, or joined: work on the indices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import (
    creation,
    indexing,
    joining,
    pointwise,
    reduction,
    searching,
    sorting,
)
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.ops import bridge
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.sparse.making import without_values
from rushlight.engine.ops.sparse.parts import (
    copied,
    for_sparse,
    from_coordinates,
    indices_of,
    indices_of_places,
    is_sparse,
    new_zeros,
    parts_of,
    sparse_dims,
    values_of,
)
from rushlight.engine.ops.sparse.sums import without_rows


def rows_of(indices: Tensor, order: Sequence[int]) -> Tensor:
    return indexing.index_select(indices, 0, bridge.tensor_of(list(order), dtypes.int64))


# -- other orders --


@for_sparse("permute")
def permute(self: Tensor, dims: Any) -> Tensor:
    ndim, count = len(self._size_), sparse_dims(self)
    if len(dims) != ndim:
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {ndim} is not equal "
            f"to len(dims) = {len(dims)}"
        )
    order = [wrap_dim(d, ndim) for d in dims]
    if len(set(order)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    if any((d < count) != (place < count) for place, d in enumerate(order)):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not "
            "allowed.Only transpositions within sparse and dense dimensions are supported."
        )
    made = _permuted(self, order)
    if dims and dims[0] < 0:
        # PyTorch takes it to be in order only where the first dimension is called 0.
        parts_of(made).coalesced = False
    return made


def _permuted(self: Tensor, order: Sequence[int]) -> Tensor:
    count = sparse_dims(self)
    values = values_of(self)
    inside = [0, *(d - count + 1 for d in order[count:])]
    if inside != list(range(len(inside))):
        values = views.permute(values, inside)
    size = tuple(self._size_[d] for d in order)
    unmoved = list(order[:count]) == list(range(count))
    return from_coordinates(
        rows_of(indices_of(self), order[:count]), copies.clone(values), size,
        parts_of(self).coalesced and unmoved,
    )  # fmt: skip


@for_sparse("transpose.int", "swapaxes", "swapdims")
def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    ndim, count = len(self._size_), sparse_dims(self)
    first, second = wrap_dim(dim0, ndim), wrap_dim(dim1, ndim)
    if first >= count or second >= count:
        raise RuntimeError(
            "sparse transpose: transposed dimensions must be sparse Got sparse_dim: "
            f"{count}, d0: {first}, d1: {second}"
        )
    order = list(range(ndim))
    order[first], order[second] = second, first
    return _permuted(self, order)


@for_sparse("t")
def t(self: Tensor) -> Tensor:
    count = sparse_dims(self)
    dense = len(self._size_) - count
    if count > 2 or dense:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {count} sparse "
            f"and {dense} dense dimensions"
        )
    return copied(self) if count < 2 else _permuted(self, (1, 0))


@for_sparse("transpose_", "swapaxes_", "swapdims_")
def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    return sparse_tensors.replace(self, transpose(self, dim0, dim1))


@for_sparse("t_")
def t_(self: Tensor) -> Tensor:
    return sparse_tensors.replace(self, t(self))


@for_sparse("unsqueeze")
def unsqueeze(self: Tensor, dim: int) -> Tensor:
    d, count = wrap_dim(dim, len(self._size_) + 1), sparse_dims(self)
    size = (*self._size_[:d], 1, *self._size_[d:])
    indices, values = indices_of(self), values_of(self)
    if d > count:
        values = views.unsqueeze(values, d - count + 1)
        return from_coordinates(
            copies.clone(indices), copies.clone(values), size, parts_of(self).coalesced
        )
    zeros = new_zeros((1, indices._size_[1]), indices)
    parts = [views.narrow(indices, 0, 0, d), zeros, views.narrow(indices, 0, d, count - d)]
    return from_coordinates(
        joining.cat(parts, 0), copies.clone(values), size, parts_of(self).coalesced
    )


def _refusing(message: str) -> Any:
    def refuse(*unused: Any) -> Tensor:
        raise RuntimeError(message)

    return refuse


for_sparse("expand")(_refusing("expand is unsupported for Sparse tensors"))
for_sparse("reshape")(_refusing("reshape is not implemented for sparse tensors"))


# -- parts --


def _places_where(condition: Tensor) -> Tensor:
    return views.select_int(indexing.nonzero(condition), 1, 0)


@for_sparse("select.int")
def select(self: Tensor, dim: int, index: int) -> Tensor:
    if not self._size_:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d, count = wrap_dim(dim, len(self._size_)), sparse_dims(self)
    length = self._size_[d]
    if not -length <= index < length:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self._size_)} at "
            f"dimension {d}"
        )
    place = index + length if index < 0 else index
    size = self._size_[:d] + self._size_[d + 1 :]
    indices, values = indices_of(self), values_of(self)
    if d >= count:
        chosen = copies.clone(views.select_int(values, d - count + 1, place))
        return from_coordinates(copies.clone(indices), chosen, size, parts_of(self).coalesced)
    kept = _places_where(pointwise.eq_Scalar(views.select_int(indices, 0, d), place))
    chosen = indexing.index_select(values, 0, kept)
    if count == 1:
        return reduction.sum_dim_IntList(chosen, [0], dtype=self._dtype_)
    rest = indexing.index_select(without_rows(indices, [d], False), 1, kept)
    return from_coordinates(rest, chosen, size, parts_of(self).coalesced and d == 0)


@for_sparse("stack", "_stack")
def stack(given: Sequence[Tensor], dim: int) -> Tensor:
    if not given:
        raise RuntimeError("stack expects a non-empty TensorList")
    other = next((k for k, t in enumerate(given) if t._size_ != given[0]._size_), None)
    if other is not None:
        raise RuntimeError(
            f"stack expects each tensor to be equal size, but got {list(given[0]._size_)} at entry 0 "
            f"and {list(given[other]._size_)} at entry {other}"
        )
    d = wrap_dim(dim, len(given[0]._size_) + 1)
    return joining.cat([views.unsqueeze(t, d) for t in given], d)


@for_sparse("unbind.int")
def unbind(self: Tensor, dim: int) -> tuple[Tensor, ...]:
    if not self._size_:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    d = wrap_dim(dim, len(self._size_))
    return tuple(select(self, d, k) for k in range(self._size_[d]))


@for_sparse("narrow", "narrow_copy")
def narrow_copy(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    d, count = wrap_dim(dim, len(self._size_)), sparse_dims(self)
    first = start + self._size_[d] if start < 0 else start
    if not 0 <= first <= first + length <= self._size_[d]:
        raise RuntimeError(
            "Invalid range to narrow. range(start, start+length) must be a subset of range(0, "
            f"{self._size_[d]})."
        )
    size = (*self._size_[:d], length, *self._size_[d + 1 :])
    indices, values = indices_of(self), values_of(self)
    in_order = parts_of(self).coalesced
    if d >= count:
        part = views.narrow(values, d - count + 1, first, length)
        return from_coordinates(copies.clone(indices), copies.clone(part), size, in_order)
    row = views.select_int(indices, 0, d)
    kept = _places_where(
        pointwise.logical_and(
            pointwise.ge_Scalar(row, first), pointwise.lt_Scalar(row, first + length)
        )
    )
    moved = indexing.index_select(indices, 1, kept)
    pointwise.sub__Scalar(views.select_int(moved, 0, d), first)
    return from_coordinates(moved, indexing.index_select(values, 0, kept), size, in_order)


@for_sparse("slice.Tensor")
def slice_(self: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Tensor:
    """The slice as a tensor of its own: there is no memory that it could share."""
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    d = wrap_dim(dim, len(self._size_))
    first, last, _ = slice(start, end, step).indices(self._size_[d])
    if step == 1:
        return narrow_copy(self, d, first, max(last - first, 0))
    return index_select(self, d, bridge.tensor_of(list(range(first, last, step)), dtypes.int64))


@for_sparse("index_select")
def index_select(self: Tensor, dim: int, index: Tensor) -> Tensor:
    """The chosen slices; one that is chosen several times comes as often."""
    if is_sparse(index) or len(index._size_) != 1 or index._dtype_ not in _INDEX_TYPES:
        raise IndexError(
            "index_select() argument index must be 1-D strided (non-sparse) long-tensor."
        )
    if not is_sparse(self):
        raise NotImplementedError("index_select: a dense tensor with a sparse index")
    d, count = wrap_dim(dim, len(self._size_)), sparse_dims(self)
    length, size = self._size_[d], list(self._size_)
    size[d] = index._numel_
    wanted = copies.to_dtype(index, dtypes.int64)
    _check_range(wanted, self, d)
    wanted = pointwise.remainder_Scalar(wanted, length) if length else wanted
    indices, values = indices_of(self), values_of(self)
    if d >= count:
        chosen = indexing.index_select(values, d - count + 1, wanted)
        return from_coordinates(
            copies.clone(indices), chosen, tuple(size), parts_of(self).coalesced
        )
    if not index._numel_ or not values._size_[0]:
        return without_values(size, count, self._dtype_)
    # Both the values and the wanted slices in the order of their index: runs that belong together.
    row = views.select_int(indices, 0, d)
    ordered, order = sorting.sort_stable(row, stable=True)
    starts = searching.searchsorted_Tensor(ordered, wanted)
    counts = pointwise.sub_Tensor(
        searching.searchsorted_Tensor(ordered, wanted, right=True), starts, alpha=1
    )
    slices = views.repeat_interleave_Tensor(counts)
    within = places_in_runs(counts, slices)
    at = pointwise.add_Tensor(indexing.index_select(starts, 0, slices), within, alpha=1)
    taken = indexing.index_select(order, 0, at)
    moved = indexing.index_select(indices, 1, taken)
    copies.copy_(views.select_int(moved, 0, d), slices, False)
    return from_coordinates(moved, indexing.index_select(values, 0, taken), tuple(size))


_INDEX_TYPES = (dtypes.int64, dtypes.int32)


def _check_range(index: Tensor, self: Tensor, dim: int) -> None:
    length = self._size_[dim]
    given = bridge.elements(index)
    outside = given[(given < -length) | (given >= length)]
    if outside.size:
        raise IndexError(
            f"index_select(): index contains {outside[0]} that is out of range for tensor of size "
            f"{list(self._size_)} at dimension {dim}"
        )


def places_in_runs(counts: Tensor, owner: Tensor) -> Tensor:
    """0, 1, 2, … within every run of the given lengths."""
    steps = creation.arange(owner._numel_, dtypes.int64, None, None, None)
    begins = pointwise.sub_Tensor(reduction.cumsum(counts, 0), counts, alpha=1)
    return pointwise.sub_Tensor(steps, indexing.index_select(begins, 0, owner), alpha=1)


# -- joined --


@for_sparse("cat")
def cat(tensors_: Sequence[Tensor], dim: int) -> Tensor:
    first = tensors_[0]
    d = wrap_dim(dim, len(first._size_))
    for place, tensor in enumerate(tensors_):
        _check_joinable(first, tensor, d, place)
    kind = first._dtype_
    for tensor in tensors_[1:]:
        kind = promotion.promote_types(kind, tensor._dtype_)
    count = sparse_dims(first)
    size = list(first._size_)
    size[d] = sum(t._size_[d] for t in tensors_)
    indices, values, offset = [], [], 0
    for tensor in tensors_:
        own = indices_of(tensor)
        given = copies.to_dtype(values_of(tensor), kind)
        if d < count:
            own = copies.clone(own)
            pointwise.add__Scalar(views.select_int(own, 0, d), offset)
        else:
            given = _padded(given, d - count + 1, offset, size[d])
        indices.append(own)
        values.append(given)
        offset += tensor._size_[d]
    return from_coordinates(joining.cat(indices, 1), joining.cat(values, 0), tuple(size))


def _check_joinable(first: Tensor, tensor: Tensor, dim: int, place: int) -> None:
    if not is_sparse(tensor) or not is_sparse(first):
        where = place if is_sparse(first) else 0
        raise RuntimeError(
            f"Concatenating sparse tensors, but a dense tensor was found at position {where}."
        )
    same = len(tensor._size_) == len(first._size_) and all(
        a == b for d, (a, b) in enumerate(zip(tensor._size_, first._size_)) if d != dim
    )
    if not same:
        raise RuntimeError(
            f"All tensors must have the same shape: {list(first._size_)} (except in the "
            f"concatenating dimension), but found shape: {list(tensor._size_)} at position {place}."
        )
    if sparse_dims(tensor) != sparse_dims(first):
        raise RuntimeError(
            f"All tensors must have the same sparse_dim and dense_dim: {sparse_dims(first)}, "
            f"{len(first._size_) - sparse_dims(first)}, but tensor at position {place} has "
            f"{sparse_dims(tensor)}, {len(tensor._size_) - sparse_dims(tensor)}."
        )


def _padded(values: Tensor, dim: int, offset: int, length: int) -> Tensor:
    """Values with zeros before and behind along a dimension."""
    size = list(values._size_)
    size[dim] = length
    made = new_zeros(size, values)
    copies.copy_(views.narrow(made, dim, offset, values._size_[dim]), values, False)
    return made


# -- other sizes --


def _check_counts(size: Any, sparse_dim: int, dense_dim: int) -> None:
    if sparse_dim + dense_dim != len(size):
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, "
            f"sparse_dim = {sparse_dim}, dense_dim = {dense_dim}"
        )


@for_sparse("sparse_resize_and_clear_")
def resize_and_clear(self: Tensor, size: Any, sparse_dim: int, dense_dim: int) -> Tensor:
    _check_counts(size, sparse_dim, dense_dim)
    made = without_values(size, sparse_dim, self._dtype_, self._storage_.device)
    return sparse_tensors.replace(self, made)


@for_sparse("sparse_resize_")
def resize(self: Tensor, size: Any, sparse_dim: int, dense_dim: int) -> Tensor:
    """Other sizes in place: a tensor with values can only grow, and keeps its kinds of dimensions."""
    _check_counts(size, sparse_dim, dense_dim)
    count, values = sparse_dims(self), values_of(self)
    if not indices_of(self)._size_[1]:
        return resize_and_clear(self, size, sparse_dim, dense_dim)
    for word, before, after in (
        ("sparse", count, sparse_dim), ("dense", len(self._size_) - count, dense_dim),
    ):  # fmt: skip
        if before != after:
            raise RuntimeError(
                f"changing the number of {word} dimensions (from {before} to {after}) on a non-empty "
                "sparse tensor is not supported. `sparse_resize_and_clear_` forgets the values"
            )
    for word, first, last in (("sparse", 0, count), ("dense", count, len(size))):
        mine, wanted = list(self._size_[first:last]), list(size[first:last])
        if any(m > n for m, n in zip(mine, wanted)):
            raise RuntimeError(
                f"shrinking the size of {word} dimensions (from {mine} to {wanted}) on a non-empty "
                "sparse tensor is not supported. `sparse_resize_and_clear_` forgets the values"
            )
    held = new_zeros((values._size_[0], *size[count:]), values)
    corner = held
    for k, length in enumerate(values._size_):
        corner = views.narrow(corner, k, 0, length)
    copies.copy_(corner, values, False)
    made = from_coordinates(indices_of(self), held, tuple(size), parts_of(self).coalesced)
    return sparse_tensors.replace(self, made)


@for_sparse("_sparse_broadcast_to")
def broadcast_to(self: Tensor, size: Any) -> Tensor:
    """A sparse tensor repeated along new dimensions in front, and along those of one element."""
    count, new = sparse_dims(self), len(size) - len(self._size_)
    whole = tuple(size)
    mine = (1,) * new + tuple(self._size_)
    if new < 0 or any(m not in (1, n) for m, n in zip(mine, whole)):
        raise RuntimeError(
            f"The expanded size of the tensor {list(whole)} does not fit a tensor of size "
            f"{list(self._size_)}"
        )
    indices, values = indices_of(self), values_of(self)
    longer = [d for d in range(new + count) if mine[d] != whole[d] or d < new]
    repeats = tuple(whole[d] for d in longer)
    times, each = math.prod(repeats), indices._size_[1]
    over = indices_of_places(creation.arange(times, dtypes.int64, None, None, None), repeats)
    rows = []
    for d in range(new + count):
        row = views.select_int(over, 0, longer.index(d)) if d in longer else None
        if row is not None:
            spread = views.expand(views.unsqueeze(row, 1), (times, each))
        else:
            own = views.select_int(indices, 0, d - new)
            spread = views.expand(views.unsqueeze(own, 0), (times, each))
        rows.append(views.reshape(spread, (times * each,)))
    dense = whole[new + count :]
    given = views.expand(values, (each, *dense))
    repeated = views.reshape(
        views.expand(views.unsqueeze(given, 0), (times, each, *dense)), (times * each, *dense)
    )
    places = joining.stack(rows, 0) if rows else new_zeros((0, times * each), indices)
    in_order = parts_of(self).coalesced and longer == list(range(len(longer)))
    return from_coordinates(places, copies.clone(repeated), whole, in_order)
