"""Medians, k-th smallest and most frequent elements: what is chosen from rows that are in order.

Calls that come again are steps on sorted rows, which machine code repeats; small tensors of a shape
that comes once go through numpy. NaN counts as the largest element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, joining, reduction
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core.dtype import BOOLEAN, COMPLEX, FLOATING
from rushlight.engine.core.layout import contiguous_format
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import recorder
from rushlight.engine.ops import bridge
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds.planned import Computed, Request, contiguous_spec, planned
from rushlight.engine.ops.kinds.reduction import reduced_size
from rushlight.engine.ops.reduction.sums import WIDE_UNSIGNED
from rushlight.engine.ops.sorting import selection
from rushlight.engine.ops.sorting.sort import arranged_rows, ascending, keys_of, taken

# Types that are put in order as wider ones.
_WIDER = {
    dtypes.float16: dtypes.float32, dtypes.bfloat16: dtypes.float32, dtypes.bool_: dtypes.int32,
    dtypes.uint8: dtypes.int32, dtypes.int8: dtypes.int32, dtypes.int16: dtypes.int32,
}  # fmt: skip

# Up to here, a plan for every step costs more than numpy does.
_FEW = 4096

Pair = tuple[Tensor, Tensor]


def _check(kernel: str, self: Tensor) -> None:
    kind = self._dtype_
    if kind.category == COMPLEX or kind in WIDE_UNSIGNED or kind in dtypes.FLOAT8:
        raise not_implemented(kernel, kind)


def _check_length(name: str, self: Tensor, d: int) -> None:
    if self._size_ and self._size_[d] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


def _rows(self: Tensor, d: int) -> Tensor:
    """The elements with a dimension last, dense, in a type that can be put in order."""
    rows = views.movedim_int(self, d, -1) if self._size_ else views.reshape(self, (1,))
    wide = copies.to_dtype(rows, _WIDER.get(self._dtype_, self._dtype_))
    return copies.contiguous(wide, contiguous_format)


def _comes_once(self: Tensor) -> bool:
    """Whether numpy is quicker: few elements of a shape that may not come again."""
    is_for_host = state.thread.planner is None
    return is_for_host and 0 < self._numel_ <= _FEW and not recorder.is_recorded()


def _one_of_each(self: Tensor, d: int, keepdim: bool, choose: Any, places_in: Any) -> Request:
    """A request for one element of each row and its place.

    Args:
        choose: gives both, as columns, of rows
        places_in: gives the places of elements as numpy orders them
    """
    size = reduced_size(self._size_, (d,) if self._size_ else (), keepdim)

    def laid_out(column: Tensor) -> Tensor:
        keeps = keepdim and self._size_
        shown = views.movedim_int(column, -1, d) if keeps else views.select_int(column, -1, 0)
        return copies.clone(shown, contiguous_format)

    def compute() -> Pair:
        if _comes_once(self):
            return taken(self, d, places_in(keys_of(self, d))[..., None], keepdim)
        values, places = choose(_rows(self, d))
        return laid_out(copies.to_dtype(values, self._dtype_)), laid_out(places)

    return Computed(
        [contiguous_spec(size, self._dtype_), contiguous_spec(size, dtypes.int64)], compute
    )


def _column(x: Tensor, place: int) -> Tensor:
    return views.slice_Tensor(x, -1, place, place + 1, 1)


def _picked(ordered: Pair, at: Tensor) -> Pair:
    values, places = (indexing.gather(x, -1, at, False) for x in ordered)
    return values, places


@planned("kthvalue", exact=True)
def kthvalue(self: Tensor, k: int, dim: int, keepdim: bool) -> Request:
    d = wrap_dim(dim, len(self._size_))
    _check_length("kthvalue", self, d)
    if not 1 <= k <= (self._size_[d] if self._size_ else 1):
        raise RuntimeError("selected number k out of range for dimension " + str(d))
    _check("kthvalue_cpu", self)
    if self._dtype_.category == BOOLEAN:
        raise not_implemented("kthvalue_cpu", self._dtype_)

    def choose(rows: Tensor) -> Pair:
        values, places = arranged_rows(rows, selection.HOARE, False, k)
        return _column(values, k - 1), _column(places, k - 1)

    def places_in(keys: Any) -> Any:
        return selection.arranged(keys, selection.HOARE, k - 1)[..., k - 1]

    return _one_of_each(self, d, keepdim, choose, places_in)


def _median(rows: Tensor, ignore_nan: bool) -> Pair:
    """The lower median of each row, and its place: a NaN's, if there is one that counts."""
    length = rows._size_[-1]
    ordered = arranged_rows(rows, selection.DIGITS, False, length)
    middle = (length - 1) // 2
    if rows._dtype_.category < FLOATING:
        return _column(ordered[0], middle), _column(ordered[1], middle)
    numbers = reduction.sum_dim_IntList(maps.logical_not(maps.isnan(rows)), [-1], True, None)
    if ignore_nan:
        at = maps.clamp_min(maps.sub_Scalar(numbers, 1, 1), 0)
        return _picked(ordered, maps.bitwise_right_shift_Tensor_Scalar(at, 1))
    # The first NaN stands behind all numbers.
    lower = maps.bitwise_right_shift_Tensor_Scalar(maps.sub_Scalar(numbers, 1, 1), 1)
    return _picked(ordered, indexing.where_self(maps.eq_Scalar(numbers, length), lower, numbers))


def _median_places(keys: Any, ignore_nan: bool) -> Any:
    """Where each row's lower median is: a NaN's place if there is one that counts."""
    length = keys.shape[-1]
    middle = (length - 1) // 2
    order = ascending(keys)
    if not np.issubdtype(keys.dtype, np.floating):
        return order[..., middle]
    missing = np.isnan(keys)
    if ignore_nan:
        numbers = length - missing.sum(-1)
        places = np.maximum(numbers - 1, 0) // 2
        return np.take_along_axis(order, places[..., None], -1)[..., 0]
    return np.where(missing.any(-1), missing.argmax(-1), order[..., middle])


def _check_median(self: Tensor) -> None:
    _check("median_cpu", self)
    if self._dtype_.category == BOOLEAN:
        raise not_implemented("median_cpu", self._dtype_)


def _register_medians(name: str, ignore_nan: bool) -> None:
    """`median` or `nanmedian`."""

    @planned(name)
    def full(self: Tensor) -> Request:
        _check_median(self)

        def compute() -> Tensor:
            if not self._numel_:
                real = self._dtype_.category >= FLOATING
                value = float("nan") if real else dtypes.iinfo(self._dtype_).min
                return creation.full((), value, self._dtype_, None, self._storage_.device)
            if _comes_once(self):
                bits, keys = bridge.array(self), keys_of(self, 0)
                bits = (np.moveaxis(bits, 0, -1) if self._size_ else bits).reshape(-1)
                place = _median_places(keys.reshape(-1), ignore_nan)
                return bridge.tensor_of(bits[place], self._dtype_)
            found = _median(_rows(views.reshape(self, (-1,)), 0), ignore_nan)[0]
            chosen = views.select_int(copies.to_dtype(found, self._dtype_), 0, 0)
            return copies.clone(chosen, contiguous_format)

        return Computed([contiguous_spec((), self._dtype_)], compute)

    @planned(f"{name}.dim", exact=True)
    def along(self: Tensor, dim: int, keepdim: bool) -> Request:
        d = wrap_dim(dim, len(self._size_))
        _check_length("median", self, d)
        _check_median(self)
        return _one_of_each(
            self, d, keepdim, lambda rows: _median(rows, ignore_nan),
            lambda keys: _median_places(keys, ignore_nan),
        )  # fmt: skip


_register_medians("median", False)
_register_medians("nanmedian", True)


def _mode(rows: Tensor) -> Pair:
    """Where each row's most frequent element is last; the smallest of several."""
    length = rows._size_[-1]
    ordered = arranged_rows(rows, selection.SORT, False, length)
    if length == 1:
        return ordered
    values = ordered[0]
    starts = maps.ne_Tensor(
        views.slice_Tensor(values, -1, 1, length, 1), views.slice_Tensor(values, -1, 0, -1, 1)
    )
    place = creation.arange(length, dtype=dtypes.int64, device=rows._storage_.device)
    later = views.slice_Tensor(place, 0, 1, length, 1)
    run_start = reduction.cummax(indexing.where_ScalarOther(starts, later, 0), -1)[0]
    depth = maps.sub_Tensor(later, run_start, 1)
    first = views.expand(_column(place, 0), (*rows._size_[:-1], 1), False)
    deepest = reduction.argmax(joining.cat([first, depth], -1), -1, True)
    return _picked(ordered, deepest)


def _mode_places(keys: Any) -> Any:
    """Where each row's most frequent element is last; the smallest of several."""
    order = selection.arranged(keys, selection.SORT)
    ordered = np.take_along_axis(keys, order, -1)
    length = keys.shape[-1]
    starts = np.ones(ordered.shape, bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    place = np.arange(length)
    run_start = np.maximum.accumulate(np.where(starts, place, 0), axis=-1)
    last = np.argmax(place - run_start, axis=-1)
    return np.take_along_axis(order, last[..., None], -1)[..., 0]


@planned("mode", exact=True)
def mode(self: Tensor, dim: int, keepdim: bool) -> Request:
    d = wrap_dim(dim, len(self._size_))
    _check_length("mode", self, d)
    _check("mode_cpu", self)
    return _one_of_each(self, d, keepdim, _mode, _mode_places)
