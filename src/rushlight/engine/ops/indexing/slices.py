"""Slices along one dimension at positions that a vector names: select, add, copy, fill, reduce."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, pointwise
from rushlight.engine.calls import indexing as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.plans import notes_device_steps
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops import numbers
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.indexing import along_dim
from rushlight.engine.ops.kinds import indexed, outputs
from rushlight.engine.ops.kinds.views import cpu, explicit, meta
from rushlight.engine.ops.kinds.written import in_place


def _check_selection(self: Tensor, dim: int, index: Tensor) -> int:
    d = wrap_dim(dim, len(self._size_))
    if len(index._size_) > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index._dtype_ not in (dtypes.int32, dtypes.int64):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if not self._size_ and index._numel_ != 1:
        raise RuntimeError(
            f"index_select(): Index to scalar can have only 1 value, got {index._numel_} value(s)"
        )
    return d


def _selected_size(self: Tensor, d: int, index: Tensor) -> tuple[int, ...]:
    return indexed.without(self._size_, d, index._numel_) if self._size_ else ()


@cpu("index_select")
@notes_device_steps
def index_select(self: Tensor, dim: int, index: Tensor) -> Tensor:
    d = _check_selection(self, dim, index)
    if len(self._size_) > 1 and index._numel_ and not self._size_[d]:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    made = tensors.empty(_selected_size(self, d, index), self._dtype_)
    if not made._numel_ and index._numel_:
        # No element is looked up, but positions must lie inside all the same.
        length = self._size_[d] if self._size_ else 1
        probe = tensors.view_of(tensors.empty((1,), dtypes.bool_), (length,), (0,), 0)
        _check_selected(
            indexed.along_slices(
                tensors.empty((index._numel_,), dtypes.bool_), probe, 0, index, writes=False
            ),
            length,
            d or len(self._size_) - 1,
        )
        return made
    outside = indexed.along_slices(made, self, d, index, writes=False)
    _check_selected(outside, self._size_[d] if self._size_ else 1, d)
    return made


def _check_selected(outside: indexed.Outside, length: int, d: int) -> None:
    if outside is None:
        return
    if d == 0:
        raise IndexError("index out of range in self")
    raise RuntimeError(f"INDICES element is out of DATA bounds, id={outside[1]} axis_dim={length}")


@meta("index_select")
def index_select_meta(self: Tensor, dim: int, index: Tensor) -> Tensor:
    d = _check_selection(self, dim, index)
    return tensors.empty(_selected_size(self, d, index), self._dtype_, self._storage_.device)


@explicit("index_select.out")
def index_select_out(self: Tensor, dim: int, index: Tensor, out: Tensor) -> Tensor:
    if out._dtype_ is not self._dtype_:
        raise RuntimeError("index_select(): self and result must have the same scalar type")
    outputs.check_written_once(out)
    outputs.check_apart(out, self, index)
    return outputs.copy_result(out, calls.index_select(self, dim, index))


def _check_slices(name: str, self: Tensor, dim: int, index: Tensor, source: Tensor) -> int:
    """Raise where sums or reductions of slices do not fit; the dimension."""
    d = wrap_dim(dim, len(self._size_))
    if index._dtype_ not in (dtypes.int32, dtypes.int64):
        raise RuntimeError(
            f"{name}(): Expected dtype int32/int64 for index but got: {title(index._dtype_)}"
        )
    if len(index._size_) > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {len(index._size_)} with "
            f"type: {title(index._dtype_)} and size: {list(index._size_)}"
        )
    if self._dtype_ is not source._dtype_:
        raise RuntimeError(
            f"{name}(): self ({title(self._dtype_)}) and source ({title(source._dtype_)}) must have "
            f"the same scalar type"
        )
    count = source._size_[d] if d < len(source._size_) else 1
    if len(source._size_) == len(self._size_) and index._numel_ != count:
        raise RuntimeError(
            f"{name}(): Number of indices ({index._numel_}) should be equal to source.size(dim): "
            f"({count}), for dim: {d}"
        )
    same = source._size_[:d] + source._size_[d + 1 :] == self._size_[:d] + self._size_[d + 1 :]
    if len(source._size_) != len(self._size_) or not same:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {list(self._size_)} source.shape = {list(source._size_)}"
        )
    outputs.check_written_once(self)
    outputs.check_apart(self, index, source)
    return d


def write(
    self: Tensor, d: int, index: Tensor, source: Tensor, fold: str = "", wraps: bool = False
) -> indexed.Outside:
    outside = None
    if tensors.is_computed(self):
        source = copies.clone(source) if source._storage_ is self._storage_ else source
        outside = indexed.along_slices(source, self, d, index, writes=True, fold=fold, wraps=wraps)
    tensors.bump_version(self)
    return outside


@in_place("index_add")
@notes_device_steps
def index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any) -> Tensor:
    d = _check_slices("index_add_", self, dim, index, source)
    if alpha != 1:
        factor = numbers.checked(
            int(alpha) if self._dtype_.category < dtypes.FLOATING else alpha, self._dtype_
        )
        source = pointwise.mul_Scalar(source, factor)
    outside = write(self, d, index, source, "sum")
    if outside is not None and len(self._size_) <= 1:
        raise IndexError("index out of range in self")
    if outside is not None:
        raise RuntimeError(
            f"index {outside[1]} is out of bounds for dimension {d} with size {self._size_[d]}"
        )
    return self


@in_place("index_copy")
def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    d = wrap_dim(dim, len(self._size_))
    if len(index._size_) > 1:
        raise IndexError(
            f"index_copy_(): Index should have dimension 1 or 0 (got {len(index._size_)})"
        )
    if not source._size_ and index._numel_ != 1:
        raise IndexError(
            f"index_copy_(): When source is scalar, index should have one element (got {index._numel_})"
        )
    if source._size_ and self._size_ and len(source._size_) != len(self._size_):
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must "
            f"match. Source dimensionality ({len(source._size_)}), destination dimensionality "
            f"({len(self._size_)})"
        )
    if index._dtype_ is not dtypes.int64:
        raise RuntimeError(
            f"index_copy_(): Expected a long tensor for index, but got {title(index._dtype_)}"
        )
    if self._dtype_ is not source._dtype_:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{title(self._dtype_)} and (source) {title(source._dtype_)}"
        )
    own, given = (t._size_[:d] + t._size_[d + 1 :] for t in (self, source))
    if own != given:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination "
            f"slice shape: {' '.join(map(str, own))} at dimension {d} and source slice shape: "
            f"{' '.join(map(str, given))} at dimension 0."
        )
    if source._size_ and source._size_[d] != index._numel_:
        raise IndexError(
            f"index_copy_(): Number of indices ({index._numel_}) should be equal to "
            f"source.size(dim) ({source._size_[d]})"
        )
    outputs.check_written_once(self)
    outputs.check_apart(self, index, source)
    outside = write(self, d, index, source)
    if outside is not None:
        length = self._size_[d] if self._size_ else 1
        raise IndexError(
            f"index_copy_(): index {outside[1]} is out of bounds for dimension {d} with size {length}"
        )
    return self


@in_place("index_fill.int_Scalar", keeps_strides=True)
def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    if index._dtype_ is not dtypes.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if isinstance(value, complex) and self._dtype_.category != dtypes.COMPLEX:
        raise RuntimeError(
            "index_fill_(): Converting complex Scalar to non-complex type is not supported"
        )
    d = wrap_dim(dim, len(self._size_))
    if len(index._size_) > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    outputs.warn_if_expanded(self, "index_fill_", "mask] = scalar")
    outputs.check_apart(self, index)
    number = numbers.checked(value, self._dtype_)
    made = creation.full((), number, self._dtype_, None, self._storage_.device)
    outside = write(self, d, index, made, wraps=True)
    if outside is not None:
        length = self._size_[d] if self._size_ else 1
        raise IndexError(
            f"index {outside[1]} is out of bounds for dimension {d} with size {length}"
        )
    return self


@in_place("index_fill.int_Tensor", keeps_strides=True)
def index_fill_tensor_(self: Tensor, dim: int, index: Tensor, value: Tensor) -> Tensor:
    if value._size_:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{len(value._size_)} dimension(s)."
        )
    return index_fill_(self, dim, index, numbers.operand_of(value))


@in_place("index_reduce")
def index_reduce_(
    self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool
) -> Tensor:
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."
        )
    d = _check_slices("index_reduce_", self, dim, index, source)
    along_dim.check_reduction("index_func_cpu", reduce, self._dtype_)
    if not index._numel_:
        return self
    if not include_self:
        start = along_dim.identity_of(reduce, self._dtype_)
        made = creation.full((), start, self._dtype_, None, self._storage_.device)
        _check_inside(write(self, d, index, made))
    if reduce != "mean":
        _check_inside(write(self, d, index, source, reduce))
        return self
    _check_inside(write(self, d, index, source, "sum"))
    where = self._storage_.device
    count = creation.full(self._size_, int(include_self), dtypes.int64, None, where)
    write(count, d, index, creation.ones((), dtypes.int64, None, where), "sum")
    return along_dim.divide_by_count(self, self, count)


def _check_inside(outside: indexed.Outside) -> None:
    if outside is not None:
        raise IndexError("index out of range in self")
