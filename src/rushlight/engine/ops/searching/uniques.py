"""Distinct elements, or distinct neighbours, with their places and counts.

numpy sorts. Types that it lacks are ordered through float32. Every NaN is different from all others
and comes last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import recorder
from rushlight.engine.loops.plan import SOME_LENGTH
from rushlight.engine.ops import bridge
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds import compaction
from rushlight.engine.ops.kinds.views import cpu
from rushlight.engine.ops.sorting import selection, sort

# Up to here, steps that are remembered cost less than calling numpy.
_FEW = 4096

Found = tuple[Tensor, Tensor, Tensor]


def _keys(self: Tensor) -> Any:
    """The elements as numpy can compare them."""
    if self._dtype_.category == dtypes.COMPLEX or self._dtype_ in dtypes.FLOAT8:
        raise not_implemented("unique", self._dtype_)
    if self._dtype_ in (dtypes.bfloat16, dtypes.float16):
        self = copies.to_dtype(self, dtypes.float32)
    return np.ascontiguousarray(bridge.array(self))


def _starts(ordered: Any) -> Any:
    """Where a run of equal elements begins in a sequence."""
    starts = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    return starts


def _run_counts(places: Any, length: int) -> Any:
    return np.diff(np.append(places, length))


def _nothing() -> Tensor:
    return tensors.empty((0,), dtypes.int64)


def _wrapped(values: Any, size: tuple[int, ...]) -> Tensor:
    return bridge.tensor_of(values.reshape(size), dtypes.int64)


def _ordered(self: Tensor, keys: Any) -> tuple[Any, Any]:
    """The elements in order, as keys, and where each of them was."""
    if sort.lies_in_rows(self, len(self._size_) - 1):
        row = views.reshape(self, (-1,))
        values, places = sort.arranged_rows(row, selection.DIGITS, False, len(keys))
        return bridge.array(values), bridge.array(places)
    order = np.argsort(keys, kind="stable")
    return keys[order], order


def _as_elements(values: Any, kind: dtypes.dtype) -> Tensor:
    """Compared elements in their own type again."""
    if kind in (dtypes.bfloat16, dtypes.float16):
        return copies.to_dtype(bridge.tensor_of(values), kind)
    return bridge.tensor_of(values, kind)


def _distinct(self: Tensor, inverse: bool, counts: bool) -> Found:
    keys = _keys(self).reshape(-1)
    length = len(keys)
    # Zeros are equal whatever their signs: of few elements the first one stays.
    how: Any = "stable" if length <= _FEW else None
    ordered, order = _ordered(self, keys) if inverse else (np.sort(keys, kind=how), None)
    starts = _starts(ordered)
    values = ordered[starts]
    places, number = _nothing(), _nothing()
    if order is not None:
        numbered = np.empty(length, np.int64)
        numbered[order] = starts.cumsum() - 1
        places = _wrapped(numbered, self._size_)
    if counts:
        number = bridge.tensor_of(_run_counts(starts.nonzero()[0], length), dtypes.int64)
    return _as_elements(values, self._dtype_), places, number


def _neighbours(self: Tensor, inverse: bool, counts: bool) -> Found:
    keys = _keys(self).reshape(-1)
    starts = _starts(keys)
    places, number = _nothing(), _nothing()
    if inverse:
        places = _wrapped(starts.cumsum() - 1, self._size_)
    if counts:
        number = bridge.tensor_of(_run_counts(starts.nonzero()[0], len(keys)), dtypes.int64)
    return _as_elements(keys[starts], self._dtype_), places, number


def _repeatable(self: Tensor, inverse: bool, counts: bool, in_order: bool, compute: Any) -> Found:
    """What ``compute`` gives, noted in steps that find the runs of few elements again."""
    length, dims = self._numel_, len(self._size_)
    if not (recorder.is_recorded() and 1 < length <= _FEW and sort.lies_in_rows(self, dims - 1)):
        return compute(self, inverse, counts)  # type: ignore[no-any-return]
    row = views.reshape(self, (-1,))
    if in_order:
        ordered, order = row, None
    else:
        ordered, order = sort.arranged_rows(row, selection.DIGITS, False, length)
    later = views.slice_Tensor(ordered, 0, 1, length, 1)
    begins = maps.ne_Tensor(later, views.slice_Tensor(ordered, 0, 0, length - 1, 1))
    trace = symbolic.trace()
    if trace is None:
        made = recorder.unnoted(lambda: compute(self, inverse, counts))
    else:
        found: Any = trace.found(SOME_LENGTH)
        sizes = (found,), self._size_ if inverse else (0,), (found,) if counts else (0,)
        kinds = self._dtype_, dtypes.int64, dtypes.int64
        made = tuple(tensors.empty(size, kind) for size, kind in zip(sizes, kinds))
    compaction.note_runs(begins, ordered, order, made, inverse, counts)
    return made  # type: ignore[no-any-return]


@cpu("_unique2")
def unique2(self: Tensor, sorted: bool, return_inverse: bool, return_counts: bool) -> Found:
    return _repeatable(self, return_inverse, return_counts, False, _distinct)


@cpu("_unique")
def unique(self: Tensor, sorted: bool, return_inverse: bool) -> tuple[Tensor, Tensor]:
    return unique2(self, sorted, return_inverse, False)[:2]


@cpu("unique_consecutive")
def unique_consecutive(
    self: Tensor, return_inverse: bool, return_counts: bool, dim: int | None
) -> Found:
    if dim is not None:
        return _slices(self, dim, return_inverse, return_counts, in_order=True)
    return _repeatable(self, return_inverse, return_counts, True, _neighbours)


@cpu("unique_dim")
def unique_dim(
    self: Tensor, dim: int, sorted: bool, return_inverse: bool, return_counts: bool
) -> Found:
    return _slices(self, dim, return_inverse, return_counts, in_order=False)


@cpu("unique_dim_consecutive")
def unique_dim_consecutive(
    self: Tensor, dim: int, return_inverse: bool, return_counts: bool
) -> Found:
    return _slices(self, dim, return_inverse, return_counts, in_order=True)


def _slices(self: Tensor, dim: int, inverse: bool, counts: bool, in_order: bool) -> Found:
    """Distinct slices along a dimension, ordered by their elements unless neighbours are meant."""
    d = wrap_dim(dim, len(self._size_), scalar_counts=False)
    if not self._numel_:
        return empty_slices(self, d)
    keys = np.moveaxis(_keys(self), d, 0).reshape(self._size_[d], -1)
    length = len(keys)
    order = np.arange(length) if in_order else np.lexsort(keys.T[::-1])
    ordered = keys[order]
    starts = np.ones(length, bool)
    starts[1:] = (ordered[1:] != ordered[:-1]).any(1)
    chosen = order[starts]
    values = np.take(bridge.array(self), chosen, axis=d)
    places, number = _nothing(), _nothing()
    if inverse:
        numbered = np.empty(length, np.int64)
        numbered[order] = starts.cumsum() - 1
        places = bridge.tensor_of(numbered)
    if counts:
        number = bridge.tensor_of(_run_counts(starts.nonzero()[0], length), dtypes.int64)
    return bridge.tensor_of(values, self._dtype_), places, number


def empty_slices(self: Tensor, d: int) -> Found:
    if self._size_[d]:
        raise RuntimeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
        )
    others = sum(n == 0 for n in self._size_)
    if others != 1:
        raise RuntimeError(
            "Number of zero sized dimensions is more than one, so unique cannot be applied "
        )
    where = self._storage_.device
    nothing = tensors.empty((0,), dtypes.int64, where)
    return views.view(tensors.empty((0,), self._dtype_, where), self._size_), nothing, nothing
