"""Quantiles."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, sorting
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import reduction as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import answers
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import composite

MODES = ("linear", "lower", "higher", "midpoint", "nearest")


def _check(name: str, self: Tensor, q: Tensor, dim: int | None, interpolation: str) -> None:
    if not self._numel_:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if len(q._size_) > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if self._dtype_ not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if self._dtype_ is not q._dtype_:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if q._storage_.device is not self._storage_.device:
        raise RuntimeError(f"{name}() q tensor must be on the same device as the input tensor")
    if interpolation not in MODES:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}"
        )
    if self._storage_.device.type == "cpu":
        inside = maps.logical_and(maps.ge_Scalar(q, 0), maps.le_Scalar(q, 1))
        if not answers.are_all(inside):
            raise RuntimeError(f"{name}() q values must be in the range [0, 1]")


def quantile(
    name: str, self: Tensor, q: Tensor, dim: int | None, keepdim: bool, interpolation: str,
    ignore_nan: bool,
) -> Tensor:  # fmt: skip
    """Elements of the sorted rows at fractional ranks."""
    _check(name, self, q, dim, interpolation)
    ndim = len(self._size_)
    d = wrap_dim(dim, ndim) if dim is not None else 0
    if dim is None:
        rows = views.reshape(self, (-1,))
        shape = (1,) * ndim if keepdim else ()
    else:
        rows = views.movedim_int(self, d, -1) if ndim else views.reshape(self, (1,))
        shape = tuple(self._size_[:d]) + ((1,) if keepdim else ()) + tuple(self._size_[d + 1 :])
        shape = shape if ndim else ()
    ordered = sorting.sort(rows, -1, False)[0]
    count = ordered._size_[-1]
    flat_q = views.reshape(q, (-1,))
    missing = maps.isnan(rows)
    if ignore_nan:
        numbers = calls.sum_dim_IntList(maps.logical_not(missing), [-1], True, None)
        last = maps.clamp_min(maps.sub_Scalar(numbers, 1, 1), 0)
        ranks = maps.mul_Tensor(flat_q, last)
    else:
        ranks = maps.mul_Scalar(flat_q, count - 1)
        hit = calls.any_dim(missing, -1, True)
        end = creation.scalar_tensor(count - 1, self._dtype_)
        ranks = indexing.where_self(hit, end, ranks)
    shown = (*ordered._size_[:-1], flat_q._size_[0])
    ranks = views.expand(ranks, shown, False)
    if interpolation == "lower":
        ranks = maps.floor(ranks)
    elif interpolation == "higher":
        ranks = maps.ceil(ranks)
    elif interpolation == "nearest":
        ranks = maps.round(ranks)
    below = _integers(ranks)
    values = indexing.gather(ordered, -1, below, False)
    if interpolation in ("linear", "midpoint"):
        weights = maps.sub_Tensor(ranks, below, 1)
        if interpolation == "midpoint":
            weights = creation.full_like(ranks, 0.5)
        above = indexing.gather(ordered, -1, _integers(maps.ceil(ranks)), False)
        values = maps.lerp_Tensor(values, above, weights)
    if not q._size_:
        return views._unsafe_view(values, shape)
    return views.reshape(views.movedim_int(values, -1, 0), (flat_q._size_[0], *shape))


def _integers(ranks: Tensor) -> Tensor:
    return copies.to_dtype(ranks, dtypes.int64)


def _forms(name: str, ignore_nan: bool) -> None:
    """The overloads of `quantile` or `nanquantile`."""

    def over(self: Tensor, q: Tensor, dim: int | None, keepdim: bool, interpolation: str) -> Tensor:
        return quantile(name, self, q, dim, keepdim, interpolation, ignore_nan)

    def scalar(self: Tensor, q: float, dim: Any, keepdim: bool, interpolation: str) -> Tensor:
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q}")
        wanted = creation.scalar_tensor(q, self._dtype_, None, self._storage_.device)
        return over(self, wanted, dim, keepdim, interpolation)

    def check_out(self: Tensor, out: Tensor) -> None:
        if out._dtype_ is not self._dtype_:
            raise RuntimeError(f"{name}() out tensor must be same dtype as the input tensor")

    def out(*args: Any) -> Tensor:
        check_out(args[0], args[5])
        return outputs.copy_result(args[5], over(*args[:5]))

    def scalar_out(*args: Any) -> Tensor:
        check_out(args[0], args[5])
        return outputs.copy_result(args[5], scalar(*args[:5]))

    composite(name)(over)
    composite(f"{name}.scalar")(scalar)
    composite(f"{name}.out")(out)
    composite(f"{name}.scalar_out")(scalar_out)


_forms("quantile", False)
_forms("nanquantile", True)
