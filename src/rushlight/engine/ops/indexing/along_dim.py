"""Gathers and scatters along one dimension, an index element for each element moved."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, pointwise
from rushlight.engine.calls import indexing as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import BOOLEAN, COMPLEX, FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry
from rushlight.engine.loops.plans import notes_device_steps
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops import numbers
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds import indexed, outputs
from rushlight.engine.ops.kinds.views import composite, cpu, explicit, meta
from rushlight.engine.ops.kinds.written import in_place

HALVES = (dtypes.float16, dtypes.bfloat16)


def _check_index(name: str, self: Tensor, dim: int, index: Tensor, source: Tensor | None) -> int:
    """Raise for an index (and a source of what is written) that does not fit; the dimension."""
    d = wrap_dim(dim, len(self._size_))
    if index._numel_ and index._dtype_ not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if source is not None and source._dtype_ is not self._dtype_:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if not index._numel_:
        return d
    reads = name == "gather"
    own, places = self._size_ or (1,), index._size_ or (1,)
    if len(own) != len(places):
        raise RuntimeError(
            "Index tensor must have the same number of dimensions as "
            f"{'input' if reads else 'self'} tensor"
        )
    too_large = any(k != d and n > own[k] for k, n in enumerate(places))
    if reads and too_large:
        k = next(k for k, n in enumerate(places) if k != d and n > own[k])
        raise RuntimeError(
            f"Size does not match at dimension {k} expected index {list(index._size_)} to be no "
            f"larger than self {list(self._size_)} apart from dimension {d}"
        )
    if source is not None:
        given = source._size_ or (1,)
        if len(given) != len(places):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        too_large = too_large or any(n > m for n, m in zip(places, given))
    if too_large:
        limit = f" and to be no larger size than src {list(source._size_)}" if source else ""
        raise RuntimeError(
            f"Expected index {list(index._size_)} to be no larger than self {list(self._size_)} "
            f"apart from dimension {d}{limit}"
        )
    return d


def _check_places(outside: indexed.Outside, self: Tensor, d: int) -> None:
    if outside is not None:
        length = self._size_[d] if self._size_ else 1
        raise RuntimeError(
            f"index {outside[1]} is out of bounds for dimension {d} with size {length}"
        )


# -- gather --


@cpu("gather")
@notes_device_steps
def gather(self: Tensor, dim: int, index: Tensor, sparse_grad: bool) -> Tensor:
    d = _check_index("gather", self, dim, index, None)
    made = tensors.empty(index._size_, self._dtype_)
    _check_places(indexed.along_elements(made, self, d, index, writes=False), self, d)
    return made


@meta("gather")
def gather_meta(self: Tensor, dim: int, index: Tensor, sparse_grad: bool) -> Tensor:
    _check_index("gather", self, dim, index, None)
    return tensors.empty(index._size_, self._dtype_, self._storage_.device)


@explicit("gather.out")
def gather_out(self: Tensor, dim: int, index: Tensor, sparse_grad: bool, out: Tensor) -> Tensor:
    outputs.check_apart(out, self)
    outputs.check_exact(out, self._dtype_)
    outputs.resize_output(out, index._size_)
    outputs.check_no_partial_overlap(out, (index,))
    return outputs.copy_result(out, calls.gather(self, dim, index, sparse_grad))


@composite("take_along_dim")
def take_along_dim(self: Tensor, indices: Tensor, dim: int | None) -> Tensor:
    if indices._dtype_ is not dtypes.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {title(indices._dtype_)}"
        )
    if dim is None:
        return calls.gather(views.reshape(self, (-1,)), 0, views.reshape(indices, (-1,)))
    if len(self._size_) != len(indices._size_):
        raise RuntimeError(
            f"torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {len(self._size_)} dimensions for input, and {len(indices._size_)} dimensions for indices"
        )
    d = wrap_dim(dim, len(self._size_))
    shape = geometry.broadcast_sizes(
        (*self._size_[:d], 1, *self._size_[d + 1 :]),
        (*indices._size_[:d], 1, *indices._size_[d + 1 :]),
    )
    length = self._size_[d] if self._size_ else 1
    wide = views.expand(self, (*shape[:d], length, *shape[d + 1 :]), False)
    count = indices._size_[d] if indices._size_ else 1
    places = views.expand(indices, (*shape[:d], count, *shape[d + 1 :]), False)
    # Positions count around the dimension, in either direction.
    return calls.gather(wide, d, pointwise.remainder_Scalar(places, length) if length else places)


@explicit("take_along_dim.out")
def take_along_dim_out(self: Tensor, indices: Tensor, dim: int | None, out: Tensor) -> Tensor:
    outputs.check_exact(out, self._dtype_)
    return outputs.copy_result(out, take_along_dim(self, indices, dim))


# -- scatter: one core for all forms --

# The names of the old `reduce` argument.
_OLD_NAMES = {"add": "sum", "multiply": "prod"}


def scatter_into(self: Tensor, dim: int, index: Tensor, source: Tensor, fold: str = "") -> Tensor:
    """Write or fold a source (or one number) into a tensor, in place."""
    repeats = not source._size_ and bool(index._size_)
    d = _check_index("scatter", self, dim, index, None if repeats else source)
    outputs.check_written_once(self)
    outputs.check_apart(self, index, source)
    if tensors.is_computed(self):
        source = copies.clone(source) if source._storage_ is self._storage_ else source
        wide = fold and self._dtype_ in HALVES
        target = copies.to_dtype(self, dtypes.float32) if wide else self
        source = copies.to_dtype(source, dtypes.float32) if wide else source
        outside = indexed.along_elements(source, target, d, index, writes=True, fold=fold)
        _check_places(outside, self, d)
        if wide:
            return copies.copy_(self, target, False)
    tensors.bump_version(self)
    return self


def _number(value: Any, like: Tensor) -> Tensor:
    """A number as an element like a tensor's."""
    number = numbers.checked(value, like._dtype_)
    return creation.full((), number, like._dtype_, None, like._storage_.device)


def _fold_of(reduce: str) -> str:
    if reduce not in _OLD_NAMES:
        raise RuntimeError("reduce argument must be either add or multiply.")
    return _OLD_NAMES[reduce]


@in_place("scatter.src")
@notes_device_steps
def scatter_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return scatter_into(self, dim, index, src)


@in_place("scatter.value")
@notes_device_steps
def scatter_value_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    return scatter_into(self, dim, index, _number(value, self))


@in_place("scatter.reduce")
def scatter_reduce_old_(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str) -> Tensor:
    return scatter_into(self, dim, index, src, _fold_of(reduce))


@in_place("scatter.value_reduce")
def scatter_value_reduce_(self: Tensor, dim: int, index: Tensor, value: Any, reduce: str) -> Tensor:
    return scatter_into(self, dim, index, _number(value, self), _fold_of(reduce))


@in_place("scatter_add")
@notes_device_steps
def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return scatter_into(self, dim, index, src, "sum")


_IDENTITIES = {"sum": 0, "mean": 0, "prod": 1}


def identity_of(reduce: str, kind: dtypes.dtype) -> Any:
    """What a reduction starts with."""
    if reduce in _IDENTITIES:
        return _IDENTITIES[reduce]
    if kind.category == BOOLEAN:
        return reduce == "amin"
    if kind.category == FLOATING:
        return float("-inf" if reduce == "amax" else "inf")
    limits = dtypes.iinfo(kind)
    return limits.min if reduce == "amax" else limits.max


def check_reduction(prefix: str, reduce: str, kind: dtypes.dtype) -> None:
    """Raise where a type has no such reduction."""
    ordered = reduce in ("amax", "amin")
    if (reduce == "mean" and kind is dtypes.bool_) or (ordered and kind.category == COMPLEX):
        raise NotImplementedError(f"\"{prefix}_{reduce}\" not implemented for '{title(kind)}'")


def divide_by_count(self: Tensor, total: Tensor, count: Tensor) -> Tensor:
    """Turn sums into means, in place; what nothing was added to counts once."""
    count = pointwise.clamp_min(count, 1)
    rounding = None if self._dtype_.category >= FLOATING else "floor"
    mean = pointwise.div_Tensor_mode(total, copies.to_dtype(count, total._dtype_), rounding)
    return copies.copy_(self, mean, False)


@in_place("scatter_reduce.two")
def scatter_reduce_(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool
) -> Tensor:
    if reduce not in ("mean", *indexed.FOLDS):
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    check_reduction("scatter_gather_tensor_cpu_reduce", reduce, self._dtype_)
    _check_index("scatter", self, dim, index, src)
    if not index._numel_:
        return self
    if not include_self:
        scatter_into(self, dim, index, _number(identity_of(reduce, self._dtype_), self))
    if reduce != "mean":
        return scatter_into(self, dim, index, src, reduce)
    wide = self._dtype_ in HALVES
    total = copies.to_dtype(self, dtypes.float32) if wide else self
    scatter_into(total, dim, index, copies.to_dtype(src, total._dtype_), "sum")
    where = self._storage_.device
    count = creation.full(self._size_, int(include_self), dtypes.int64, None, where)
    scatter_into(count, dim, index, _number(1, count), "sum")
    return divide_by_count(self, total, count)
