"""Variance and standard deviation, with or without the mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import reduction as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core.dtype import COMPLEX, FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import promotion
from rushlight.engine.loops.expr import Value, const, select, sqrt
from rushlight.engine.loops.reduction import Reduction, Values
from rushlight.engine.loops.reductions import variance_of
from rushlight.engine.ops.kinds.planned import Computed, Request, contiguous_spec, planned
from rushlight.engine.ops.kinds.reduction import Reduce, reduced_dims, reduced_size
from rushlight.engine.ops.kinds.views import composite


def spread_of(type: str, correction: float, root: bool, with_mean: bool) -> Reduction:
    """Squared deviations over the count less ``correction``, or the root of that."""

    def finish(totals: Values, count: Value) -> Any:
        number, mean, squares = totals
        left = number - correction
        spread = squares / select(left > 0, left, const("f64", 0))
        spread = sqrt(spread) if root else spread
        if not with_mean:
            return spread
        return [spread, select(number == 0, const("f64", float("nan")), mean)]

    return variance_of(type, finish)


def spread(
    name: str, self: Tensor, dim: Any, correction: Any, keepdim: bool, root: bool, with_mean: bool
) -> Request:
    """What `var`, `std` and their companions with a mean ask for."""
    if self._dtype_.category < FLOATING:
        which = name if with_mean else "std and var"
        raise RuntimeError(f"{which} only support floating point and complex dtypes")
    correction = 1 if correction is None else correction
    dims = reduced_dims(self, dim)
    real = self._dtype_.to_real()
    length = 1
    for d in dims:
        length *= self._size_[d]
    if length - correction <= 0 and self._storage_.device.type == "cpu":
        steps.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less "
            f"than the reduction factor (input numel divided by output numel).",
            stacklevel=2,
        )
    if self._dtype_.category == COMPLEX:
        size = reduced_size(self._size_, dims, keepdim)
        specs = [contiguous_spec(size, real)]
        if with_mean:
            specs.append(contiguous_spec(size, self._dtype_))
        return Computed(
            specs, lambda: _of_complex(self, dims, correction, keepdim, root, with_mean)
        )
    element = promotion.compute_type(real)
    recipe = spread_of(element, float(correction), root, with_mean)
    return Reduce((self,), dims, keepdim, recipe, (real,) * (1 + with_mean))


def _of_complex(
    self: Tensor, dims: Any, correction: Any, keepdim: bool, root: bool, with_mean: bool
) -> Any:
    """The variances of both parts, added."""
    parts = views.view_as_real(self)
    along = dims or None
    real, imag = (views.select_int(parts, -1, k) for k in (0, 1))
    found = maps.add_Tensor(
        calls.var_correction(real, along, correction, keepdim),
        calls.var_correction(imag, along, correction, keepdim),
        1,
    )
    if root:
        found = maps.sqrt(found)
    if not with_mean:
        return found
    return found, calls.mean_dim(self, along, keepdim, None)


@planned("var.correction")
def var_correction(self: Tensor, dim: Any, correction: Any, keepdim: bool) -> Request:
    return spread("var", self, dim, correction, keepdim, False, False)


@planned("std.correction")
def std_correction(self: Tensor, dim: Any, correction: Any, keepdim: bool) -> Request:
    return spread("std", self, dim, correction, keepdim, True, False)


@planned("var_mean.correction")
def var_mean_correction(self: Tensor, dim: Any, correction: Any, keepdim: bool) -> Request:
    return spread("var_mean", self, dim, correction, keepdim, False, True)


@planned("std_mean.correction")
def std_mean_correction(self: Tensor, dim: Any, correction: Any, keepdim: bool) -> Request:
    return spread("std_mean", self, dim, correction, keepdim, True, True)


def _older_forms(name: str, call: Callable[..., Any], out: Callable[..., Any] | None) -> None:
    """The overloads with ``unbiased``."""

    def full(self: Tensor, unbiased: bool) -> Any:
        return call(self, None, int(unbiased), False)

    def over(self: Tensor, dim: Any, unbiased: bool, keepdim: bool) -> Any:
        return call(self, dim, int(unbiased), keepdim)

    composite(name)(full)
    composite(f"{name}.dim")(over)
    if out is not None:

        def over_out(self: Tensor, dim: Any, unbiased: bool, keepdim: bool, result: Tensor) -> Any:
            return out(self, dim, int(unbiased), keepdim, result)

        composite(f"{name}.out")(over_out)


_older_forms("var", calls.var_correction, calls.var_correction_out)
_older_forms("std", calls.std_correction, calls.std_correction_out)
_older_forms("var_mean", calls.var_mean_correction, None)
_older_forms("std_mean", calls.std_mean_correction, None)
