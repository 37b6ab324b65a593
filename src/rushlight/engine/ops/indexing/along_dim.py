"""Gathers and scatters along one dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated.calls import copy as copies
from rushlight.engine.generated.calls import indexing as calls
from rushlight.engine.generated.calls import view as views
from rushlight.engine.loops import geometry
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops import bridge
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import composite, cpu, explicit, meta


def accumulate(self: Tensor, where: tuple[Any, ...], source: Any) -> None:
    """Add ``source`` (an array of the tensor's bits) at positions that may repeat."""
    if self._dtype in (dtypes.bfloat16, dtypes.float16):
        wide = copies.to_dtype(self, dtypes.float32)
        held = tensors.empty(source.shape, self._dtype)
        bridge.array(held)[...] = source
        accumulate(wide, where, bridge.array(copies.to_dtype(held, dtypes.float32)))
        copies.copy_(self, wide, False)
        return
    target = bridge.array(self)
    if self._dtype is dtypes.bool_:
        np.logical_or.at(target, where, source)
    else:
        np.add.at(target, where, source)


def _index_vector(name: str, index: Tensor) -> Any:
    if len(index._size) > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {len(index._size)} with type: {title(index._dtype)}."
        )
    if index._dtype not in (dtypes.int32, dtypes.int64):
        raise RuntimeError(f"{name}(): Expected dtype int32 or int64 for index")
    return bridge.array(index).reshape(-1)


def _check_positions(values: Any, length: int) -> None:
    if values.size and (values.min() < 0 or values.max() >= length):
        raise IndexError("index out of range in self")


@cpu("index_select")
def index_select(self: Tensor, dim: int, index: Tensor) -> Tensor:
    d = wrap_dim(dim, len(self._size))
    positions = _index_vector("index_select", index)
    source = bridge.array(self)
    if not self._size:
        if positions.size != 1:
            raise IndexError(
                f"index_select(): Index to scalar can have only 1 value, got {positions.size} value(s)"
            )
        _check_positions(positions, 1)
        return copies.clone(self)
    _check_positions(positions, self._size[d])
    return bridge.tensor_of(source.take(positions, axis=d), self._dtype)


@meta("index_select")
def index_select_meta(self: Tensor, dim: int, index: Tensor) -> Tensor:
    size = list(self._size)
    if size:
        size[wrap_dim(dim, len(size))] = index._numel
    return tensors.empty(tuple(size), self._dtype, self._storage.device)


@explicit("index_select.out")
def index_select_out(self: Tensor, dim: int, index: Tensor, out: Tensor) -> Tensor:
    if out._dtype is not self._dtype:
        raise RuntimeError("index_select(): self and result must have the same scalar type")
    return outputs.copy_result(out, calls.index_select(self, dim, index))


def _check_gather(name: str, self: Tensor, dim: int, index: Tensor, limit: Tensor | None) -> int:
    d = wrap_dim(dim, len(self._size))
    if index._numel and index._dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(f"{name}(): Expected dtype int64 for index")
    if not index._numel:
        return d
    if max(len(index._size), 1) != max(len(self._size), 1):
        raise RuntimeError(
            f"Index tensor must have the same number of dimensions as {'input' if name == 'gather' else 'self'} tensor"
        )
    own = self._size or (1,)
    theirs = index._size or (1,)
    for k in range(len(own)):
        if k != d and theirs[k] > own[k]:
            raise RuntimeError(
                f"Size does not match at dimension {k} expected index {list(index._size)} to be "
                f"{'no larger' if name == 'gather' else 'smaller'} than self {list(self._size)} apart from dimension {d}"
            )
    if limit is not None:
        source = limit._size or (1,)
        if len(source) != len(theirs):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        if any(a > b for a, b in zip(theirs, source)):
            raise RuntimeError(
                f"Expected index {list(index._size)} to be no larger than self {list(self._size)} "
                f"apart from dimension {d} and to be no larger size than src {list(limit._size)}"
            )
    values = bridge.array(index)
    length = own[d]
    if values.size and (values.min() < 0 or values.max() >= length):
        wrong = values[(values < 0) | (values >= length)].ravel()[0]
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {d} with size {length}")
    return d


def _positions(index: Tensor, d: int) -> tuple[Any, ...]:
    """Full numpy positions of a gather or scatter: the index along d, its own place elsewhere."""
    values = bridge.array(index)
    values = values.reshape(1) if not index._size else values
    places = list(np.indices(values.shape, sparse=True))
    places[d] = values
    return tuple(places)


def _at_least_1d(tensor: Tensor) -> Any:
    values = bridge.array(tensor)
    return values.reshape(1) if not tensor._size else values


@cpu("gather")
def gather(self: Tensor, dim: int, index: Tensor, sparse_grad: bool) -> Tensor:
    d = _check_gather("gather", self, dim, index, None)
    if not index._numel:
        return tensors.empty(index._size, self._dtype)
    found = _at_least_1d(self)[_positions(index, d)]
    return bridge.tensor_of(found.reshape(index._size), self._dtype)


@meta("gather")
def gather_meta(self: Tensor, dim: int, index: Tensor, sparse_grad: bool) -> Tensor:
    wrap_dim(dim, len(self._size))
    return tensors.empty(index._size, self._dtype, self._storage.device)


@explicit("gather.out")
def gather_out(self: Tensor, dim: int, index: Tensor, sparse_grad: bool, out: Tensor) -> Tensor:
    if out._dtype is not self._dtype:
        raise RuntimeError(
            f"gather(): Expected self.dtype to be equal to out.dtype, got {title(self._dtype)} and {title(out._dtype)}"
        )
    return outputs.copy_result(out, calls.gather(self, dim, index, sparse_grad))


@composite("take_along_dim")
def take_along_dim(self: Tensor, indices: Tensor, dim: int | None) -> Tensor:
    if indices._dtype is not dtypes.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {title(indices._dtype)}"
        )
    if dim is None:
        return calls.gather(views.reshape(self, (-1,)), 0, views.reshape(indices, (-1,)))
    if len(self._size) != len(indices._size):
        raise RuntimeError(
            f"torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {len(self._size)} dimensions for input, and {len(indices._size)} dimensions for indices"
        )
    d = wrap_dim(dim, len(self._size))
    shape = geometry.broadcast_sizes(
        (*self._size[:d], 1, *self._size[d + 1 :]), (*indices._size[:d], 1, *indices._size[d + 1 :])
    )
    wide = views.expand(self, (*shape[:d], self._size[d], *shape[d + 1 :]), False)
    places = views.expand(indices, (*shape[:d], indices._size[d], *shape[d + 1 :]), False)
    return calls.gather(wide, d, places)


@composite("take_along_dim.out")
def take_along_dim_out(self: Tensor, indices: Tensor, dim: int | None, out: Tensor) -> Tensor:
    return outputs.copy_result(out, take_along_dim(self, indices, dim))
