"""Medians, k-th smallest and most frequent elements: what is chosen from rows that are in order.

All of it is steps on sorted rows, so that calls are repeated. NaN counts as the largest element.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import BOOLEAN, COMPLEX, FLOATING
from rushlight.engine.core.layout import contiguous_format
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated.calls import copy as copies
from rushlight.engine.generated.calls import creation, indexing, joining, reduction
from rushlight.engine.generated.calls import pointwise as maps
from rushlight.engine.generated.calls import view as views
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds.planned import Computed, Request, contiguous_spec, planned
from rushlight.engine.ops.kinds.reduction import reduced_size
from rushlight.engine.ops.reduction import selection
from rushlight.engine.ops.reduction.checks import not_implemented
from rushlight.engine.ops.reduction.orders import arranged_rows
from rushlight.engine.ops.reduction.sums import WIDE_UNSIGNED

# Types that are put in order as wider ones.
_WIDER = {
    dtypes.float16: dtypes.float32, dtypes.bfloat16: dtypes.float32, dtypes.bool_: dtypes.int32,
    dtypes.uint8: dtypes.int32, dtypes.int8: dtypes.int32, dtypes.int16: dtypes.int32,
}  # fmt: skip

Pair = tuple[Tensor, Tensor]


def _check(kernel: str, self: Tensor) -> None:
    kind = self._dtype
    if kind.category == COMPLEX or kind in WIDE_UNSIGNED or kind in dtypes.FLOAT8:
        raise not_implemented(kernel, kind)


def _check_length(name: str, self: Tensor, d: int) -> None:
    if self._size and self._size[d] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


def _rows(self: Tensor, d: int) -> Tensor:
    """The elements with a dimension last, dense, in a type that can be put in order."""
    rows = views.movedim_int(self, d, -1) if self._size else views.reshape(self, (1,))
    wide = copies.to_dtype(rows, _WIDER.get(self._dtype, self._dtype))
    return copies.contiguous(wide, contiguous_format)


def _one_of_each(self: Tensor, d: int, keepdim: bool, choose: Any) -> Request:
    """A request for one element of each row and its place: ``choose(rows)`` gives both as columns."""
    size = reduced_size(self._size, (d,) if self._size else (), keepdim)

    def laid_out(column: Tensor) -> Tensor:
        keeps = keepdim and self._size
        shown = views.movedim_int(column, -1, d) if keeps else views.select_int(column, -1, 0)
        return copies.clone(shown, contiguous_format)

    def compute() -> Pair:
        values, places = choose(_rows(self, d))
        return laid_out(copies.to_dtype(values, self._dtype)), laid_out(places)

    return Computed(
        [contiguous_spec(size, self._dtype), contiguous_spec(size, dtypes.int64)], compute
    )


def _column(x: Tensor, place: int) -> Tensor:
    return views.slice_Tensor(x, -1, place, place + 1, 1)


def _picked(ordered: Pair, at: Tensor) -> Pair:
    values, places = (indexing.gather(x, -1, at, False) for x in ordered)
    return values, places


@planned("kthvalue", exact=True)
def kthvalue(self: Tensor, k: int, dim: int, keepdim: bool) -> Request:
    d = wrap_dim(dim, len(self._size))
    _check_length("kthvalue", self, d)
    if not 1 <= k <= (self._size[d] if self._size else 1):
        raise RuntimeError("selected number k out of range for dimension " + str(d))
    _check("kthvalue_cpu", self)
    if self._dtype.category == BOOLEAN:
        raise not_implemented("kthvalue_cpu", self._dtype)

    def choose(rows: Tensor) -> Pair:
        values, places = arranged_rows(rows, selection.HOARE, False, k)
        return _column(values, k - 1), _column(places, k - 1)

    return _one_of_each(self, d, keepdim, choose)


def _median(rows: Tensor, ignore_nan: bool) -> Pair:
    """The lower median of each row, and its place: a NaN's, if there is one that counts."""
    length = rows._size[-1]
    ordered = arranged_rows(rows, selection.DIGITS, False, length)
    middle = (length - 1) // 2
    if rows._dtype.category < FLOATING:
        return _column(ordered[0], middle), _column(ordered[1], middle)
    numbers = reduction.sum_dim_IntList(maps.logical_not(maps.isnan(rows)), [-1], True, None)
    if ignore_nan:
        at = maps.clamp_min(maps.sub_Scalar(numbers, 1, 1), 0)
        return _picked(ordered, maps.bitwise_right_shift_Tensor_Scalar(at, 1))
    # The first NaN stands behind all numbers.
    is_number = maps.eq_Scalar(numbers, length)
    return _picked(ordered, indexing.where_ScalarSelf(is_number, middle, numbers))


def _check_median(self: Tensor) -> None:
    _check("median_cpu", self)
    if self._dtype.category == BOOLEAN:
        raise not_implemented("median_cpu", self._dtype)


def _register_medians(name: str, ignore_nan: bool) -> None:
    """`median` or `nanmedian`."""

    @planned(name)
    def full(self: Tensor) -> Request:
        _check_median(self)

        def compute() -> Tensor:
            if not self._numel:
                real = self._dtype.category >= FLOATING
                value = float("nan") if real else dtypes.iinfo(self._dtype).min
                return creation.full((), value, self._dtype, None, self._storage.device)
            found = _median(_rows(views.reshape(self, (-1,)), 0), ignore_nan)[0]
            chosen = views.select_int(copies.to_dtype(found, self._dtype), 0, 0)
            return copies.clone(chosen, contiguous_format)

        return Computed([contiguous_spec((), self._dtype)], compute)

    @planned(f"{name}.dim", exact=True)
    def along(self: Tensor, dim: int, keepdim: bool) -> Request:
        d = wrap_dim(dim, len(self._size))
        _check_length("median", self, d)
        _check_median(self)
        return _one_of_each(self, d, keepdim, lambda rows: _median(rows, ignore_nan))


_register_medians("median", False)
_register_medians("nanmedian", True)


def _mode(rows: Tensor) -> Pair:
    """Where each row's most frequent element is last; the smallest of several."""
    length = rows._size[-1]
    ordered = arranged_rows(rows, selection.SORT, False, length)
    if length == 1:
        return ordered
    values = ordered[0]
    starts = maps.ne_Tensor(
        views.slice_Tensor(values, -1, 1, length, 1), views.slice_Tensor(values, -1, 0, -1, 1)
    )
    place = creation.arange(length, dtype=dtypes.int64, device=rows._storage.device)
    later = views.slice_Tensor(place, 0, 1, length, 1)
    run_start = reduction.cummax(indexing.where_ScalarOther(starts, later, 0), -1)[0]
    depth = maps.sub_Tensor(later, run_start, 1)
    first = views.expand(_column(place, 0), (*rows._size[:-1], 1), False)
    deepest = reduction.argmax(joining.cat([first, depth], -1), -1, True)
    return _picked(ordered, deepest)


@planned("mode", exact=True)
def mode(self: Tensor, dim: int, keepdim: bool) -> Request:
    d = wrap_dim(dim, len(self._size))
    _check_length("mode", self, d)
    _check("mode_cpu", self)
    return _one_of_each(self, d, keepdim, _mode)
