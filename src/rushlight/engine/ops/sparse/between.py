"""From one of the layouts to another.

What is compressed is first a tensor with coordinates whose values are those of the layout, blocks for
``sparse_bsr`` and ``sparse_bsc``: so there is one way in, whatever the batch, the blocks and the dense
dimensions are.
"""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation, indexing, joining, pointwise, searching
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.sparse import Compressed, from_compressed
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops import bridge
from rushlight.engine.ops.kinds.views import composite, cpu, meta
from rushlight.engine.ops.sparse import conversion, products, walks
from rushlight.engine.ops.sparse.making_compressed import without_values
from rushlight.engine.ops.sparse.parts import (
    coalesced,
    flat_places,
    for_compressed,
    for_sparse,
    from_coordinates,
    indices_of,
    indices_of_places,
    is_compressed,
    new_zeros,
    parts_of,
    sparse_dims,
    sparse_size,
    title_of_layout,
    values_of,
)

Block = tuple[int, int]

# -- out of a compressed layout --


def coordinates(tensor: Tensor) -> Tensor:
    """A compressed tensor with coordinates; the dimensions of its batch are sparse ones, then."""
    indices = indices_of(tensor)
    return from_coordinates(indices, values_of(tensor), tensor._size_, parts_of(tensor).coalesced)


# -- into one --


def in_blocks(sparse: Tensor, block: Block) -> Tensor:
    """A tensor with coordinates of blocks: everything that has a value lies in one that it has."""
    *batch, rows, columns = sparse_size(sparse)
    *outside, row, column = views.unbind_int(indices_of(sparse), 0)
    lines = [_quotient(row, block[0]), _quotient(column, block[1])]
    size = (*batch, rows // block[0], columns // block[1])
    places = flat_places(joining.stack([*outside, *lines], 0), size)
    distinct, which, _ = searching._unique2(places, True, True, False)
    inside = [pointwise.remainder_Scalar(x, n) for x, n in zip((row, column), block)]
    at = flat_places(joining.stack([which, *inside], 0), (distinct._numel_, *block))
    values = values_of(sparse)
    made = new_zeros((distinct._numel_ * math.prod(block), *values._size_[1:]), values)
    indexing.index_add_(made, 0, at, values, 1)
    shaped = views.view(made, (distinct._numel_, *block, *values._size_[1:]))
    whole = (*size, *block, *values._size_[1:])
    return from_coordinates(indices_of_places(distinct, size), shaped, whole, True)


def _quotient(indices: Tensor, divisor: int) -> Tensor:
    return pointwise.div_Scalar_mode(indices, divisor, rounding_mode="floor")


def compress(sparse: Tensor, layout: Any, size: Any, kind: Any = dtypes.int64) -> Tensor:
    """A tensor with coordinates in a compressed layout.

    Args:
        sparse: the tensor, of blocks if the layout has them; all but the last two of its sparse
            dimensions are those of a batch
        layout: the layout
        size: the size of the result
        kind: the element type of the result's indices
    """
    whole = coalesced(sparse) if layout in layouts.BY_ROWS else _by_columns(sparse)
    *batch, lines, _ = sparse_size(whole)
    indices = indices_of(whole)
    count = math.prod(batch)
    first = flat_places(views.narrow(indices, 0, 0, indices._size_[0] - 1), (*batch, lines))
    starts = walks.starts_of(copies.contiguous(first), count * lines)[0]
    plain, values = views.select_int(indices, 0, -1), values_of(whole)
    if batch:
        starts = _starts_in_batch(starts, count, lines)
        each = plain._numel_ // count if count else 0
        starts = views.view(starts, (*batch, lines + 1))
        plain = views.reshape(plain, (*batch, each))
        values = views.reshape(values, (*batch, each, *values._size_[1:]))
    outer, inner = (copies.clone(copies.to_dtype(x, kind)) for x in (starts, plain))
    held = Compressed(outer, inner, copies.clone(values), layout, True)
    return from_compressed(held, tuple(size))


def _by_columns(sparse: Tensor) -> Tensor:
    """A tensor with coordinates, its matrices transposed, in order."""
    if sparse_dims(sparse) != 2 or not parts_of(sparse).coalesced:
        return coalesced(products.turned(sparse))
    # Rows are in order: those of one column stay so.
    columns = copies.contiguous(views.select_int(indices_of(sparse), 0, 1))
    order = walks.order_of(columns, sparse._size_[1])
    turned = products.turned(sparse)
    indices = indexing.index_select(indices_of(turned), 1, order)
    values = indexing.index_select(values_of(turned), 0, order)
    return from_coordinates(indices, values, turned._size_, True)


def _starts_in_batch(starts: Tensor, count: int, lines: int) -> Tensor:
    """Where the lines of each matrix begin, counted from the beginning of the matrix."""
    every = creation.arange(count, dtypes.int64, None, None, None)
    inside = creation.arange(lines + 1, dtypes.int64, None, None, None)
    first = views.unsqueeze(pointwise.mul_Scalar(every, lines), 1)
    at = pointwise.add_Tensor(first, views.unsqueeze(inside, 0), alpha=1)
    found = indexing.index_Tensor(starts, [at])
    made = pointwise.sub_Tensor(found, views.narrow(found, 1, 0, 1), alpha=1)
    counts = bridge.elements(views.select_int(made, 1, -1))
    if (counts[1:] != counts[:-1]).any():
        raise RuntimeError("Expect the same number of specified elements per batch.")
    return made


def like(sparse: Tensor, model: Tensor) -> Tensor:
    """A tensor with coordinates in the layout of another one, with blocks of the same sizes."""
    wanted = sparse_tensors.layout_of(model)
    if sparse_tensors.layout_of(sparse) is wanted:
        return sparse
    given = coordinates(sparse) if is_compressed(sparse) else sparse
    if wanted is layouts.sparse_coo:
        return given
    parts = parts_of(model)
    return _compressed(
        given, wanted, parts.block if parts.is_blocked else None, parts.plain._dtype_
    )


def _compressed(
    sparse: Tensor, layout: Any, block: Block | None, kind: Any = dtypes.int64
) -> Tensor:
    device = sparse._storage_.device
    if device.type == "meta":
        # Values cannot be counted there: it has none.
        dense = len(values_of(sparse)._size_) - 1
        return without_values(sparse._size_, sparse._dtype_, layout, 0, dense, block, kind, device)
    given = sparse if block is None else in_blocks(sparse, block)
    return compress(given, layout, sparse._size_, kind)


# -- what programs ask for --


def _check_request(self: Tensor, layout: Any, block: Any, who: str) -> None:
    """Raise unless blocks have sizes, and nothing else has."""
    if (block is not None) == (layout in layouts.BLOCKED):
        return
    given = "with" if block is not None else "without"
    raise RuntimeError(
        f"{who}: conversion from {title_of_layout(self)} to {layouts.title(layout)} {given} blocksize "
        "argument given is not supported"
    )


def _check_block(size: Any, block: Any) -> Block:
    """The sizes of blocks, which matrices of the given sizes must consist of."""
    if len(block) != 2 or block[0] <= 0 or block[1] <= 0:
        shown = ", ".join(str(n) for n in block)
        raise RuntimeError(
            f"blocksize needs to be a tuple of size 2 of positive numbers, but got ({shown})"
        )
    rows, columns = size
    if rows % block[0] or columns % block[1]:
        raise RuntimeError(
            f"tensor sparse size ({rows},{columns}) must be divisible by given blocksize "
            f"({block[0]},{block[1]})"
        )
    return block[0], block[1]


@composite("to_sparse")
def to_sparse(self: Tensor, layout: Any, blocksize: Any, dense_dim: int | None) -> Tensor:
    wanted = layouts.sparse_coo if layout is None else layout
    if wanted is sparse_tensors.layout_of(self):
        if blocksize is None or not _has_blocks(self, blocksize):
            _check_request(self, wanted, blocksize, "to_sparse")
        if blocksize is None or _has_blocks(self, blocksize):
            return self
    return operators.operator("_to_sparse").call(self, wanted, blocksize, dense_dim)


def _has_blocks(self: Tensor, block: Any) -> bool:
    return (
        is_compressed(self) and parts_of(self).is_blocked and parts_of(self).block == tuple(block)
    )


@cpu("_to_sparse")
def from_dense(self: Tensor, layout: Any, blocksize: Any, dense_dim: int | None) -> Tensor:
    wanted = layout or layouts.sparse_coo
    _check_request(self, wanted, blocksize, "dense_to_sparse")
    if wanted is layouts.strided:
        return self
    if wanted is layouts.sparse_coo:
        return conversion.sparse_of_dims(self, len(self._size_) - (dense_dim or 0))
    if wanted not in layouts.COMPRESSED:
        raise RuntimeError(
            f"dense_to_sparse: conversion from Strided to {layouts.title(wanted)} is not supported"
        )
    steps.Unrepeatable.note()
    inside = dense_dim or 0
    if not 0 <= inside <= max(len(self._size_) - 2, 0):
        raise RuntimeError(
            "dense_to_sparse: dense_dim argument must be in "
            f"[0,{len(self._size_) - 2}] range, but {inside} is given"
        )
    last = len(self._size_) - inside
    if last < 2:
        raise RuntimeError(
            f"dense_to_sparse: conversion from Strided to {layouts.title(wanted)} needs two dimensions or "
            f"more, but got {len(self._size_)}"
        )
    if blocksize is None:
        return compress(conversion.sparse_of_dims(self, last), wanted, self._size_)
    block = _check_block(self._size_[last - 2 : last], blocksize)
    return compress(
        conversion.sparse_of_dims(_dense_in_blocks(self, last, block), last), wanted, self._size_
    )


def _dense_in_blocks(self: Tensor, last: int, block: Block) -> Tensor:
    """A dense tensor as matrices of blocks: [*batch, rows, columns, *block, *dense dimensions]."""
    size = self._size_
    rows, columns = size[last - 2 : last]
    split = (rows // block[0], block[0], columns // block[1], block[1])
    apart = views.reshape(self, (*size[: last - 2], *split, *size[last:]))
    order = list(range(len(apart._size_)))
    order[last - 1], order[last] = order[last], order[last - 1]
    return views.permute(apart, order)


def _from_coordinates(self: Tensor, layout: Any, blocksize: Any, dense_dim: int | None) -> Tensor:
    wanted = layout or layouts.sparse_coo
    steps.Unrepeatable.note()
    who = "sparse_coo_to_sparse"
    if sparse_dims(self) != 2 and wanted is not layouts.sparse_coo:
        raise RuntimeError(
            f"{who}: conversion from Sparse to {layouts.title(wanted)} for input tensors with sparse_dim()!=2 "
            "is not supported"
        )
    _check_request(self, wanted, blocksize, who)
    if dense_dim is not None and dense_dim != len(self._size_) - sparse_dims(self):
        raise RuntimeError(
            f"{who}: conversion from Sparse to {layouts.title(wanted)} with dense_dim argument "
            "!=self.dense_dim() is not supported"
        )
    if wanted is layouts.strided:
        return conversion.dense_of(self, None, None)
    if wanted is layouts.sparse_coo:
        return self
    block = None if blocksize is None else _check_block(self._size_[:2], blocksize)
    return _compressed(coalesced(self), wanted, block)


def _from_compressed(self: Tensor, layout: Any, blocksize: Any, dense_dim: int | None) -> Tensor:
    wanted = layout or layouts.sparse_coo
    steps.Unrepeatable.note()
    parts = parts_of(self)
    who = "sparse_compressed_to_sparse"
    if parts.batch and not parts.is_blocked and wanted in layouts.BLOCKED:
        raise RuntimeError(
            f"{who}: conversion from {title_of_layout(self)} to {layouts.title(wanted)} for batched inputs is "
            "not supported"
        )
    _check_request(self, wanted, blocksize, who)
    if dense_dim is not None and dense_dim != len(parts.dense):
        raise RuntimeError(
            f"{who}: conversion from {title_of_layout(self)} to {layouts.title(wanted)} with dense_dim "
            "argument !=self.dense_dim() is not supported"
        )
    if wanted is layouts.strided:
        return conversion.dense_of(self, None, None)
    if wanted is layouts.sparse_coo:
        return coordinates(self)
    if parts.is_blocked and wanted not in layouts.BLOCKED:
        name = "sparse_compressed_to_sparse_" + wanted._name.removeprefix("sparse_")
        raise RuntimeError(
            f"{name}: expected SparseCsr or SparseCsc layout but got {title_of_layout(self)}"
        )
    block = None
    if blocksize is not None:
        rows = len(parts.batch)
        block = _check_block(self._size_[rows : rows + 2], blocksize)
    return _compressed(coordinates(self), wanted, block, parts.plain._dtype_)


for_sparse("_to_sparse")(_from_coordinates)
for_compressed("_to_sparse")(_from_compressed)


@for_compressed("_to_sparse.sparse_dim")
def to_coordinates(self: Tensor, sparse_dim: int) -> Tensor:
    return coordinates(self)


def _register_conversion(name: str, layout: Any) -> None:
    """The operators that convert to one layout: their private ones are what gradients go through."""
    own = operators.operator(f"_{name}")
    is_blocked = layout in layouts.BLOCKED

    def split(args: tuple[Any, ...]) -> tuple[Any, Any]:
        return (args[0], args[1]) if is_blocked else (None, args[0])

    @composite(name)
    def convert(self: Tensor, *args: Any) -> Tensor:
        block = split(args)[0]
        is_there = sparse_tensors.layout_of(self) is layout
        if is_there and (not is_blocked or _has_blocks(self, block)):
            return self
        return own.call(self, *args)

    for register, function in (
        (cpu, from_dense), (for_sparse, _from_coordinates), (for_compressed, _from_compressed),
    ):  # fmt: skip

        def run(self: Tensor, *args: Any, function: Any = function) -> Tensor:
            return function(self, layout, *split(args))

        register(f"_{name}")(run)


for _layout in layouts.COMPRESSED:
    _register_conversion("to_" + _layout._name, _layout)


# -- indices alone --


@cpu("_convert_indices_from_coo_to_csr")
def rows_to_starts(self: Tensor, size: int, out_int32: bool) -> Tensor:
    """Where rows begin, of the rows of values in order."""
    if len(self._size_) != 1:
        raise RuntimeError(
            f"Input is supposed to be a vector, but got {len(self._size_)} dimensional tensor."
        )
    _check_whole(self, "convert_indices_from_coo_to_csr_cpu")
    wide = copies.contiguous(copies.to_dtype(self, dtypes.int64))
    return copies.to_dtype(walks.starts_of(wide, size)[0], _kind(out_int32))


@cpu("_convert_indices_from_csr_to_coo")
def starts_to_rows(
    crow_indices: Tensor, col_indices: Tensor, out_int32: bool, transpose: bool
) -> Tensor:
    """Coordinates of values in order, batch by batch, of where rows begin and of their columns."""
    _check_whole(crow_indices, "convert_indices_from_csr_to_coo_cpu")
    wide = [copies.to_dtype(x, dtypes.int64) for x in (crow_indices, col_indices)]
    *batch, height = crow_indices._size_
    starts = views.reshape(wide[0], (-1, height))
    columns = views.reshape(wide[1], (starts._size_[0], -1))
    each = columns._size_[1]
    rows = [walks.rows_of(one, each) for one in views.unbind_int(starts, 0)]
    flat = [joining.cat(rows) if rows else wide[1], views.reshape(columns, (-1,))]
    made = joining.stack(flat[::-1] if transpose else flat)
    if batch:
        places = creation.arange_start(0, starts._size_[0], dtype=dtypes.int64)
        outer = indices_of_places(views.repeat_interleave_self_int(places, each), tuple(batch))
        made = joining.cat([outer, made])
    return copies.to_dtype(made, _kind(out_int32))


@meta("_convert_indices_from_coo_to_csr")
def shape_of_starts(self: Tensor, size: int, out_int32: bool) -> Tensor:
    return tensors.empty((size + 1,), _kind(out_int32), self._storage_.device)


@meta("_convert_indices_from_csr_to_coo")
def shape_of_rows(
    crow_indices: Tensor, col_indices: Tensor, out_int32: bool, transpose: bool
) -> Tensor:
    size = (len(crow_indices._size_) + 1, col_indices._numel_)
    return tensors.empty(size, _kind(out_int32), crow_indices._storage_.device)


def _kind(out_int32: bool) -> Any:
    return dtypes.int32 if out_int32 else dtypes.int64


def _check_whole(tensor: Tensor, name: str) -> None:
    if tensor._dtype_ not in (
        dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64,
    ):  # fmt: skip
        raise NotImplementedError(f"\"{name}\" not implemented for '{title(tensor._dtype_)}'")
