"""Reductions of consecutive segments of rows, which lengths or offsets delimit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation, indexing, pointwise
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import bridge
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.indexing import along_dim, slices
from rushlight.engine.ops.kinds.views import cpu, meta

_NAMES = {"sum": "sum", "mean": "mean", "prod": "prod", "max": "amax", "min": "amin",
          "amax": "amax", "amin": "amin"}  # fmt: skip


def _lengths(data: Tensor, lengths: Tensor | None, offsets: Tensor | None, unsafe: bool) -> Any:
    """The segments' lengths, checked against the rows."""
    given = offsets if lengths is None else lengths
    assert given is not None
    if given._dtype_ not in (dtypes.int64, dtypes.int32):
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
    found = _lengths(data, lengths, offsets, unsafe)
    fold = _NAMES[reduce]
    rest = data._size_[found.ndim :]
    count = found.size
    start = along_dim.identity_of(fold, data._dtype_) if initial is None else initial
    made = tensors.empty((count, *rest), data._dtype_, data._storage_.device)
    copies.fill__Scalar(made, start)
    owner, places = _members(data, found)
    rows = views.reshape(data, (-1, *rest))
    if len(owner) != rows._size_[0]:
        rows = indexing.index_select(rows, 0, bridge.tensor_of(places))
    slices.write(made, 0, bridge.tensor_of(owner), rows, "sum" if fold == "mean" else fold)
    if fold == "mean":
        shape = (count,) + (1,) * len(rest)
        divisor = bridge.tensor_of(found.reshape(shape))
        if initial is not None:
            divisor = pointwise.clamp_min(divisor, 1)
        made = pointwise.div_Tensor(made, divisor)
    return views.view(made, (*found.shape, *rest))


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
    found = _lengths(data, lengths, offsets, unsafe)
    rest = data._size_[found.ndim :]
    owners, places = (_beside(data, p) for p in _members(data, found))
    rows = indexing.index_select(views.reshape(data, (-1, *rest)), 0, places)

    def per_segment(x: Any) -> Any:
        return views.reshape(x, (found.size, *rest))

    def of_owner(x: Any) -> Any:
        return indexing.index_select(x, 0, owners)

    def summed(x: Any) -> Any:
        nothing = creation.new_zeros(x, (found.size, *rest))
        return indexing.index_add(nothing, 0, owners, x, 1)

    grad, result = per_segment(grad), per_segment(result)
    fold = _NAMES[reduce]
    if fold == "sum":
        of_rows = of_owner(grad)
    elif fold == "mean":
        counts = _beside(data, np.maximum(found.reshape(-1, *[1] * len(rest)), 1))
        of_rows = of_owner(grad / counts)
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
    whole = creation.new_zeros(grad, (data._numel_ // max(1, math.prod(rest)), *rest))
    return views.reshape(indexing.index_copy(whole, 0, places, of_rows), data._size_)
