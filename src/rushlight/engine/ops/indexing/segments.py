"""Reductions of consecutive segments of rows, which lengths or offsets delimit."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation, indexing, pointwise, reduction, searching
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import answers, bridge
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.indexing import along_dim, slices
from rushlight.engine.ops.kinds.views import cpu, meta

_INDICES = (dtypes.int64, dtypes.int32)
_NAMES = {"sum": "sum", "mean": "mean", "prod": "prod", "max": "amax", "min": "amin",
          "amax": "amax", "amin": "amin"}  # fmt: skip


def _lengths(data: Tensor, lengths: Tensor | None, offsets: Tensor | None, unsafe: bool) -> Any:
    """The segments' lengths, checked against the rows."""
    given = offsets if lengths is None else lengths
    assert given is not None
    if given._dtype_ not in _INDICES:
        what = "offsets" if lengths is None else "lengths"
        raise not_implemented(f"_segment_reduce_{what}_cpu_kernel1", given._dtype_)
    found = bridge.elements(given).astype(np.int64)
    if lengths is None:
        found = np.diff(found, axis=-1)
    if (found < 0).any():
        raise RuntimeError("lengths contains negative value!")
    rows = data._size_[found.ndim - 1]
    fits = (found.sum(-1) == rows).all()
    if not unsafe and not fits and (lengths is not None or (found.sum(-1) > rows).any()):
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to "
            "data.size(lengths.dim()-1) when !unsafe."
        )
    return found


def _members(data: Tensor, lengths: Any) -> tuple[Any, Any]:
    """The segment of every row that is in one, and the places of these rows."""
    owner = np.repeat(np.arange(lengths.size), lengths.reshape(-1))
    used = lengths.sum(-1).ravel()
    first = np.repeat(np.arange(used.size) * data._size_[lengths.ndim - 1], used)
    return owner, first + np.concatenate([np.arange(n) for n in used])


class _Segments(NamedTuple):
    """Which rows belong together.

    Args:
        owners: the segment of every row that is in one
        places: where these rows are; None if they are all
        lengths: of the segments, as integers of 64 bits
    """

    owners: Tensor
    places: Tensor | None
    lengths: Tensor

    def rows_of(self, data: Tensor) -> Tensor:
        """The rows that are in segments."""
        rest = data._size_[len(self.lengths._size_) :]
        rows = views.reshape(data, (-1, *rest))
        return rows if self.places is None else indexing.index_select(rows, 0, self.places)


def _segments(
    data: Tensor, lengths: Tensor | None, offsets: Tensor | None, unsafe: bool
) -> _Segments:
    segments = _of_all_rows(data, lengths, offsets)
    if segments is not None:
        return segments
    found = _lengths(data, lengths, offsets, unsafe)
    owners, places = (_beside(data, p) for p in _members(data, found))
    is_all = owners._numel_ == math.prod(data._size_[: found.ndim])
    return _Segments(owners, None if is_all else places, _beside(data, found))


def _of_all_rows(data: Tensor, lengths: Tensor | None, offsets: Tensor | None) -> _Segments | None:
    """The segments of one row of lengths that add up to all rows, found in steps; None of others."""
    given = offsets if lengths is None else lengths
    assert given is not None
    is_plain = not (given._keys_ | data._keys_) & ~(keys.CPU | keys.AUTOGRAD)
    if not is_plain or len(given._size_) != 1 or given._numel_ < 2 or given._dtype_ not in _INDICES:
        return None
    own, rows = copies.to_dtype(given, dtypes.int64), data._size_[0]
    if lengths is None:
        ends = views.slice_Tensor(own, 0, 1, None, 1)
        first = views.slice_Tensor(own, 0, 0, -1, 1)
        own = pointwise.sub_Tensor(ends, first, alpha=1)
        if not answers.are_within(views.select_int(first, 0, 0), 0, 0):
            return None
    else:
        ends = reduction.cumsum(own, 0)
    is_whole = answers.are_within(views.select_int(ends, 0, -1), rows, rows)
    if not is_whole or not answers.are_within(own, 0, rows):
        return None
    places = creation.arange(rows)
    return _Segments(searching.searchsorted_Tensor(ends, places, right=True), None, own)


def _check(
    data: Tensor,
    reduce: str,
    lengths: Tensor | None,
    indices: Tensor | None,
    offsets: Tensor | None,
) -> None:
    if reduce not in _NAMES:
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if data._dtype_.category != dtypes.FLOATING or not data._numel_:
        raise not_implemented("_segment_reduce_cpu", data._dtype_)


@meta("segment_reduce")
def segment_reduce_of_meta(
    data: Tensor,
    reduce: str,
    lengths: Tensor | None,
    indices: Tensor | None,
    offsets: Tensor | None,
    *options: Any,
) -> Tensor:
    _check(data, reduce, lengths, indices, offsets)
    given: Any = offsets if lengths is None else lengths
    size = [*given._size_, *data._size_[len(given._size_) :]]
    size[len(given._size_) - 1] -= lengths is None
    return tensors.empty(tuple(size), data._dtype_, data._storage_.device)


@cpu("segment_reduce")
def segment_reduce(
    data: Tensor,
    reduce: str,
    lengths: Tensor | None,
    indices: Tensor | None,
    offsets: Tensor | None,
    axis: int,
    unsafe: bool,
    initial: Any,
) -> Tensor:
    _check(data, reduce, lengths, indices, offsets)
    segments = _segments(data, lengths, offsets, unsafe)
    fold = _NAMES[reduce]
    size = segments.lengths._size_
    rest = data._size_[len(size) :]
    start = along_dim.identity_of(fold, data._dtype_) if initial is None else initial
    made = creation.full(
        (sizes.numel(size), *rest), start, data._dtype_, None, data._storage_.device
    )
    rows = segments.rows_of(data)
    slices.write(made, 0, segments.owners, rows, "sum" if fold == "mean" else fold)
    if fold == "mean":
        divisor = views.reshape(segments.lengths, (sizes.numel(size),) + (1,) * len(rest))
        if initial is not None:
            divisor = pointwise.clamp_min(divisor, 1)
        made = pointwise.div_Tensor(made, divisor)
    return views.view(made, (*size, *rest))


def _beside(data: Tensor, values: Any) -> Tensor:
    """An array's elements on the device of the data."""
    made = bridge.tensor_of(values)
    where = data._storage_.device
    if made._storage_.device is where:
        return made
    return copies._to_copy(made, None, None, where)  # type: ignore[no-any-return]


def segment_reduce_backward(
    grad: Any, data: Any, reduce: str, lengths: Any, offsets: Any, unsafe: bool, initial: Any,
    result: Any,
) -> Tensor:  # fmt: skip
    """What every row adds to its segment's result, times the gradient of that."""
    segments = _segments(data, lengths, offsets, unsafe)
    owners, count = segments.owners, segments.lengths._numel_
    rest = data._size_[len(segments.lengths._size_) :]
    rows: Any = segments.rows_of(data)

    def per_segment(x: Any) -> Any:
        return views.reshape(x, (count, *rest))

    def of_owner(x: Any) -> Any:
        return indexing.index_select(x, 0, owners)

    def summed(x: Any) -> Any:
        nothing = creation.new_zeros(x, (count, *rest))
        return indexing.index_add(nothing, 0, owners, x, 1)

    grad, result = per_segment(grad), per_segment(result)
    fold = _NAMES[reduce]
    if fold == "sum":
        of_rows = of_owner(grad)
    elif fold == "mean":
        counts = views.reshape(segments.lengths, (count, *[1] * len(rest)))
        of_rows = of_owner(grad / pointwise.clamp_min(counts, 1))
    elif fold == "prod":
        zero = rows == 0
        zeros = of_owner(summed(zero.to(grad._dtype_)))
        product = indexing.segment_reduce(
            data.masked_fill(data == 0, 1), reduce, lengths=lengths, offsets=offsets,
            unsafe=unsafe, initial=initial,
        )  # fmt: skip
        others = of_owner(per_segment(product)) / rows.masked_fill(zero, 1)
        of_rows = of_owner(grad) * others * (zeros == zero.to(grad._dtype_))
    else:
        chosen = (rows == of_owner(result)).to(grad._dtype_)
        of_rows = chosen * of_owner(grad / summed(chosen).clamp(min=1))
    if segments.places is None:
        return views.reshape(of_rows, data._size_)
    whole = creation.new_zeros(grad, (data._numel_ // max(1, math.prod(rest)), *rest))
    return views.reshape(indexing.index_copy(whole, 0, segments.places, of_rows), data._size_)
