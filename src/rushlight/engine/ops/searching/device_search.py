"""Places in sorted rows, and histograms, on a GPU."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, pointwise, reduction, sorting
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.device_loop import over
from rushlight.engine.loops.identity import Written
from rushlight.engine.loops.placement import planned_for
from rushlight.engine.loops.promotion import promote_types
from rushlight.engine.loops.ptx_kernels import described_kernel
from rushlight.engine.loops.ptx_search import Search
from rushlight.engine.ops import answers
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import cuda
from rushlight.engine.ops.pointwise import questions
from rushlight.engine.ops.searching import histograms
from rushlight.engine.ops.searching.searchsorted import (
    check_sequence,
    check_sorter,
    check_types,
    key_loop,
)

_kernels: Written[Any] = Written()
# Enough threads for any processor: each looks for several keys if there are more.
_PROCESSORS = 132


def _keys(tensor: Tensor, kind: dtypes.dtype) -> Tensor:
    """Integers in the order of the elements, dense."""
    made = tensors.empty(tensor._size_, dtypes.int64, tensor._storage_.device)
    with planned_for(tensor, "aten::searchsorted"):
        loop = key_loop(tensors.template_for(tensor._size_, dtypes.int64), tensor, kind)
        loop.run(made, tensor)
    return made


def _search(
    sequence: Tensor, values: Tensor, small: bool, right: bool, sorter: Tensor | None
) -> Tensor:
    check_types(sequence, values, "searchsorted_out_cuda")
    kind = promote_types(sequence._dtype_, values._dtype_)
    if dtypes.uint64 in (sequence._dtype_, values._dtype_):
        raise NotImplementedError(
            "searchsorted on cuda: numbers of the type uint64 are searched on the CPU only"
        )
    where = values._storage_.device
    made = tensors.empty(values._size_, dtypes.int64, where)
    length, count = sequence._size_[-1], values._numel_
    if count:
        several = len(sequence._size_) > 1
        each = values._size_[-1] if several else count
        given = [made, _keys(sequence, kind), _keys(values, kind)]
        if sorter is not None:
            given.append(copies.contiguous(sorter))
        _launch(given, [count, length, each, length if several else 0], right)
    return copies.to_dtype(made, dtypes.int32) if small else made


def _launch(given: list[Tensor], sizes: list[int], right: bool) -> None:
    steps.Unrepeatable.note()
    ordered = len(given) > 3
    kernel = _kernels.get(
        "search", (right, ordered),
        lambda: described_kernel("aten::searchsorted", f"search|{right}{ordered}", Search(right, ordered).text),
    )  # fmt: skip
    grid = over(sizes[0], _PROCESSORS)
    words = [*map(tensors.place_of, given), *sizes, *[0] * (len(sizes) * len(given))]
    kernel.launch(given[0]._storage_.device.index or 0, grid.blocks, grid.width, words)


@cuda("searchsorted.Tensor")
def searchsorted(
    sequence: Tensor, values: Tensor, out_int32: bool, right: bool, side: str | None, sorter: Tensor | None
) -> Tensor:  # fmt: skip
    check_sequence(sequence, values, side, right)
    if sorter is not None:
        check_sorter(sequence, sorter)
    values = _beside(values, sequence)
    return _search(sequence, values, out_int32, right or side == "right", sorter)


@cuda("bucketize.Tensor")
def bucketize(values: Tensor, boundaries: Tensor, out_int32: bool, right: bool) -> Tensor:
    if len(boundaries._size_) != 1:
        raise RuntimeError(
            f"boundaries tensor must be 1 dimension, but got dim({len(boundaries._size_)})"
        )
    return _search(boundaries, _beside(values, boundaries), out_int32, right, None)


def _beside(values: Tensor, sequence: Tensor) -> Tensor:
    """A number of the host on the device of the sequence."""
    where = sequence._storage_.device
    if values._storage_.device is where or values._size_:
        return values
    return copies._to_copy(values, None, None, where, None, False, None)  # type: ignore[no-any-return]


@cuda("histc")
def histc(self: Tensor, bins: int, min: Any, max: Any) -> Tensor:
    histograms.check_bins(bins, 0)
    low, high = float(min), float(max)
    flat = views.reshape(self, (-1,))
    if low == high and flat._numel_:
        low, high = reduction.amin(flat, [], False).item(), reduction.amax(flat, [], False).item()
    if low == high:
        low, high = low - 1, high + 1
    histograms.check_finite("torch.histc:", low, high)
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")
    inside = pointwise.logical_and(pointwise.ge_Scalar(flat, low), pointwise.le_Scalar(flat, high))
    picked = indexing.masked_select(flat, inside)
    place = pointwise.div_Scalar(
        pointwise.mul_Scalar(pointwise.sub_Scalar(picked, low, 1), bins), high - low
    )
    places = pointwise.clamp_max(copies.to_dtype(place, dtypes.int64), bins - 1)
    made = creation.zeros((bins,), self._dtype_, None, self._storage_.device, None)
    ones = creation.ones_like(picked)
    return indexing.index_add_(made, 0, places, ones, 1)  # type: ignore[no-any-return]


@cuda("isin.Tensor_Tensor", "isin.Tensor_Scalar", "isin.Scalar_Tensor")
def isin(elements: Any, test_elements: Any, assume_unique: bool, invert: bool) -> Tensor:
    kind = questions.check_isin(elements, test_elements)
    if not isinstance(elements, Tensor):
        found = reduction.any(pointwise.eq_Scalar(test_elements, elements))
    elif not isinstance(test_elements, Tensor):
        found = pointwise.eq_Scalar(elements, test_elements)
    elif not test_elements._numel_:
        found = creation.zeros_like(elements, dtypes.bool_)
    else:
        tests = views.reshape(copies.to_dtype(test_elements, kind), (-1,))
        ordered = sorting.sort_stable(tests, False, 0, False)[0]
        values = copies.to_dtype(elements, kind)
        places = pointwise.clamp_max(
            _search(ordered, values, False, False, None), tests._numel_ - 1
        )
        there = indexing.index_select(ordered, 0, views.reshape(places, (-1,)))
        found = pointwise.eq_Tensor(views.reshape(there, values._size_), values)
    return pointwise.logical_not(found) if invert else found


@cuda("isin.Tensor_Tensor_out", "isin.Tensor_Scalar_out", "isin.Scalar_Tensor_out")
def isin_out(
    elements: Any, test_elements: Any, assume_unique: bool, invert: bool, out: Tensor
) -> Tensor:
    found = isin(elements, test_elements, assume_unique, invert)
    outputs.check_exact(out, found._dtype_)
    return outputs.copy_result(out, found)


@cuda("repeat_interleave.Tensor")
def repeat_positions(repeats: Tensor, output_size: int | None) -> Tensor:
    if len(repeats._size_) != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if repeats._dtype_ not in (dtypes.int32, dtypes.int64):
        raise RuntimeError("repeats has to be Long or Int tensor")
    where = repeats._storage_.device
    if not repeats._numel_:
        return creation.zeros((0,), repeats._dtype_, None, where, None)  # type: ignore[no-any-return]
    if not answers.are_within(repeats, 0, dtypes.iinfo(repeats._dtype_).max):
        raise RuntimeError("repeats can not be negative")
    ends = reduction.cumsum(copies.to_dtype(repeats, dtypes.int64), 0, None)
    length = int(views.select_int(ends, 0, -1).item())
    if output_size is not None and output_size != length:
        raise RuntimeError("allocated size does not match required size")
    counted = creation.arange(length, dtypes.int64, None, where, None)
    # The place of an element is that of the first end behind it.
    return copies.to_dtype(_search(ends, counted, False, True, None), repeats._dtype_)  # type: ignore[no-any-return]
