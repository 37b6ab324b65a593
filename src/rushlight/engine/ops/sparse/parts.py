"""What the kernels of sparse tensors share: their parts, and indices as places in flat order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from rushlight.engine.calls import sparse as calls
from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation, joining, pointwise
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.sparse import (
    Compressed,
    from_compressed,
    from_coordinates,
    is_sparse,
    parts_of,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import placement
from rushlight.engine.ops.sparse import walks

Size = tuple[int, ...]

__all__ = [
    "alike", "coalesced", "copied", "expanded", "flat_places", "for_compressed", "for_sparse",
    "from_coordinates", "in_shape", "indices_of", "indices_of_blocks", "indices_of_places", "is_compressed", "is_sparse",
    "new_zeros", "parts_of", "sparse_dims", "sparse_size", "title_of_layout", "values_of", "with_values",
]  # fmt: skip


def for_sparse(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function for calls in which some tensor has coordinates."""
    return _registering("Sparse", names)


def for_compressed(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function for calls in which some tensor is compressed."""
    return _registering("SparseCsr", names)


def _registering(
    key: str, names: tuple[str, ...]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            operators.register_kernel(name, key, _where_parts_are(function, name))
        return function

    return decorate


def _where_parts_are(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A kernel whose own tensors, and whose loops, are where those of its arguments are."""

    @wraps(function)
    def run(*args: Any) -> Any:
        # Nobody plans for devices before there is one.
        given = next(iter(tensors_in(args)), None) if placement.planners else None
        if given is None:
            return function(*args)
        with placement.planned_for(given, f"aten::{name}"):
            return function(*args)

    return run


def is_compressed(tensor: Tensor) -> bool:
    """Whether a tensor has one of the compressed layouts."""
    return is_sparse(tensor) and isinstance(parts_of(tensor), Compressed)


def indices_of(tensor: Tensor) -> Tensor:
    """The indices, one column for each value of `values_of`, whatever the layout."""
    parts = parts_of(tensor)
    if not isinstance(parts, Compressed):
        found: Tensor = parts.indices
        return found
    if parts.expanded is None:
        with placement.planned_for(parts.plain, "aten::_indices"):
            parts.expanded = expanded(parts)
    return parts.expanded


def indices_of_blocks(parts: Compressed) -> Tensor:
    """Compressed indices as indices of every value, or of every block: [batch dimensions + 2, count]."""
    steps.Unrepeatable.note()
    starts = copies.to_dtype(parts.compressed, dtypes.int64)
    count = starts._size_[-1] - 1
    inner = views.reshape(copies.to_dtype(parts.plain, dtypes.int64), (-1,))
    if not parts.batch:
        outer = walks.rows_of(starts, inner._numel_)
        return joining.stack([outer, inner] if parts.by_rows else [inner, outer], 0)
    lengths = pointwise.sub_Tensor(
        views.narrow(starts, -1, 1, count), views.narrow(starts, -1, 0, count), alpha=1
    )
    outer = views.repeat_interleave_Tensor(views.reshape(lengths, (-1,)))
    *batch, outer = views.unbind_int(indices_of_places(outer, (*parts.batch, count)), 0)
    return joining.stack([*batch, outer, inner] if parts.by_rows else [*batch, inner, outer], 0)


def expanded(parts: Compressed) -> Tensor:
    """Compressed indices as indices of every element of the values, but for their dense dimensions."""
    if parts.plain._storage_.device.type == "meta":
        size = (len(parts.batch) + 2, _count(parts))
        return tensors.empty(size, dtypes.int64, parts.plain._storage_.device)
    found = indices_of_blocks(parts)
    if not parts.is_blocked:
        return found
    return _spread_over_blocks(found, parts.block)


def _spread_over_blocks(indices: Tensor, block: tuple[int, int]) -> Tensor:
    """The indices of all elements of blocks, given those of the blocks."""
    count = indices._size_[1]
    shape = (count, *block)
    rows = list(views.unbind_int(indices, 0))
    made = [views.expand(views.view(row, (count, 1, 1)), shape) for row in rows[:-2]]
    for row, length, across in zip(rows[-2:], block, ((1, -1, 1), (1, 1, -1))):
        inside = views.view(creation.arange(length, dtypes.int64, None, None, None), across)
        first = views.view(pointwise.mul_Scalar(row, length), (count, 1, 1))
        made.append(views.expand(pointwise.add_Tensor(first, inside, alpha=1), shape))
    return joining.stack([views.reshape(row, (math.prod(shape),)) for row in made], 0)


def values_of(tensor: Tensor) -> Tensor:
    """The values, one after the other whatever the layout: [count, *dense dimensions]."""
    parts = parts_of(tensor)
    found: Tensor = parts.values
    if not isinstance(parts, Compressed) or parts.is_plain:
        return found
    return views.reshape(found, (_count(parts), *parts.dense))


def _count(parts: Compressed) -> int:
    """How many elements the values have, but for their dense dimensions."""
    return math.prod(parts.plain._size_) * math.prod(parts.block)


def sparse_dims(tensor: Tensor) -> int:
    """How many dimensions `indices_of` speaks of: of a compressed tensor, those of its batch too."""
    parts = parts_of(tensor)
    if isinstance(parts, Compressed):
        return len(parts.batch) + 2
    return int(parts.indices._size_[0])


def sparse_size(tensor: Tensor) -> Size:
    """The sizes of the dimensions that the indices speak of."""
    return tuple(tensor._size_[: sparse_dims(tensor)])


def in_shape(parts: Any, values: Any) -> Any:
    """Values as those of `values_of`, in the shape that the parts have them in."""
    if not isinstance(parts, Compressed) or parts.is_plain:
        return values
    return views.reshape(values, tuple(parts.values._size_))


def alike(tensor: Tensor, values: Tensor) -> Tensor:
    """A tensor with other values at the same indices; ``values`` are as those of `values_of`."""
    parts = parts_of(tensor)
    if not isinstance(parts, Compressed):
        return from_coordinates(parts.indices, values, tensor._size_, parts.coalesced)
    shaped = in_shape(parts, values)
    made = Compressed(parts.compressed, parts.plain, shaped, parts.layout, parts.is_sorted)
    made.expanded = parts.expanded
    return from_compressed(made, tensor._size_)


def with_values(values: Any, like: Any) -> Any:
    """A sparse tensor of values that may have a history, at the indices of another one."""
    parts = parts_of(like)
    if isinstance(parts, Compressed):
        return calls._sparse_compressed_tensor_unsafe(
            parts.compressed, parts.plain, in_shape(parts, values), like._size_, layout=parts.layout
        )
    return calls._sparse_coo_tensor_unsafe(
        parts.indices, values, like._size_, is_coalesced=parts.coalesced
    )


def copied(tensor: Tensor) -> Tensor:
    """A tensor with parts of its own."""
    parts = parts_of(tensor)
    values = copies.clone(parts.values)
    if not isinstance(parts, Compressed):
        return from_coordinates(copies.clone(parts.indices), values, tensor._size_, parts.coalesced)
    indices = copies.clone(parts.compressed), copies.clone(parts.plain)
    return from_compressed(
        Compressed(*indices, values, parts.layout, parts.is_sorted), tensor._size_
    )


def coalesced(tensor: Tensor) -> Tensor:
    """The tensor with every index once and in order."""
    return tensor if parts_of(tensor).coalesced else calls._coalesce(tensor)


def title_of_layout(tensor: Tensor) -> str:
    """The layout of a tensor in the words of messages."""
    return layouts.title(sparse_tensors.layout_of(tensor))


def new_zeros(size: Sequence[int], like: Tensor) -> Tensor:
    """A dense tensor of zeros."""
    made = tensors.empty(tuple(size), like._dtype_, like._storage_.device)
    return copies.zero_(made)


def flat_places(indices: Tensor, size: Size) -> Tensor:
    """Each index as one number: its place in the row-major order of the given sizes."""
    if not size:
        return creation.zeros([indices._size_[1]], dtypes.int64)
    places = views.select_int(indices, 0, 0)
    for d in range(1, len(size)):
        places = pointwise.add_Tensor(views.select_int(indices, 0, d), places, size[d])
    return places


def indices_of_places(places: Tensor, size: Size) -> Tensor:
    """The indices, of size [dimensions, count], of places in row-major order."""
    if not size:
        return tensors.empty((0, places._numel_), dtypes.int64)
    rows = []
    for n in reversed(size[1:]):
        # Sizes of 0 have no places.
        rows.append(pointwise.remainder_Scalar(places, max(n, 1)))
        places = pointwise.floor_divide_Scalar(places, max(n, 1))
    if not rows:
        return views.unsqueeze(places, 0)
    return joining.stack([places, *reversed(rows)], 0)


def count_of(size: Size) -> int:
    """How many places there are."""
    return math.prod(size)
