"""`take` and `put_`: positions in the flat order of elements."""

from __future__ import annotations

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import indexing as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops.plans import notes_device_steps
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops.errors import check_deterministic
from rushlight.engine.ops.kinds import indexed, outputs
from rushlight.engine.ops.kinds.views import cpu, explicit, meta


def _move(near: Tensor, flat: Tensor, index: Tensor, writes: bool, fold: str = "") -> None:
    """Gather or scatter between a tensor like the index and a vector."""
    key = ("flat", writes, fold, *indexed.facts(near, flat, index))
    loop = indexed.loops.get(key)
    if loop is None:
        axis = indexed.Axis(index, index._stride_, flat._numel_, flat._stride_[0])
        sides = indexed.Side(near, near._stride_), indexed.Side(flat, (0,) * len(index._size_))
        loop = indexed.build(index._size_, *sides, [axis], writes=writes, wraps=True, fold=fold)
        indexed.loops[key] = loop
    outside = loop.run(near, flat, index)
    if outside is not None:
        raise IndexError(
            f"out of range: tried to access index {outside[1]} on a tensor of {flat._numel_} elements."
        )


def _check_index(name: str, self: Tensor, index: Tensor) -> None:
    if index._dtype_ is not dtypes.int64:
        raise RuntimeError(
            f"{name}(): Expected a long tensor for index, but got {title(index._dtype_)}"
        )
    if index._numel_ and not self._numel_:
        raise IndexError(f"{name}(): tried to take from an empty tensor")


@cpu("take")
@notes_device_steps
def take(self: Tensor, index: Tensor) -> Tensor:
    _check_index("take", self, index)
    made = tensors.empty(index._size_, self._dtype_)
    _move(made, views.reshape(self, (-1,)), index, writes=False)
    return made


@meta("take")
def take_meta(self: Tensor, index: Tensor) -> Tensor:
    return tensors.empty(index._size_, self._dtype_, self._storage_.device)


@explicit("take.out")
def take_out(self: Tensor, index: Tensor, out: Tensor) -> Tensor:
    if out._dtype_ is not self._dtype_:
        raise RuntimeError(
            "take(): self and out expected to have the same dtype, but got self.dtype = "
            f"{title(self._dtype_)} and out.dtype = {title(out._dtype_)}"
        )
    outputs.check_written_once(out)
    outputs.check_apart(out, self, index)
    return outputs.copy_result(out, calls.take(self, index))


@cpu("put_")
def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    if not accumulate:
        check_deterministic("put_")
    _check_index("put_", self, index)
    if self._dtype_ is not source._dtype_:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{title(self._dtype_)} and source.dtype = {title(source._dtype_)}"
        )
    if index._numel_ != source._numel_:
        raise IndexError(
            f"put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source._numel_}, index.numel() = {index._numel_}"
        )
    outputs.check_written_once(self)
    outputs.check_apart(self, index, source)
    dense = sizes.is_contiguous(self._size_, self._stride_)
    target = self if dense else copies.clone(self, layouts.contiguous_format)
    values = views.reshape(source, index._size_)
    fold = "sum" if accumulate else ""
    _move(values, views.reshape(target, (-1,)), index, writes=True, fold=fold)
    if not dense:
        return copies.copy_(self, target, False)
    tensors.bump_version(self)
    return self


@meta("put_")
def put_meta(self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    return self


@explicit("put")
def put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    return calls.put_(copies.clone(self), index, source, accumulate)
