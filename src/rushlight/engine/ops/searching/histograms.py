"""Counts: of every number (`bincount`), and in bins (`histc`, `histogram`, `histogramdd`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation, indexing, reduction
from rushlight.engine.calls.remembered import pointwise as maps
from rushlight.engine.calls.remembered import searching as calls
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import recorder
from rushlight.engine.loops.plan import SOME_LENGTH
from rushlight.engine.ops import answers, bridge
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds import compaction, outputs
from rushlight.engine.ops.kinds.views import composite, cpu, explicit, meta

# Up to here, counting in steps that are remembered costs less than calling numpy.
_FEW = 4096


@cpu("bincount")
def bincount(self: Tensor, weights: Tensor | None, minlength: int) -> Tensor:
    if self._dtype_.category != dtypes.INTEGRAL:
        raise not_implemented("bincount_cpu", self._dtype_)
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if weights is not None and weights._size_ != self._size_:
        return _counts(self, weights, minlength)
    whole = copies.contiguous(copies.to_dtype(self, dtypes.int64))
    kind = dtypes.int64
    if not self._numel_:
        # Nothing is counted, whatever it weighs.
        weights = None
    if weights is not None:
        kind = dtypes.float32 if weights._dtype_ is dtypes.float32 else dtypes.float64
        weights = copies.contiguous(copies.to_dtype(weights, kind))
    trace = symbolic.trace()
    if trace is None:
        made: Tensor = recorder.unnoted(lambda: _counts(self, weights, minlength))
    else:
        found: Any = trace.found(SOME_LENGTH)
        made = tensors.empty((found,), kind)
    compaction.note_classes(whole, made, minlength, weights)
    return made


def _counts(self: Tensor, weights: Tensor | None, minlength: int) -> Tensor:
    """How often each number comes, or the sum of its weights."""
    values = bridge.array(self)
    if len(self._size_) != 1 or (values.size and values.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    most = int(values.max()) if values.size else -1
    if most >= sizes.MOST:
        raise RuntimeError(
            f"maximum value of input overflowed, it should be < {sizes.MOST} but got {most}"
        )
    sizes.count_bytes(max(most + 1, minlength))
    if weights is None:
        return bridge.tensor_of(np.bincount(values.astype(np.int64), minlength=minlength))
    if weights._size_ != self._size_:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    given = bridge.array(weights)
    if given.dtype == np.float64:
        return bridge.tensor_of(
            np.bincount(values.astype(np.int64), given, minlength).astype(np.float64)
        )
    # Sums in single precision are rounded after each element.
    found = np.zeros(max(most + 1, minlength), given.dtype)
    np.add.at(found, values.astype(np.int64), given)
    return bridge.tensor_of(found)


def _range_text(value: float) -> str:
    return f"{value:g}"


def check_finite(name: str, low: float, high: float) -> None:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(
            f"{name} range of [{_range_text(low)}, {_range_text(high)}] is not finite"
        )


def check_bins(bins: int, dim: int) -> None:
    if bins <= 0:
        raise RuntimeError(
            f"torch.histogram(): bins must be > 0, but got {bins} for dimension {dim}"
        )


@meta("histc")
def histc_of_meta(self: Tensor, bins: int, min: Any, max: Any) -> Tensor:
    check_bins(bins, 0)
    return tensors.empty((bins,), self._dtype_, self._storage_.device)


@cpu("histc")
def histc(self: Tensor, bins: int, min: Any, max: Any) -> Tensor:
    if self._dtype_.category != dtypes.FLOATING:
        raise not_implemented("histogram_cpu", self._dtype_)
    check_bins(bins, 0)
    sizes.count_bytes(bins)
    few = 0 < self._numel_ <= _FEW and recorder.is_recorded()
    if few and math.isfinite(min) and math.isfinite(max) and min <= max:
        counts = _counts_between(views.reshape(self, (-1,)), bins, min, max)
        if counts is not None:
            return counts
    wide = dtypes.float64 if self._dtype_ is dtypes.float64 else dtypes.float32
    values = bridge.array(copies.to_dtype(self, wide)).reshape(-1)
    low, high = float(min), float(max)
    if low == high and values.size:
        low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 1, high + 1
    check_finite("torch.histc:", low, high)
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")
    # The same steps as PyTorch's, each rounded to the elements' type.
    rounded = _ROUNDED.get(self._dtype_, np.asarray)
    first, last, number = (rounded(values.dtype.type(x)) for x in (low, high, bins))
    values = values[(values >= first) & (values <= last)]
    places = rounded(rounded(rounded(values - first) * number) / rounded(last - first))
    found = np.bincount(np.minimum(places.astype(np.int64), bins - 1), minlength=bins)
    return copies.to_dtype(bridge.tensor_of(found.astype(np.float64)), self._dtype_)


def _counts_between(values: Tensor, bins: int, low: float, high: float) -> Tensor | None:
    """The same for few elements, in steps that calls repeat; the elements' type rounds each.

    None if the elements have to say where the bins are, and cannot.
    """
    kind = values._dtype_
    given = (low, high, bins)
    first, last, number = (creation.full((), x, kind, None, devices.cpu) for x in given)
    if low == high:
        first, last = reduction.amin(values), reduction.amax(values)
        if not answers.are_all(maps.isfinite(maps.sub_Tensor(last, first, 1))):
            return None
        first, last = _apart(first, last, 1)
    inside = maps.logical_and(maps.ge_Tensor(values, first), maps.le_Tensor(values, last))
    shares = maps.mul_Tensor(maps.sub_Tensor(values, first, 1), number)
    shares = maps.div_Tensor(shares, maps.sub_Tensor(last, first, 1))
    found = copies.to_dtype(maps.clamp(maps.nan_to_num(shares), 0, bins - 1), dtypes.int64)
    counts = creation.zeros((bins,), dtypes.float32, None, devices.cpu)
    ones = copies.to_dtype(inside, dtypes.float32)
    return copies.to_dtype(indexing.scatter_add(counts, 0, found, ones), kind)


def _apart(low: Tensor, high: Tensor, by: float) -> tuple[Tensor, Tensor]:
    """Two bounds, so much farther apart on both sides if they are one number."""
    same = maps.eq_Tensor(low, high)
    lower, higher = maps.sub_Scalar(low, by, 1), maps.add_Scalar(high, by, 1)
    return indexing.where_self(same, lower, low), indexing.where_self(same, higher, high)


def _rounded_to_bfloat16(values: Any) -> Any:
    """Numbers of float32 rounded to the nearest of bfloat16, to even ones halfway between."""
    bits = np.asarray(values).view(np.uint32)
    odd = bits >> np.uint32(16) & np.uint32(1)
    return (bits + odd + np.uint32(0x7FFF) & np.uint32(0xFFFF0000)).view(np.float32)


def _rounded_to_float16(values: Any) -> Any:
    return np.asarray(values).astype(np.float16).astype(np.float32)


_ROUNDED = {dtypes.bfloat16: _rounded_to_bfloat16, dtypes.float16: _rounded_to_float16}


@explicit("histc.out")
def histc_out(self: Tensor, bins: int, min: Any, max: Any, out: Tensor) -> Tensor:
    outputs.check_exact(out, self._dtype_)
    return outputs.copy_result(out, calls.histc(self, bins, min, max))


Floats = Sequence[float]


def _check_points(self: Tensor, weight: Tensor | None) -> None:
    """Raise for what cannot be counted: rows of coordinates and their weights."""
    if len(self._size_) < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    if self._dtype_ not in (dtypes.float32, dtypes.float64):
        raise not_implemented("histogramdd", self._dtype_)
    if weight is None:
        return
    if weight._dtype_ is not self._dtype_:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should "
            f"have the same dtype, but got input(torch.{self._dtype_._name}), and weight(torch.{weight._dtype_._name})"
        )
    if weight._size_ != self._size_[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the "
            "input tensor excluding its innermost dimension, but got input with shape "
            f"{list(self._size_)} and weight with shape {list(weight._size_)}"
        )


def _edges(self: Tensor, bins: Sequence[int], range: Floats | None) -> list[Tensor]:
    """Evenly spaced edges of the bins of each dimension."""
    count = self._size_[-1]
    if len(bins) != count:
        raise RuntimeError(
            f"torch.histogramdd: expected {count} sequences of bin edges for a {count}-dimensional "
            f"histogram but got {len(bins)}"
        )
    for d, n in enumerate(bins):
        check_bins(n, d)
    if range is not None and len(range) != 2 * count:
        raise RuntimeError(
            f"torch.histogramdd: for a {count}-dimensional histogram range should have {2 * count} "
            f"elements, but got {len(range)}"
        )
    if range is None and _are_few(self):
        found = _edges_in_steps(self, bins)
        if found is not None:
            return found
    points = None if range is not None else bridge.array(self).reshape(-1, count)
    made = []
    for d, n in enumerate(bins):
        if range is not None:
            low, high = float(range[2 * d]), float(range[2 * d + 1])
        elif points is not None and points.size:
            low, high = float(points[:, d].min()), float(points[:, d].max())
        else:
            low, high = 0.0, 1.0
        if not (math.isfinite(low) and math.isfinite(high)):
            raise RuntimeError(
                f"torch.histogramdd: dimension {d}'s range [{_range_text(low)}, {_range_text(high)}] "
                f"is not finite"
            )
        if low > high:
            raise RuntimeError(
                f"torch.histogramdd: min should not exceed max, but got min {_range_text(low)} max "
                f"{_range_text(high)} for dimension {d}"
            )
        if low == high:
            low, high = low - 0.5, high + 0.5
        made.append(creation.linspace(low, high, n + 1, self._dtype_, None, None, None))
    return made


def _are_few(self: Tensor) -> bool:
    """Whether few elements are counted in steps, which a call that comes again repeats."""
    on_cpu = not self._storage_._device_code
    return on_cpu and 0 < self._numel_ <= _FEW and recorder.is_recorded()


def _edges_in_steps(self: Tensor, bins: Sequence[int]) -> list[Tensor] | None:
    """Evenly spaced edges between the least and greatest points; None if these are not finite."""
    points = views.reshape(self, (-1, self._size_[-1]))
    lowest, highest = reduction.amin(points, [0]), reduction.amax(points, [0])
    if not answers.are_all(maps.isfinite(maps.sub_Tensor(highest, lowest, 1))):
        return None
    lowest, highest = _apart(lowest, highest, 0.5)
    return [
        creation.linspace_Tensor_Tensor(
            views.select_int(lowest, 0, d), views.select_int(highest, 0, d), n + 1, self._dtype_,
            None, None, None,
        )
        for d, n in enumerate(bins)
    ]  # fmt: skip


def _check_edges(self: Tensor, bins: Sequence[Tensor]) -> None:
    count = self._size_[-1]
    if len(bins) != count:
        raise RuntimeError(
            f"torch.histogramdd: expected {count} sequences of bin edges for a {count}-dimensional "
            f"histogram but got {len(bins)}"
        )
    for d, edges in enumerate(bins):
        if edges._dtype_ is not self._dtype_:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but "
                f"got input with dtype {self._dtype_._name} and bins for dimension {d} with dtype "
                f"{edges._dtype_._name}"
            )
        if len(edges._size_) != 1:
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have one dimension, but got "
                f"{len(edges._size_)} dimensions in the bins tensor for dimension {d}"
            )
        if not edges._numel_:
            raise RuntimeError(
                f"torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements "
                f"in the bins tensor for dimension {d}"
            )
        check_bins(edges._numel_ - 1, d)


def _counted(self: Tensor, edges: Sequence[Tensor], weight: Tensor | None, density: bool) -> Tensor:
    """How many points, or how much weight, each cell of a grid holds."""
    found = (_counted_in_steps if _are_few(self) else _counted_at_once)(self, edges, weight)
    if not density:
        return found
    found = maps.div_Tensor(found, reduction.sum(found))
    for d, borders in enumerate(edges):
        count = borders._numel_ - 1
        upper, lower = (views.slice_Tensor(borders, 0, k, k + count, 1) for k in (1, 0))
        shape = [-1 if k == d else 1 for k in range(len(edges))]
        found = maps.div_Tensor(found, views.reshape(maps.sub_Tensor(upper, lower, 1), shape))
    return found


def _counted_at_once(self: Tensor, edges: Sequence[Tensor], weight: Tensor | None) -> Tensor:
    """What each cell holds, by numpy."""
    points = bridge.array(self).reshape(-1, self._size_[-1])
    grid = [bridge.array(e) for e in edges]
    shape = tuple(len(g) - 1 for g in grid)
    inside = np.ones(len(points), bool)
    cell = np.zeros(len(points), np.int64)
    for d, borders in enumerate(grid):
        x = points[:, d]
        inside &= (x >= borders[0]) & (x <= borders[-1])
        # The last bin includes its right edge.
        place = np.minimum(np.searchsorted(borders, x, side="right") - 1, shape[d] - 1)
        cell = cell * shape[d] + place
    size = sizes.numel(shape)
    sizes.count_bytes(size)
    if weight is None:
        found = np.bincount(cell[inside], minlength=size).astype(points.dtype)
    else:
        found = np.zeros(size, points.dtype)
        np.add.at(found, cell[inside], bridge.array(weight).reshape(-1)[inside])
    return bridge.tensor_of(found.reshape(shape))


def _counted_in_steps(self: Tensor, edges: Sequence[Tensor], weight: Tensor | None) -> Tensor:
    """The same for few points, in steps that calls repeat."""
    points = views.reshape(self, (-1, self._size_[-1]))
    shape = tuple(e._numel_ - 1 for e in edges)
    size = sizes.numel(shape)
    sizes.count_bytes(size)
    cell: Any = None
    inside: Any = None
    for d, borders in enumerate(edges):
        x = views.select_int(points, 1, d)
        first, last = views.select_int(borders, 0, 0), views.select_int(borders, 0, -1)
        fits = maps.logical_and(maps.ge_Tensor(x, first), maps.le_Tensor(x, last))
        place = maps.sub_Scalar(calls.searchsorted_Tensor(borders, x, False, True, None, None), 1)
        place = maps.clamp(place, 0, shape[d] - 1)
        inside = fits if inside is None else maps.logical_and(inside, fits)
        cell = place if cell is None else maps.add_Tensor(maps.mul_Scalar(cell, shape[d]), place, 1)
    if weight is None:
        weights = copies.to_dtype(inside, self._dtype_)
    else:
        given = views.reshape(weight, (-1,))
        weights = indexing.masked_fill_Scalar(given, maps.logical_not(inside), 0)
    found = creation.zeros((size,), self._dtype_, None, devices.cpu)
    return views.reshape(indexing.scatter_add(found, 0, cell, weights), shape)


@cpu("_histogramdd_bin_edges")
def histogramdd_bin_edges(
    self: Tensor, bins: Sequence[int], range: Floats | None, weight: Tensor | None, density: bool
) -> tuple[Tensor, ...]:
    _check_points(self, weight)
    return tuple(_edges(self, bins, range))


@cpu("_histogramdd_from_bin_cts")
def histogramdd_from_counts(
    self: Tensor, bins: Sequence[int], range: Floats | None, weight: Tensor | None, density: bool
) -> Tensor:
    _check_points(self, weight)
    return _counted(self, _edges(self, bins, range), weight, density)


@cpu("_histogramdd_from_bin_tensors")
def histogramdd_from_edges(
    self: Tensor, bins: Sequence[Tensor], weight: Tensor | None, density: bool
) -> Tensor:
    _check_points(self, weight)
    _check_edges(self, bins)
    return _counted(self, bins, weight, density)


def _check_dimensions(self: Tensor, bins: Sequence[Any]) -> None:
    if len(self._size_) < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    if len(bins) != self._size_[-1]:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )


@composite("histogramdd")
def histogramdd(
    self: Tensor, bins: Sequence[int], range: Floats | None, weight: Tensor | None, density: bool
) -> tuple[Tensor, tuple[Tensor, ...]]:
    _check_dimensions(self, bins)
    edges = calls._histogramdd_bin_edges(self, bins, range, weight, density)
    return calls._histogramdd_from_bin_cts(self, bins, range, weight, density), tuple(edges)


@composite("histogramdd.int_bins")
def histogramdd_int(
    self: Tensor, bins: int, range: Floats | None, weight: Tensor | None, density: bool
) -> tuple[Tensor, tuple[Tensor, ...]]:
    count = self._size_[-1] if self._size_ else 0
    return histogramdd(self, [bins] * count, range, weight, density)


@composite("histogramdd.TensorList_bins")
def histogramdd_edges(
    self: Tensor,
    bins: Sequence[Tensor],
    range: Floats | None,
    weight: Tensor | None,
    density: bool,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    _check_dimensions(self, bins)
    return calls._histogramdd_from_bin_tensors(self, bins, weight, density), tuple(bins)


def _column(self: Tensor) -> Tensor:
    return views.unsqueeze(views.reshape(self, (-1,)), -1)


def _flat(weight: Tensor | None, self: Tensor) -> Tensor | None:
    return (
        weight if weight is None or weight._size_ != self._size_ else views.reshape(weight, (-1,))
    )


@cpu("histogram.bin_ct")
def histogram(
    self: Tensor, bins: int, range: Floats | None, weight: Tensor | None, density: bool
) -> tuple[Tensor, Tensor]:
    points, weight = _column(self), _flat(weight, self)
    _check_points(points, weight)
    edges = _edges(points, [bins], range)
    return _counted(points, edges, weight, density), edges[0]


@cpu("histogram.bins_tensor")
def histogram_edges(
    self: Tensor, bins: Tensor, weight: Tensor | None, density: bool
) -> tuple[Tensor, Tensor]:
    points, weight = _column(self), _flat(weight, self)
    _check_points(points, weight)
    _check_edges(points, [bins])
    return _counted(points, [bins], weight, density), copies.clone(bins)


def _into(result: tuple[Tensor, Tensor], hist: Tensor, bin_edges: Tensor) -> tuple[Tensor, Tensor]:
    for out, made in zip((hist, bin_edges), result):
        if out._dtype_ is not made._dtype_:
            raise RuntimeError(
                "torch.histogram: input tensor and hist tensor should have the same dtype, but got "
                f"input {made._dtype_._name} and hist {out._dtype_._name}"
            )
        outputs.copy_result(out, made)
    return hist, bin_edges


@explicit("histogram.bin_ct_out")
def histogram_out(
    self: Tensor,
    bins: int,
    range: Floats | None,
    weight: Tensor | None,
    density: bool,
    hist: Tensor,
    bin_edges: Tensor,
) -> tuple[Tensor, Tensor]:
    return _into(calls.histogram_bin_ct(self, bins, range, weight, density), hist, bin_edges)


@explicit("histogram.bins_tensor_out")
def histogram_edges_out(
    self: Tensor,
    bins: Tensor,
    weight: Tensor | None,
    density: bool,
    hist: Tensor,
    bin_edges: Tensor,
) -> tuple[Tensor, Tensor]:
    return _into(calls.histogram_bins_tensor(self, bins, weight, density), hist, bin_edges)
