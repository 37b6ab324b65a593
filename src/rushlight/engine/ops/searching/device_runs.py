"""Distinct elements and counts on a GPU: runs of equal neighbours, found by a comparison and a running sum."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, joining, pointwise, reduction, sorting
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import numbers
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds.views import cuda
from rushlight.engine.ops.searching import uniques

Found = tuple[Tensor, Tensor, Tensor]


def _nothing(like: Tensor) -> Tensor:
    return creation.empty_memory_format((0,), dtypes.int64, None, like._storage_.device, None, None)


def _starts(ordered: Tensor) -> Tensor:
    """Where runs of equal neighbours begin."""
    later = views.narrow(ordered, 0, 1, ordered._numel_ - 1)
    earlier = views.narrow(ordered, 0, 0, ordered._numel_ - 1)
    first = creation.ones((1,), dtypes.bool_, None, ordered._storage_.device, None)
    return joining.cat([first, pointwise.ne_Tensor(later, earlier)], 0)  # type: ignore[no-any-return]


def _runs(ordered: Tensor, inverse: bool, counts: bool) -> Found:
    """The first element of each run, which run each element is in, and how long they are."""
    starts = _starts(ordered)
    values = indexing.masked_select(ordered, starts)
    number = pointwise.sub_Scalar(reduction.cumsum(starts, 0, dtypes.int64), 1, 1)
    length = _nothing(ordered)
    if counts:
        none = creation.zeros_like(views.narrow(number, 0, 0, values._numel_))
        length = indexing.index_add_(none, 0, number, creation.ones_like(number), 1)
    return values, number if inverse else _nothing(ordered), length


def _distinct(self: Tensor, inverse: bool, counts: bool) -> Found:
    flat = views.reshape(self, (-1,))
    if not flat._numel_:
        return copies.clone(flat), _nothing(self), _nothing(self)
    ordered, order = sorting.sort_stable(flat, True, 0, False)
    values, number, length = _runs(ordered, inverse, counts)
    if inverse:
        places = indexing.scatter__src(creation.zeros_like(number), 0, order, number)
        number = views.reshape(places, self._size_)
    return values, number, length


@cuda("_unique2")
def unique2(self: Tensor, sorted: bool, inverse: bool, counts: bool) -> Found:
    return _distinct(self, inverse, counts)


@cuda("_unique")
def unique(self: Tensor, sorted: bool, inverse: bool) -> tuple[Tensor, Tensor]:
    return _distinct(self, inverse, False)[:2]


def _slices(self: Tensor, dim: int, inverse: bool, counts: bool, in_order: bool) -> Found:
    """Distinct slices along a dimension, ordered by their elements unless neighbours are meant."""
    d = wrap_dim(dim, len(self._size_), scalar_counts=False)
    if not self._numel_:
        return uniques.empty_slices(self, d)
    length = self._size_[d]
    rows = views.reshape(views.movedim_int(self, d, 0), (length, -1))
    order = creation.arange(length, dtypes.int64, None, self._storage_.device, None)
    # From the last column to the first, each order keeps what was found before among equals.
    for column in [] if in_order else range(rows._size_[1] - 1, -1, -1):
        keys = indexing.index_select(views.select_int(rows, 1, column), 0, order)
        order = indexing.index_select(order, 0, sorting.sort_stable(keys, True, 0, False)[1])
    ordered = indexing.index_select(rows, 0, order)
    later, earlier = (views.narrow(ordered, 0, k, length - 1) for k in (1, 0))
    first = creation.ones((1,), dtypes.bool_, None, self._storage_.device, None)
    starts = joining.cat(
        [first, reduction.any_dim(pointwise.ne_Tensor(later, earlier), 1, False)], 0
    )
    chosen = indexing.masked_select(order, starts)
    run = pointwise.sub_Scalar(reduction.cumsum(starts, 0, dtypes.int64), 1, 1)
    number, lengths = _nothing(self), _nothing(self)
    if inverse:
        number = indexing.scatter__src(creation.zeros_like(run), 0, order, run)
    if counts:
        none = creation.zeros_like(views.narrow(run, 0, 0, chosen._numel_))
        lengths = indexing.index_add_(none, 0, run, creation.ones_like(run), 1)
    return indexing.index_select(self, d, chosen), number, lengths


@cuda("unique_dim")
def unique_dim(self: Tensor, dim: int, sorted: bool, inverse: bool, counts: bool) -> Found:
    return _slices(self, dim, inverse, counts, in_order=False)


@cuda("unique_dim_consecutive")
def unique_dim_consecutive(self: Tensor, dim: int, inverse: bool, counts: bool) -> Found:
    return _slices(self, dim, inverse, counts, in_order=True)


@cuda("unique_consecutive")
def unique_consecutive(self: Tensor, inverse: bool, counts: bool, dim: int | None) -> Found:
    if dim is not None:
        return _slices(self, dim, inverse, counts, in_order=True)
    flat = views.reshape(self, (-1,))
    if not flat._numel_:
        return copies.clone(flat), _nothing(self), _nothing(self)
    values, number, length = _runs(flat, inverse, counts)
    return values, views.reshape(number, self._size_) if inverse else number, length


@cuda("bincount")
def bincount(self: Tensor, weights: Any, minlength: int) -> Tensor:
    if len(self._size_) != 1 or self._dtype_.category > dtypes.INTEGRAL:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if weights is not None and weights._size_ != self._size_:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    size = minlength
    if self._numel_:
        least, most = (numbers.read_element(f(self)) for f in (reduction.min, reduction.max))
        if least < 0:
            raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
        size = max(size, int(most) + 1)
    single = weights is not None and weights._dtype_ is dtypes.float32
    kind = dtypes.int64 if weights is None else dtypes.float32 if single else dtypes.float64
    made = creation.zeros((size,), kind, None, self._storage_.device, None)
    if not self._numel_:
        return made  # type: ignore[no-any-return]
    places = copies.to_dtype(self, dtypes.int64)
    given = creation.ones_like(places) if weights is None else copies.to_dtype(weights, kind)
    return indexing.index_add_(made, 0, places, given, 1)  # type: ignore[no-any-return]
