"""What a sparse tensor says of itself: its parts, their numbers, and whether they are in order."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import sparse as calls
from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import indexing, searching
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.sparse import is_coordinates
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.kinds.views import composite, cpu, explicit
from rushlight.engine.ops.sparse.parts import (
    flat_places,
    for_sparse,
    from_coordinates,
    indices_of,
    indices_of_places,
    new_zeros,
    parts_of,
    sparse_dims,
    sparse_size,
    title_of_layout,
    values_of,
)


@for_sparse("sparse_dim", "_dimI")
def sparse_dim(self: Tensor) -> int:
    return sparse_dims(self)


@for_sparse("dense_dim", "_dimV")
def dense_dim(self: Tensor) -> int:
    return len(values_of(self)._size_) - 1


@explicit("sparse_dim")
def no_sparse_dim(self: Tensor) -> int:
    return 0


@explicit("dense_dim")
def all_dense_dim(self: Tensor) -> int:
    return len(self._size_)


@for_sparse("_nnz")
def count(self: Tensor) -> int:
    return indices_of(self)._size_[1]


@for_sparse("_indices")
def raw_indices(self: Tensor) -> Tensor:
    return tensors.same_elements(indices_of(self))


@for_sparse("_values")
def raw_values(self: Tensor) -> Tensor:
    return tensors.same_elements(values_of(self))


@for_sparse("indices")
def indices(self: Tensor) -> Tensor:
    _check_coalesced(self, "indices")
    return raw_indices(self)


@for_sparse("values")
def values(self: Tensor) -> Tensor:
    _check_coalesced(self, "values")
    return raw_values(self)


def _check_coalesced(self: Tensor, what: str) -> None:
    if not parts_of(self).coalesced:
        raise RuntimeError(
            f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first"
        )


def _refusing(name: str, expected: str) -> Any:
    def refuse(self: Tensor) -> Any:
        raise RuntimeError(f"{name} expected {expected} layout but got Strided")

    return refuse


cpu("indices")(_refusing("indices", "sparse coordinate tensor"))
cpu("values")(_refusing("values", "sparse tensor"))
cpu("is_coalesced")(_refusing("is_coalesced", "sparse coordinate tensor"))


@for_sparse("is_coalesced")
def is_coalesced(self: Tensor) -> bool:
    found: bool = parts_of(self).coalesced
    return found


@for_sparse("_coalesced_")
def say_coalesced(self: Tensor, coalesced: bool) -> Tensor:
    parts_of(self).coalesced = coalesced
    return self


@composite("coalesce")
def coalesce(self: Tensor) -> Tensor:
    if not is_coordinates(self):
        raise RuntimeError(
            "coalesce expected sparse coordinate tensor layout but got " + title_of_layout(self)
        )
    return self if parts_of(self).coalesced else calls._coalesce(self)


@for_sparse("_coalesce")
def in_order(self: Tensor) -> Tensor:
    """Every index once and in order; the values of an index that occurs more often are summed."""
    found, given = indices_of(self), values_of(self)
    if found._size_[1] < 2:
        parts = copies.clone(found), copies.clone(given)
        return from_coordinates(*parts, self._size_, True)
    size = sparse_size(self)
    distinct, place, _ = searching._unique2(flat_places(found, size), True, True, False)
    total = new_zeros((distinct._numel_, *given._size_[1:]), given)
    indexing.index_add_(total, 0, place, given, 1)
    return from_coordinates(indices_of_places(distinct, size), total, self._size_, True)
