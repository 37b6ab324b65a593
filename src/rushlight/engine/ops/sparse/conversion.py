"""From dense tensors to sparse ones and back; copies and other element types."""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.calls import sparse as calls
from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation as calls_of_creation
from rushlight.engine.calls.remembered import indexing, pointwise, reduction, searching
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.sparse import Compressed, from_compressed
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops.kinds.views import composite, cpu
from rushlight.engine.ops.sparse.making import check_device, without_values
from rushlight.engine.ops.sparse.parts import (
    alike,
    coalesced,
    copied,
    flat_places,
    for_sparse,
    from_coordinates,
    indices_of,
    indices_of_places,
    is_compressed,
    is_sparse,
    new_zeros,
    parts_of,
    sparse_dims,
    sparse_size,
    title_of_layout,
    values_of,
)


@composite("to_dense")
def to_dense(self: Tensor, dtype: Any, masked_grad: bool | None) -> Tensor:
    if is_sparse(self):
        return calls._to_dense(self, dtype, masked_grad)
    return self if dtype is None else copies.to_dtype(self, dtype)


@for_sparse("_to_dense")
def dense_of(self: Tensor, dtype: Any, masked_grad: bool | None) -> Tensor:
    if dtype is not None:
        raise RuntimeError("dtype argument is not supported by sparse_to_dense")
    made = new_zeros(self._size_, self)
    add_to_dense(made, self, 1)
    return made


def rows_of(dense: Tensor, sparse: Tensor) -> Tensor:
    """A dense tensor as the rows that the flat places of a sparse one of its size name."""
    size = sparse_size(sparse)
    return views.reshape(dense, (math.prod(size), *dense._size_[len(size) :]))


def add_to_dense(dense: Tensor, sparse: Tensor, alpha: Any) -> None:
    """Add a sparse tensor to a contiguous dense one of the same size, in place."""
    if not dense._numel_:
        return
    places = flat_places(indices_of(sparse), sparse_size(sparse))
    given = copies.to_dtype(values_of(sparse), dense._dtype_)
    indexing.index_add_(rows_of(dense, sparse), 0, places, given, alpha)


# -- to sparse --


@composite("to_sparse.sparse_dim")
def to_sparse_dim(self: Tensor, sparse_dim: int) -> Tensor:
    if is_sparse(self):
        if sparse_dim == sparse_dims(self):
            return calls._to_sparse(self, layouts.sparse_coo) if is_compressed(self) else self
        if is_compressed(self):
            raise RuntimeError(
                f"sparse_compressed_to_sparse: conversion from {title_of_layout(self)} to Sparse "
                "with sparse_dim argument !=2 is not supported"
            )
        raise RuntimeError(
            "to_sparse: conversion from Sparse to Sparse with sparse_dim argument "
            "!=self.sparse_dim() is not supported"
        )
    return calls._to_sparse_sparse_dim(self, sparse_dim)


@cpu("_to_sparse.sparse_dim")
def sparse_of_dims(self: Tensor, sparse_dim: int) -> Tensor:
    """What is not zero, in order; with dense dimensions, whatever has a part that is not zero."""
    steps.Unrepeatable.note()
    dims = len(self._size_)
    if dims and sparse_dim == 0:
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    if not 0 <= sparse_dim <= dims:
        raise RuntimeError(
            f"dense_to_sparse: sparse_dim argument must be in [0,{dims}] range, but "
            f"{sparse_dim} is given"
        )
    if not self._numel_:
        return without_values(self._size_, sparse_dim, self._dtype_)
    size, dense = tuple(self._size_[:sparse_dim]), tuple(self._size_[sparse_dim:])
    rows = views.reshape(self, (math.prod(size), *dense))
    filled = pointwise.ne_Scalar(rows, 0)
    if dense:
        filled = reduction.any_dims(filled, list(range(1, 1 + len(dense))))
    places = views.select_int(indexing.nonzero(filled), 1, 0)
    chosen = indexing.index_select(rows, 0, places)
    indices = indices_of_places(places, size)
    if not size:
        indices = tensors.empty((0, chosen._size_[0]), indices._dtype_)
    return from_coordinates(indices, chosen, self._size_, True)


# -- copies --


@for_sparse("clone")
def clone(self: Tensor, memory_format: Any) -> Tensor:
    if memory_format not in (None, layouts.preserve_format):
        raise RuntimeError("unsupported memory format option Contiguous")
    return copied(self)


@for_sparse("detach", "alias", "lift_fresh", "lift")
def alias(self: Tensor) -> Tensor:
    return tensors.same_elements(self)


@for_sparse("detach_")
def detach_(self: Tensor) -> Tensor:
    return self


@for_sparse("_to_copy")
def to_copy(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, non_blocking: bool,
    memory_format: Any,
) -> Tensor:  # fmt: skip
    check_device(device)
    if device is not None and devices.place(device) is not self._storage_.device:
        return _on_other_device(self, dtype or self._dtype_, device)
    made = copied(self)
    return alike(made, copies.to_dtype(values_of(made), dtype or self._dtype_))


def _on_other_device(self: Tensor, dtype: Any, device: Any) -> Tensor:
    """The parts on another device; on ``meta``, where values cannot be counted, there are none."""
    if device.type != "meta" and self._storage_.device.type != "meta":
        return moved(self, dtype, device)
    if self._storage_.device.type == "meta":
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    return calls_of_creation.zeros_like(self, dtype, device=device)


def moved(self: Tensor, dtype: Any, device: Any) -> Tensor:
    """A tensor of the same layout on another device."""
    parts = parts_of(self)
    values = copies.to_device(parts.values, device, dtype, False, False, None)
    if not isinstance(parts, Compressed):
        indices = copies.to_device(parts.indices, device, dtypes.int64, False, False, None)
        return from_coordinates(indices, values, self._size_, parts.coalesced)
    compressed, plain = (
        copies.to_device(x, device, x._dtype_, False, False, None)
        for x in (parts.compressed, parts.plain)
    )
    held = Compressed(compressed, plain, values, parts.layout, parts.is_sorted)
    return from_compressed(held, self._size_)


@for_sparse("copy_")
def copy_(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    if not (is_sparse(self) and is_sparse(src)):
        kinds = [_type_name(t) for t in (self, src)]
        raise RuntimeError(
            f"copy_() between dense and sparse Tensors is not implemented! Found self type = "
            f"{kinds[0]} and src type = {kinds[1]}"
        )
    if self is src:
        return self
    return sparse_tensors.replace(self, to_copy(src, self._dtype_, None, None, None, False, None))


def _type_name(tensor: Tensor) -> str:
    where = "sparse." if is_sparse(tensor) else ""
    return f"torch.{where}{title(tensor._dtype_)}Tensor"


@for_sparse("zero_")
def zero_(self: Tensor) -> Tensor:
    return sparse_tensors.replace(
        self, without_values(self._size_, sparse_dims(self), self._dtype_)
    )


@for_sparse("empty_like", "zeros_like")
def zeros_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    check_device(device)
    kind, where = dtype or self._dtype_, device or self._storage_.device
    if layout in (None, layouts.sparse_coo):
        return without_values(self._size_, sparse_dims(self), kind, where)
    return calls_of_creation.zeros(list(self._size_), kind, layout, where)


@for_sparse("new_empty", "new_zeros")
def new_zeros_of_layout(
    self: Tensor, size: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any
) -> Tensor:
    check_device(device)
    kind, where = dtype or self._dtype_, device or self._storage_.device
    if layout in (None, layouts.sparse_coo):
        return without_values(size, len(size), kind, where)
    return calls_of_creation.zeros(list(size), kind, layout, where)


def _of_one_value(self: Tensor, size: Any, value: Any, dtype: Any, layout: Any, device: Any) -> Any:
    """A dense tensor of one value; no other layout could hold it."""
    if layout is not layouts.strided:
        raise RuntimeError("full(...) is not implemented for sparse layout")
    where = device or self._storage_.device
    return calls_of_creation.full(list(size), value, dtype or self._dtype_, device=where)


@for_sparse("new_full")
def new_full(self: Tensor, size: Any, value: Any, dtype: Any, layout: Any, *rest: Any) -> Tensor:
    return _of_one_value(self, size, value, dtype, layout, rest[0])


@for_sparse("new_ones")
def new_ones(self: Tensor, size: Any, dtype: Any, layout: Any, *rest: Any) -> Tensor:
    return _of_one_value(self, size, 1, dtype, layout, rest[0])


@for_sparse("full_like")
def full_like(self: Tensor, value: Any, dtype: Any, layout: Any, *rest: Any) -> Tensor:
    return _of_one_value(self, self._size_, value, dtype, layout, rest[0])


@for_sparse("ones_like")
def ones_like(self: Tensor, dtype: Any, layout: Any, *rest: Any) -> Tensor:
    return _of_one_value(self, self._size_, 1, dtype, layout, rest[0])


@for_sparse("is_same_size")
def is_same_size(self: Tensor, other: Tensor) -> bool:
    both = is_sparse(self) and is_sparse(other)
    return both and self._size_ == other._size_ and sparse_dims(self) == sparse_dims(other)


# -- masks --


@for_sparse("sparse_mask")
def sparse_mask(self: Tensor, mask: Tensor) -> Tensor:
    """The elements of a tensor at the indices of a sparse one."""
    if not is_sparse(mask):
        raise RuntimeError("sparse_mask(): mask must be a sparse tensor")
    if self._size_ != mask._size_:
        raise RuntimeError(
            "sparse_mask(): operands have incompatible sizes; self has size "
            f"{list(self._size_)} but mask has size {list(mask._size_)}"
        )
    places = flat_places(indices_of(mask), sparse_size(mask))
    return alike(mask, values_at_places(self, mask, places))


def values_at_places(source: Tensor, like: Tensor, places: Tensor) -> Tensor:
    """The elements of a dense or sparse tensor at places of the sparse dimensions of another."""
    if not is_sparse(source):
        return indexing.index_select(rows_of(source, like), 0, places)
    whole = coalesced(source)
    if sparse_dims(whole) != sparse_dims(like):
        return indexing.index_select(rows_of(dense_of(whole, None, None), like), 0, places)
    own = flat_places(indices_of(whole), sparse_size(whole))
    return _found(own, values_of(whole), places)


def _found(ordered: Tensor, values: Tensor, wanted: Tensor) -> Tensor:
    """The values of the wanted places among those in order; zeros where a place is not there."""
    shape = (wanted._numel_, *[1] * (len(values._size_) - 1))
    if not ordered._numel_:
        return new_zeros((wanted._numel_, *values._size_[1:]), values)
    at = searching.searchsorted_Tensor(ordered, wanted)
    at = pointwise.clamp_max(at, ordered._numel_ - 1)
    is_there = pointwise.eq_Tensor(indexing.index_select(ordered, 0, at), wanted)
    found = indexing.index_select(values, 0, at)
    missing = views.view(pointwise.logical_not(is_there), shape)
    return indexing.masked_fill_Scalar(found, missing, 0)
