"""What `walks` does on the host, for indices on a device: made of operators there."""

from __future__ import annotations

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
from rushlight.engine.core.tensor import Tensor


def starts_of(rows: Tensor, height: int) -> Tensor:
    """Where rows begin."""
    where = rows._storage_.device
    counts = creation.zeros([height + 1], dtypes.int64, None, where)
    ones = creation.ones([rows._numel_], dtypes.int64, None, where)
    indexing.index_add_(counts, 0, pointwise.add_Scalar(rows, 1, 1), ones, 1)
    return reduction.cumsum(counts, 0)  # type: ignore[no-any-return]


def order_of(lines: Tensor) -> Tensor:
    """Which values come one after the other by lines; those of a line stay in order."""
    return sorting.sort_stable(lines, stable=True)[1]  # type: ignore[no-any-return]


def rows_of(starts: Tensor, count: int) -> Tensor:
    """The row of every value, given where rows begin."""
    every = creation.arange(count, dtypes.int64, None, starts._storage_.device, None)
    return pointwise.sub_Scalar(searching.searchsorted_Tensor(starts, every, False, True), 1, 1)  # type: ignore[no-any-return]


def intersect(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Where the numbers that two growing lists share lie in each of them."""
    if not second._numel_:
        nothing = views.narrow(first, 0, 0, 0)
        return nothing, nothing
    at = pointwise.clamp_max(searching.searchsorted_Tensor(second, first), second._numel_ - 1)
    is_shared = pointwise.eq_Tensor(indexing.index_select(second, 0, at), first)
    kept = views.select_int(indexing.nonzero(is_shared), 1, 0)
    return kept, indexing.index_select(at, 0, kept)


def unite(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Two lists as one that grows, and where the numbers of each of them are in it."""
    found, places = searching._unique(joining.cat([first, second], 0), True, True)
    count = first._numel_
    return found, views.narrow(places, 0, 0, count), views.narrow(places, 0, count, second._numel_)
