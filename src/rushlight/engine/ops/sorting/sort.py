"""Sorting and what follows from order: top elements.

numpy sorts; `selection` has the rest. Types that numpy lacks are ordered through float32, and NaN
counts as the largest.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, sorting
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, state, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import BOOLEAN, COMPLEX
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import geometry
from rushlight.engine.loops.plan import Loop, Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.native import heap_types
from rushlight.engine.ops import bridge
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.planned import Computed, Request, contiguous_spec, planned
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.reduction.sums import WIDE_UNSIGNED
from rushlight.engine.ops.sorting import device_order, selection
from rushlight.engine.ops.sorting.keys import FLOAT32, FLOAT64, INT32, INT64

# Vectors of integers from this length on keep the order of equal elements.
LONG_INTEGERS = 1 << 15
_KINDS = {
    dtypes.float32: FLOAT32, dtypes.float64: FLOAT64, dtypes.int32: INT32, dtypes.int64: INT64,
}  # fmt: skip


# Arranging an element costs as much as moving so many bytes.
_ELEMENT_WORK = 16
_plans = PlanTable()


def is_arranged(kind: dtypes.dtype) -> bool:
    """Whether elements of a type are put in order where they are; numpy has the others."""
    return kind in _KINDS or state.thread.planner is not None


def lies_in_rows(self: Tensor, d: int) -> bool:
    """Whether a tensor is dense rows along a dimension, of elements that machine code orders."""
    last = d == len(self._size_) - 1
    return last and self._dtype_ in _KINDS and sizes.is_contiguous(self._size_, self._stride_)


def arranged_rows(self: Tensor, how: int, down: bool, count: int) -> tuple[Tensor, Tensor]:
    """The first elements of each row when it is arranged, and their places."""
    if state.thread.planner is not None:
        return device_order.arranged_rows(self, down, count)
    length = self._size_[-1]
    if self._numel_ and count and heap_types.supported():
        parts, shares = selection.shares_of(self._numel_ // length, length, how)
        if shares == 1:
            key = (self._flags_, self._size_, self._stride_, how, down, count, parts)
            plan = _plans.get(key)
            if plan is None:
                plan = _plans[key] = _arranging(self, how, down, count, parts)
            return steps.Produced.note(plan, (self,), plan.produce(self))  # type: ignore[no-any-return]
    steps.Unrepeatable.note()
    size = (*self._size_[:-1], count)
    values, places = tensors.empty(size, self._dtype_), tensors.empty(size, dtypes.int64)
    if values._numel_:
        rows = self._numel_ // length
        parts, shares = selection.shares_of(rows, length, how)
        room = selection.room_for(length, how, count)
        memory = tensors.empty((room * parts,), dtypes.int64)
        selection.arrange_dense(
            parts, shares, room, tensors.data_pointer(self), rows, length, _KINDS[self._dtype_],
            -int(down), how, count, tensors.data_pointer(memory), tensors.data_pointer(values),
            tensors.data_pointer(places),
        )  # fmt: skip
    return values, places


def _arranging(self: Tensor, how: int, down: bool, count: int, parts: int) -> Plan:
    """The plan that arranges the rows of such a tensor, which threads share in so many parts."""
    length = self._size_[-1]
    size = sizes.intern((*self._size_[:-1], count))
    room = selection.room_for(length, how, count)
    templates = [
        tensors.template_for(size, self._dtype_),
        tensors.template_for(size, dtypes.int64),
        tensors.template_for(sizes.intern((room * parts,)), dtypes.int64),
    ]
    rows, width = self._numel_ // length, self._dtype_.itemsize
    share = -(-rows // parts)
    words = symbolic.words([rows, share, length, _KINDS[self._dtype_], -int(down), how, count])
    kinds = [(objects.TENSOR_OPERAND, t.dtype.itemsize) for t in templates]
    kinds += [(objects.TENSOR_OPERAND, width), *[(objects.CONSTANT_OPERAND, 1)] * 2]
    steps = [share * count * width, share * count * 8, room * 8, share * length * width, 0, share]
    loop = Loop(
        selection.module.address(selection.arrange_kernel), [1, -(-rows // share)],
        [[0, step] for step in steps], kinds, 1, [1], self._numel_ * _ELEMENT_WORK,
        [0, 0, 0, 0, ctypes.addressof(words), 0], words, 1,
    )  # fmt: skip
    return Plan(loop, templates, 1)


def arranged_along(self: Tensor, d: int, how: int, down: bool, count: int) -> tuple[Tensor, Tensor]:
    """`arranged_rows` along any dimension of a tensor with any strides."""
    if lies_in_rows(self, d):
        return arranged_rows(self, how, down, count)
    last = len(self._size_) - 1
    rows = copies.contiguous(views.transpose_int(self, d, last))
    values, places = arranged_rows(rows, how, down, count)
    return (
        copies.contiguous(views.transpose_int(values, d, last)),
        copies.contiguous(views.transpose_int(places, d, last)),
    )


def keys_of(self: Tensor, dim: int) -> Any:
    """The elements as numpy orders them, with the dimension last; a scalar has one."""
    wide = self
    if self._dtype_ in (dtypes.bfloat16, dtypes.float16):
        wide = copies.to_dtype(self, dtypes.float32)
    found = bridge.array(wide)
    return found.reshape(1) if not found.ndim else np.moveaxis(found, dim, -1)


def ascending(keys: Any) -> Any:
    """The stable order of each row; numpy puts NaN last."""
    return np.argsort(keys, axis=-1, kind="stable")


def descending(keys: Any) -> Any:
    """The stable order of each row from the largest: NaN first."""
    backwards = np.argsort(keys[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    return keys.shape[-1] - 1 - backwards


def taken(self: Tensor, dim: int, order: Any, keepdim: bool = True) -> tuple[Tensor, Tensor]:
    """Elements and their places along a dimension, which is the last one of ``order``."""
    bits = bridge.array(self)
    if not bits.ndim:
        places = order.reshape(()) if order.size == 1 else order
        return bridge.tensor_of(bits, self._dtype_), bridge.tensor_of(places.astype(np.int64))
    places = np.moveaxis(order, -1, dim)
    values = np.take_along_axis(bits, places, axis=dim)
    if not keepdim:
        values, places = values.squeeze(dim), places.squeeze(dim)
    return (
        bridge.tensor_of(values, self._dtype_),
        bridge.tensor_of(np.asarray(places, np.int64)),
    )


def sorted_places(keys: Any, down: bool, stable: bool) -> Any:
    """Each row's order."""
    if stable:
        return (descending if down else ascending)(keys)
    return selection.arranged(keys, selection.SORT, 0, down)


@planned("sort", exact=True)
def sort(self: Tensor, dim: int, descending: bool) -> Request:
    return sort_stable(self, False, dim, descending)


@planned("sort.stable", exact=True)
def sort_stable(self: Tensor, stable: bool | None, dim: int, descending: bool) -> Request:
    d = wrap_dim(dim, len(self._size_))
    if self._dtype_.category == COMPLEX:
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    if self._dtype_ in dtypes.FLOAT8:
        raise not_implemented("sorting_kernel_method_name", self._dtype_)
    length = self._size_[d] if self._size_ else 1
    long = len(self._size_) == 1 and length >= LONG_INTEGERS and not descending
    steady = stable or (long and self._dtype_.category == dtypes.INTEGRAL)

    stride = geometry.output_strides(self._size_, [(self._size_, self._stride_)])

    def compute() -> Any:
        if self._size_ and is_arranged(self._dtype_):
            how = selection.DIGITS if stable else selection.SORT
            made = arranged_along(self, d, how, descending, length)
        else:
            made = taken(self, d, sorted_places(keys_of(self, d), descending, steady))
        return tuple(laid_out(one, stride) for one in made)

    specs = [(tuple(self._size_), stride, kind) for kind in (self._dtype_, dtypes.int64)]
    return Computed(specs, compute)


def laid_out(made: Tensor, stride: tuple[int, ...]) -> Tensor:
    """A new tensor with the strides that it should have."""
    if made._stride_ == stride:
        return made
    if all(a == b or n == 1 for a, b, n in zip(made._stride_, stride, made._size_)):
        same = tensors.view_of(made, made._size_, stride, made._offset_)
        same._base = None
        return steps.View.note(made, same)  # type: ignore[no-any-return]
    out = creation.empty_strided(
        made._size_, stride, made._dtype_, None, made._storage_.device, None
    )
    return copies.copy_(out, made, False)


@composite("msort")
def msort(self: Tensor) -> Tensor:
    return sorting.sort(self, 0, False)[0]


@explicit("msort.out")
def msort_out(self: Tensor, out: Tensor) -> Tensor:
    outputs.check_exact(out, self._dtype_)
    return outputs.copy_result(out, msort(self))


@composite("argsort")
def argsort(self: Tensor, dim: int, descending: bool) -> Tensor:
    return sorting.sort(self, dim, descending)[1]


@composite("argsort.stable")
def argsort_stable(self: Tensor, stable: bool, dim: int, descending: bool) -> Tensor:
    return sorting.sort_stable(self, stable, dim, descending)[1]


@composite("argsort.stable_out")
def argsort_stable_out(
    self: Tensor, stable: bool, dim: int, descending: bool, out: Tensor
) -> Tensor:
    return outputs.copy_result(out, argsort_stable(self, stable, dim, descending))


def top_places(keys: Any, k: int, largest: bool, ordered: bool) -> Any:
    """Where the first ``k`` of each row's order are."""
    if k == 0:
        return ascending(keys)[..., :0]
    if not ordered and k * 64 > keys.shape[-1]:
        return selection.arranged(keys, selection.SELECT, k - 1, largest)[..., :k]
    return selection.arranged(keys, selection.TOP, k, largest)[..., :k]


@planned("topk", exact=True)
def topk(self: Tensor, k: int, dim: int, largest: bool, sorted: bool) -> Request:
    d = wrap_dim(dim, len(self._size_))
    length = self._size_[d] if self._size_ else 1
    if not 0 <= k <= length:
        raise RuntimeError("selected index k out of range")
    if self._dtype_.category in (COMPLEX, BOOLEAN):
        what = "complex" if self._dtype_.category == COMPLEX else "bool"
        space = " " if what == "complex" else ""
        raise RuntimeError(f"{space}topk does not support {what} dtypes on CPU")
    if self._dtype_ in WIDE_UNSIGNED or self._dtype_ in dtypes.FLOAT8:
        raise not_implemented("topk_cpu", self._dtype_)
    size = tuple(k if i == d else n for i, n in enumerate(self._size_))

    def compute() -> Any:
        if self._size_ and is_arranged(self._dtype_):
            some = not sorted and k * 64 > length
            return arranged_along(self, d, selection.SELECT if some else selection.TOP, largest, k)
        return taken(self, d, top_places(keys_of(self, d), k, largest, sorted))

    return Computed(
        [contiguous_spec(size, self._dtype_), contiguous_spec(size, dtypes.int64)], compute
    )
