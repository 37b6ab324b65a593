"""Sorting and what follows from order: top elements, medians, modes.

numpy sorts. Types that it lacks are ordered through float32, and NaN counts as the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import BOOLEAN, COMPLEX, FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated.calls import copy as copies
from rushlight.engine.generated.calls import reduction as calls
from rushlight.engine.ops import bridge
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.planned import Computed, Request, contiguous_spec, planned
from rushlight.engine.ops.kinds.reduction import reduced_size
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.reduction.checks import not_implemented
from rushlight.engine.ops.reduction.sums import WIDE_UNSIGNED


def keys_of(self: Tensor, dim: int) -> Any:
    """The elements as numpy orders them, with the dimension last; a scalar has one."""
    wide = self
    if self._dtype in (dtypes.bfloat16, dtypes.float16):
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
        return bridge.tensor_of(bits, self._dtype), bridge.tensor_of(places.astype(np.int64))
    places = np.moveaxis(order, -1, dim)
    values = np.take_along_axis(bits, places, axis=dim)
    if not keepdim:
        values, places = values.squeeze(dim), places.squeeze(dim)
    return (
        bridge.tensor_of(values, self._dtype),
        bridge.tensor_of(np.asarray(places, np.int64)),
    )


@planned("sort", "sort.stable", exact=True)
def sort(self: Tensor, *args: Any) -> Request:
    dim, down = (args[1], args[2]) if len(args) == 3 else (args[0], args[1])
    if len(args) == 3 and args[0] is None:
        raise RuntimeError("sort(): argument 'stable' must be bool, not None")
    d = wrap_dim(dim, len(self._size))
    if self._dtype.category == COMPLEX:
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    if self._dtype in dtypes.FLOAT8:
        raise not_implemented("sorting_kernel_method_name", self._dtype)

    def compute() -> Any:
        order = (descending if down else ascending)(keys_of(self, d))
        return taken(self, d, order)

    specs = [contiguous_spec(self._size, self._dtype), contiguous_spec(self._size, dtypes.int64)]
    return Computed(specs, compute)


@composite("msort")
def msort(self: Tensor) -> Tensor:
    return calls.sort(self, 0, False)[0]


@composite("msort.out")
def msort_out(self: Tensor, out: Tensor) -> Tensor:
    return outputs.copy_result(out, msort(self))


@composite("argsort")
def argsort(self: Tensor, dim: int, descending: bool) -> Tensor:
    return calls.sort(self, dim, descending)[1]


@composite("argsort.stable")
def argsort_stable(self: Tensor, stable: bool, dim: int, descending: bool) -> Tensor:
    return calls.sort_stable(self, stable, dim, descending)[1]


@composite("argsort.stable_out")
def argsort_stable_out(
    self: Tensor, stable: bool, dim: int, descending: bool, out: Tensor
) -> Tensor:
    return outputs.copy_result(out, argsort_stable(self, stable, dim, descending))


def top_places(keys: Any, k: int, largest: bool) -> Any:
    """Where the first ``k`` of each row's order are."""
    length = keys.shape[-1]
    order = descending if largest else ascending
    if k == 0 or 4 * k > length:
        return order(keys)[..., :k]
    if largest:
        chosen = np.argpartition(keys, length - k, axis=-1)[..., length - k :]
    else:
        chosen = np.argpartition(keys, k - 1, axis=-1)[..., :k]
    chosen = np.sort(chosen, axis=-1)
    found = order(np.take_along_axis(keys, chosen, -1))
    return np.take_along_axis(chosen, found, -1)


@planned("topk", exact=True)
def topk(self: Tensor, k: int, dim: int, largest: bool, sorted: bool) -> Request:
    d = wrap_dim(dim, len(self._size))
    length = self._size[d] if self._size else 1
    if not 0 <= k <= length:
        raise RuntimeError("selected index k out of range")
    if self._dtype.category in (COMPLEX, BOOLEAN):
        what = "complex" if self._dtype.category == COMPLEX else "bool"
        space = " " if what == "complex" else ""
        raise RuntimeError(f"{space}topk does not support {what} dtypes on CPU")
    if self._dtype in WIDE_UNSIGNED or self._dtype in dtypes.FLOAT8:
        raise not_implemented("topk_cpu", self._dtype)
    size = tuple(k if i == d else n for i, n in enumerate(self._size))

    def compute() -> Any:
        return taken(self, d, top_places(keys_of(self, d), k, largest))

    return Computed(
        [contiguous_spec(size, self._dtype), contiguous_spec(size, dtypes.int64)], compute
    )


def _check(kernel: str, self: Tensor, boolean: bool = False) -> None:
    kind = self._dtype
    odd = kind.category == COMPLEX or kind in WIDE_UNSIGNED or kind in dtypes.FLOAT8
    if odd or (kind is dtypes.bool_ and not boolean):
        raise not_implemented(kernel, kind)


def _one_of_each(self: Tensor, dim: int, keepdim: bool, choose: Callable[[Any], Any]) -> Request:
    """A request for one element of each row: ``choose(keys)`` gives their places."""
    size = reduced_size(self._size, (dim,) if self._size else (), keepdim)

    def compute() -> Any:
        return taken(self, dim, choose(keys_of(self, dim))[..., None], keepdim)

    return Computed(
        [contiguous_spec(size, self._dtype), contiguous_spec(size, dtypes.int64)], compute
    )


def _check_length(name: str, self: Tensor, d: int) -> None:
    if self._size and self._size[d] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


@planned("kthvalue", exact=True)
def kthvalue(self: Tensor, k: int, dim: int, keepdim: bool) -> Request:
    d = wrap_dim(dim, len(self._size))
    _check_length("kthvalue", self, d)
    if not 1 <= k <= (self._size[d] if self._size else 1):
        raise RuntimeError("selected number k out of range for dimension " + str(d))
    _check("kthvalue_cpu", self)
    return _one_of_each(self, d, keepdim, lambda keys: ascending(keys)[..., k - 1])


def median_places(keys: Any, ignore_nan: bool) -> Any:
    """Where each row's lower median is: a NaN's place if there is one that counts."""
    order = ascending(keys)
    length = keys.shape[-1]
    if not np.issubdtype(keys.dtype, np.floating):
        return order[..., (length - 1) // 2]
    missing = np.isnan(keys)
    if ignore_nan:
        numbers = length - missing.sum(-1)
        middle = np.maximum(numbers - 1, 0) // 2
        return np.take_along_axis(order, middle[..., None], -1)[..., 0]
    return np.where(missing.any(-1), missing.argmax(-1), order[..., (length - 1) // 2])


def _medians(name: str, ignore_nan: bool) -> None:
    """`median` or `nanmedian`."""

    @planned(name)
    def full(self: Tensor) -> Request:
        _check("median_cpu", self)

        def compute() -> Tensor:
            if not self._numel:
                held = np.full((), np.nan if self._dtype.category >= FLOATING else 0)
                if self._dtype.category < FLOATING:
                    held = np.full((), np.iinfo(bridge.NUMPY[self._dtype]).min)
                return copies.to_dtype(bridge.tensor_of(held), self._dtype)
            keys = keys_of(self, 0).reshape(-1)
            bits = np.moveaxis(bridge.array(self), 0, -1) if self._size else bridge.array(self)
            return bridge.tensor_of(bits.reshape(-1)[median_places(keys, ignore_nan)], self._dtype)

        return Computed([contiguous_spec((), self._dtype)], compute)

    @planned(f"{name}.dim", exact=True)
    def along(self: Tensor, dim: int, keepdim: bool) -> Request:
        d = wrap_dim(dim, len(self._size))
        _check_length("median", self, d)
        _check("median_cpu", self)
        return _one_of_each(self, d, keepdim, lambda keys: median_places(keys, ignore_nan))


_medians("median", False)
_medians("nanmedian", True)


def mode_places(keys: Any) -> Any:
    """Where each row's most frequent element is last; the smallest of several."""
    order = ascending(keys)
    ordered = np.take_along_axis(keys, order, -1)
    length = keys.shape[-1]
    starts = np.ones(ordered.shape, bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    place = np.arange(length)
    run_start = np.maximum.accumulate(np.where(starts, place, 0), axis=-1)
    last = np.argmax(place - run_start, axis=-1)
    return np.take_along_axis(order, last[..., None], -1)[..., 0]


@planned("mode", exact=True)
def mode(self: Tensor, dim: int, keepdim: bool) -> Request:
    d = wrap_dim(dim, len(self._size))
    _check_length("mode", self, d)
    _check("mode_cpu", self, boolean=True)
    return _one_of_each(self, d, keepdim, mode_places)
