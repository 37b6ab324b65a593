"""Reading and writing elements at positions that tensors give.

Positions are checked first, so nothing outside a tensor is ever read or written; then the elements
are moved by numpy over the tensors' own memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated.calls import copy as copies
from rushlight.engine.generated.calls import indexing as calls
from rushlight.engine.generated.calls import view as views
from rushlight.engine.loops import geometry, plans
from rushlight.engine.loops.expr import select
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops import bridge
from rushlight.engine.ops.indexing import along_dim
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.pointwise import pointwise
from rushlight.engine.ops.kinds.views import composite, cpu, explicit, meta

Indices = Sequence[Tensor | None]

# Importing the family registers all of its files.
__all__ = ["along_dim"]


# -- one index tensor over dense rows --


def is_row_index(self: Tensor, indices: Indices) -> bool:
    """Whether an index takes whole rows, each dense, at positions in one int64 vector."""
    index = indices[0] if len(indices) == 1 else None
    return (
        index is not None
        and index._dtype is dtypes.int64
        and len(index._size) == 1
        and len(self._size) >= 1
        and self._numel > 0
        and sizes.is_contiguous(self._size[1:], self._stride[1:])
    )


def _row_words(self: Tensor, index: Tensor) -> tuple[int, ...]:
    """What the compiled mover needs to know of the index and the rows."""
    item = self._dtype.itemsize
    length = self._size[0]
    return (
        tensors.data_pointer(index), index._numel, index._stride[0] * 8, length,
        self._stride[0] * item, self._numel // length * item,
    )  # fmt: skip


def _check_found(wrong: int, index: Tensor, length: int) -> None:
    if wrong >= 0:
        value = bridge.array(index)[wrong]
        raise IndexError(f"index {value} is out of bounds for dimension 0 with size {length}")


def taken_rows(self: Tensor, index: Tensor) -> Tensor:
    """``self[index]`` for dense rows."""
    made = tensors.empty((index._numel, *self._size[1:]), self._dtype)
    words = _row_words(self, index)
    wrong = storages().gather_rows(tensors.data_pointer(made), tensors.data_pointer(self), *words)
    _check_found(wrong, index, self._size[0])
    if plans.recording.steps is not None:
        plans.note_rows(self, index, made, RowMove(made, words[1:]))
    return made


class RowMove:
    """A gather of rows as machine code takes it: the new tensor's template, then the row's words."""

    def __init__(self, made: Tensor, words: tuple[int, ...]) -> None:
        self.template = tensors.template_for(made._size, made._dtype)
        values = [*tensors.template_words(self.template), *words, made._dtype.itemsize]
        self.words = (ctypes.c_int64 * len(values))(*values)


def put_rows(self: Tensor, index: Tensor, values: Tensor) -> Tensor:
    """``self[index] = values`` for dense rows and dense (or one repeated) rows of values."""
    plans.note_other()
    words = _row_words(self, index)
    step = words[-1] if len(values._size) == len(self._size) and values._size[0] != 1 else 0
    source = tensors.data_pointer(values)
    wrong = storages().scatter_rows(tensors.data_pointer(self), source, *words, step)
    _check_found(wrong, index, self._size[0])
    tensors.bump_version(self)
    return self


def storages() -> Any:
    from rushlight.engine.core import storage

    return storage


def are_rows_for(self: Tensor, index: Tensor, values: Tensor) -> bool:
    """Whether values can be written row by row as they are."""
    rest = self._size[1:]
    full = values._size in ((index._numel, *rest), rest, (1, *rest))
    apart = values._storage is not self._storage
    return full and apart and sizes.is_contiguous(values._size, values._stride)


# -- several index tensors --


def numpy_index(self: Tensor, indices: Indices) -> tuple[Any, ...]:
    """The index as numpy takes it, checked against the tensor's sizes."""
    if not indices:
        raise IndexError("at least one index must be provided")
    made: list[Any] = []
    dim = 0
    for index in indices:
        if index is None:
            made.append(slice(None))
            dim += 1
            continue
        if index._dtype.category > dtypes.INTEGRAL:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        values = bridge.array(index)
        if index._dtype in (dtypes.bool_, dtypes.uint8):
            for k, length in enumerate(index._size):
                if dim + k >= len(self._size) or self._size[dim + k] != length:
                    raise IndexError(
                        f"The shape of the mask {list(index._size)} at index {k} does not match the "
                        f"shape of the indexed tensor {list(self._size)} at index {dim + k}"
                    )
            positions = (
                values.astype(bool).nonzero()
                if index._size
                else (values.astype(bool).reshape(1).nonzero()[0],)
            )
            made += positions
            dim += len(positions)
            continue
        if dim >= len(self._size):
            raise IndexError(f"too many indices for tensor of dimension {len(self._size)}")
        values = values.astype(np.int64, copy=False)
        check_range(values, self._size[dim], dim)
        made.append(values)
        dim += 1
    if dim > len(self._size):
        raise IndexError(f"too many indices for tensor of dimension {len(self._size)} (got {dim})")
    _check_broadcast([m for m in made if not isinstance(m, slice)])
    return tuple(made)


def _check_broadcast(arrays: list[Any]) -> None:
    try:
        np.broadcast_shapes(*(a.shape for a in arrays))
    except ValueError:
        shapes = ", ".join(str(list(a.shape)) for a in arrays)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None


def check_range(values: Any, length: int, dim: int) -> None:
    """Raise for a position outside a dimension."""
    if values.size and (values.min() < -length or values.max() >= length):
        wrong = values[(values < -length) | (values >= length)].ravel()[0]
        raise IndexError(f"index {wrong} is out of bounds for dimension {dim} with size {length}")


@cpu("index.Tensor", "_unsafe_index.Tensor")
def index(self: Tensor, indices: Indices) -> Tensor:
    first = indices[0] if len(indices) == 1 else None
    if first is not None and is_row_index(self, indices):
        return taken_rows(self, first)
    if first is not None and first._dtype is dtypes.bool_ and first._size == self._size != ():
        return bridge.tensor_of(bridge.array(self)[bridge.array(first)], self._dtype)
    return bridge.tensor_of(bridge.array(self)[numpy_index(self, indices)], self._dtype)


@meta("index.Tensor", "_unsafe_index.Tensor")
def index_meta(self: Tensor, indices: Indices) -> Tensor:
    """The shape alone, where no mask decides it: found by indexing with zeros."""
    places: list[Any] = []
    for given in indices:
        if given is not None and given._dtype in (dtypes.bool_, dtypes.uint8):
            raise NotImplementedError("the shape of a selection by a mask depends on its elements")
        places.append(slice(None) if given is None else np.zeros(given._size, np.int64))
    if len(places) > len(self._size):
        raise IndexError(
            f"too many indices for tensor of dimension {len(self._size)} (got {len(places)})"
        )
    shape = selection_shape(self, tuple(places))
    return tensors.empty(shape, self._dtype, self._storage.device)


@meta("_index_put_impl_")
def index_put_meta(
    self: Tensor, indices: Indices, values: Tensor, accumulate: bool, unsafe: bool
) -> Tensor:
    return self


@explicit("index.Tensor_out")
def index_out(self: Tensor, indices: Indices, out: Tensor) -> Tensor:
    if out._dtype is not self._dtype:
        raise RuntimeError(
            f"index(): expected out tensor to have dtype {self._dtype._name}, but got {out._dtype._name}"
        )
    return outputs.copy_result(out, calls.index_Tensor(self, indices))


@cpu("_index_put_impl_")
def index_put_impl(
    self: Tensor, indices: Indices, values: Tensor, accumulate: bool, unsafe: bool
) -> Tensor:
    if self._dtype is not values._dtype:
        raise IndexError(
            f"Index put requires the source and destination dtypes match, got {title(self._dtype)} "
            f"for the destination and {title(values._dtype)} for the source."
        )
    outputs.check_written_once(self)
    if is_row_index(self, indices) and not accumulate:
        assert indices[0] is not None
        if are_rows_for(self, indices[0], values):
            return put_rows(self, indices[0], values)
    where = numpy_index(self, indices)
    shape = selection_shape(self, where)
    source = bridge.array(values)
    # Leading dimensions of size 1 are dropped where the selection has fewer dimensions.
    source = np.broadcast_to(source.reshape(source.shape[-len(shape) :] if shape else ()), shape)
    if accumulate:
        along_dim.accumulate(self, where, source)
    else:
        bridge.array(self)[where] = source
    tensors.bump_version(self)
    return self


def selection_shape(self: Tensor, where: tuple[Any, ...]) -> tuple[int, ...]:
    """The shape of what an index selects, found on an array that takes no memory."""
    nothing = np.lib.stride_tricks.as_strided(
        np.empty(1, np.bool_), self._size, (0,) * len(self._size)
    )
    found: tuple[int, ...] = nothing[where].shape
    return found


@composite("index_put_")
def index_put_(self: Tensor, indices: Indices, values: Tensor, accumulate: bool) -> Tensor:
    index = indices[0] if indices else None
    rows = is_row_index(self, indices) and index is not None
    if rows and not values._size and values._dtype is self._dtype:
        values = copies.clone(
            views.expand(values, self._size[1:], False), layouts.contiguous_format
        )
    rows = rows and index is not None and are_rows_for(self, index, values)
    if not rows and self._storage._device_code == devices.cpu.code:
        check_value_shape(self, indices, values)
    return calls._index_put_impl_(self, indices, values, accumulate, False)


def check_value_shape(self: Tensor, indices: Indices, values: Tensor) -> None:
    """Raise for values that cannot be broadcast to what the index selects."""
    shape = selection_shape(self, numpy_index(self, indices))
    fits = all(s in (1, t) for s, t in zip(reversed(values._size), reversed(shape)))
    if len(values._size) > len(shape) or not fits:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values._size)} cannot be broadcast to "
            f"indexing result of shape {list(shape)}"
        )


@composite("index_put", "_unsafe_index_put")
def index_put(self: Tensor, indices: Indices, values: Tensor, accumulate: bool) -> Tensor:
    return calls.index_put_(copies.clone(self), indices, values, accumulate)


# -- conditions --


@cpu("nonzero")
def nonzero(self: Tensor) -> Tensor:
    values = bridge.array(self)
    if self._dtype is dtypes.bfloat16:
        values = values & 0x7FFF
    found = np.argwhere(values) if self._size else np.zeros((int(bool(values)), 0), np.int64)
    # The result is laid out by columns.
    made = tensors.empty_strided(
        found.shape, (1, max(found.shape[0], 1)), dtypes.int64, devices.cpu
    )
    bridge.array(made)[...] = found
    return made


@explicit("nonzero.out")
def nonzero_out(self: Tensor, out: Tensor) -> Tensor:
    if out._dtype is not dtypes.int64:
        raise RuntimeError(
            f"nonzero: Expected out tensor to have scalar type Long but got scalar type {title(out._dtype)}"
        )
    return outputs.copy_result(out, calls.nonzero(self))


@composite("argwhere")
def argwhere(self: Tensor) -> Tensor:
    return calls.nonzero(self)


@composite("nonzero_numpy")
def nonzero_numpy(self: Tensor) -> tuple[Tensor, ...]:
    source = self if self._size else views.unsqueeze(self, 0)
    return tuple(views.unbind_int(calls.nonzero(source), 1))


@explicit("nonzero_static")
def nonzero_static(self: Tensor, size: int, fill_value: int) -> Tensor:
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = bridge.array(calls.nonzero(self))
    made = np.full((size, found.shape[1]), fill_value, np.int64)
    made[: len(found)] = found[:size]
    return bridge.tensor_of(made)


@explicit("nonzero_static.out")
def nonzero_static_out(self: Tensor, size: int, fill_value: int, out: Tensor) -> Tensor:
    return outputs.copy_result(out, nonzero_static(self, size, fill_value))


@composite("where")
def where_condition(condition: Tensor) -> tuple[Tensor, ...]:
    return nonzero_numpy(condition)


def _check_condition(common: Any, args: Sequence[Any]) -> None:
    condition = args[0]
    if condition._dtype not in (dtypes.bool_, dtypes.uint8):
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{title(condition._dtype)}"
        )


@pointwise("where.self", separate=("condition",), check=_check_condition)
def where(condition: Any, a: Any, b: Any) -> Any:
    return select(condition if condition.is_bool else condition != 0, a, b)


def _number(value: Any, like: Tensor | None) -> Tensor:
    """A number as a tensor that promotes like one."""
    from rushlight.engine.loops.promotion import number_dtype, result_type

    kind = number_dtype(value) if like is None else result_type(like, value)
    made = tensors.empty((), kind, devices.cpu)
    copies.fill__Scalar(made, value)
    return made


@composite("where.ScalarSelf")
def where_scalar_self(condition: Tensor, self: Any, other: Tensor) -> Tensor:
    return calls.where_self(condition, _number(self, other), other)


@composite("where.ScalarOther")
def where_scalar_other(condition: Tensor, self: Tensor, other: Any) -> Tensor:
    return calls.where_self(condition, self, _number(other, self))


@composite("where.Scalar")
def where_scalars(condition: Tensor, self: Any, other: Any) -> Tensor:
    return calls.where_self(condition, _number(self, None), _number(other, None))


@cpu("masked_select")
def masked_select(self: Tensor, mask: Tensor) -> Tensor:
    if mask._dtype is not dtypes.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = geometry.broadcast_sizes(self._size, mask._size)
    values = np.broadcast_to(bridge.array(self), shape)
    chosen = values[np.broadcast_to(bridge.array(mask), shape)]
    return bridge.tensor_of(chosen, self._dtype)


@explicit("masked_select.out")
def masked_select_out(self: Tensor, mask: Tensor, out: Tensor) -> Tensor:
    if out._dtype is not self._dtype:
        raise RuntimeError("masked_select(): self and result must have the same scalar type")
    return outputs.copy_result(out, calls.masked_select(self, mask))


def _check_mask(mask: Tensor) -> None:
    if mask._dtype is not dtypes.bool_:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {mask._dtype._name}"
        )


@explicit("masked_fill_.Scalar")
def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    from rushlight.engine.ops import numbers

    _check_mask(mask)
    number = numbers.checked(value, self._dtype)
    return masked_fill_tensor_(self, mask, _scalar_like(number, self))


def _scalar_like(value: Any, like: Tensor) -> Tensor:
    made = tensors.empty((), like._dtype, like._storage.device)
    return copies.fill__Scalar(made, value)


@explicit("masked_fill_.Tensor")
def masked_fill_tensor_(self: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    _check_mask(mask)
    if value._size:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{len(value._size)} dimension(s)."
        )
    if value._dtype is not self._dtype:
        outputs.check_cast(value._dtype, self._dtype)
        value = copies.to_dtype(value, self._dtype)
    if geometry.broadcast_sizes(self._size, mask._size) != self._size:
        raise RuntimeError(
            f"output with shape {list(self._size)} doesn't match the broadcast shape "
            f"{list(geometry.broadcast_sizes(self._size, mask._size))}"
        )
    outputs.check_written_once(self)
    return calls.where_self_out(mask, value, self, self)


@composite("masked_fill.Scalar")
def masked_fill(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    return calls.masked_fill__Scalar(_expanded_copy(self, mask), mask, value)


@composite("masked_fill.Tensor")
def masked_fill_tensor(self: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    return calls.masked_fill__Tensor(_expanded_copy(self, mask), mask, value)


def _expanded_copy(self: Tensor, mask: Tensor) -> Tensor:
    shape = geometry.broadcast_sizes(self._size, mask._size)
    return copies.clone(self if shape == self._size else views.expand(self, shape, False))


@cpu("masked_scatter_")
def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    if self._dtype is not source._dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got "
            f"{title(self._dtype)} and {title(source._dtype)}"
        )
    if mask._dtype is not dtypes.bool_:
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {mask._dtype._name}"
        )
    outputs.check_written_once(self)
    chosen = np.broadcast_to(bridge.array(mask), self._size)
    count = int(chosen.sum())
    if count > source._numel:
        raise RuntimeError(
            f"masked_scatter: expected the number of elements in source to be at least the number "
            f"of ones in mask ({count}), but got {source._numel}"
        )
    bridge.array(self)[chosen] = bridge.array(source).ravel()[:count]
    tensors.bump_version(self)
    return self


@composite("masked_scatter")
def masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    return calls.masked_scatter_(_expanded_copy(self, mask), mask, source)


# -- the flat order of elements --


def _checked_flat(index_: Tensor, count: int) -> Any:
    if index_._dtype is not dtypes.int64:
        raise RuntimeError(
            f"take(): Expected a long tensor for index, but got {title(index_._dtype)}"
        )
    values = bridge.array(index_)
    if values.size and count == 0:
        raise IndexError("take(): tried to take from an empty tensor")
    if values.size and (values.min() < -count or values.max() >= count):
        raise IndexError(
            f"out of range: tried to access index {values.ravel()[0]} on a tensor of {count} elements."
        )
    return values


@cpu("take")
def take(self: Tensor, index: Tensor) -> Tensor:
    return bridge.tensor_of(
        bridge.array(self).reshape(-1)[_checked_flat(index, self._numel)], self._dtype
    )


@explicit("take.out")
def take_out(self: Tensor, index: Tensor, out: Tensor) -> Tensor:
    if out._dtype is not self._dtype:
        raise RuntimeError(
            f"take(): self and out expected to have the same dtype, but got self.dtype = {title(self._dtype)} and out.dtype = {title(out._dtype)}"
        )
    return outputs.copy_result(out, calls.take(self, index))


@cpu("put_")
def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    if index._dtype is not dtypes.int64:
        raise RuntimeError(
            f"put_(): Expected a long tensor for index, but got {title(index._dtype)}"
        )
    if self._dtype is not source._dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{title(self._dtype)} and source.dtype = {title(source._dtype)}"
        )
    if index._numel != source._numel:
        raise RuntimeError(
            f"put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source._numel}, index.numel() = {index._numel}"
        )
    outputs.check_written_once(self)
    flat = _checked_flat(index, self._numel).ravel() % max(self._numel, 1)
    where = np.unravel_index(flat, self._size) if self._size else ((),) * 0
    values = bridge.array(source).ravel()
    if not self._size:
        where = (np.zeros(flat.shape, np.int64),)
        view = views.view(self, (1,))
        along_dim.accumulate(view, where, values) if accumulate else bridge.array(view).__setitem__(
            where, values
        )
    elif accumulate:
        along_dim.accumulate(self, where, values)
    else:
        bridge.array(self)[where] = values
    tensors.bump_version(self)
    return self


@composite("put")
def put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    return calls.put_(copies.clone(self), index, source, accumulate)


@composite("fill_diagonal_")
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool) -> Tensor:
    ndim = len(self._size)
    if ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if ndim > 2 and len(set(self._size)) != 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    length = min(self._size)
    step = sum(self._stride)
    copies.fill__Scalar(tensors.view_of(self, (length,), (step,), self._offset), fill_value)
    rows, columns = self._size[0], self._size[1]
    if wrap and ndim == 2 and rows > columns + 1:
        first = self._stride[0] * (columns + 1)
        count = -(-(rows * columns - columns * (columns + 1)) // (columns + 1))
        if count > 0:
            rest = tensors.view_of(self, (count,), (step,), self._offset + first)
            copies.fill__Scalar(rest, fill_value)
    return self
