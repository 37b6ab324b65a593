"""Cumulative sums, products, extremes and logarithms of sums of exponentials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import reduction as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import COMPLEX, FLOATING, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import maths, promotion
from rushlight.engine.loops import scan_kernel as recipes
from rushlight.engine.loops.scan_kernel import Scan
from rushlight.engine.ops import bridge
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.planned import Computed, Request, contiguous_spec, planned
from rushlight.engine.ops.kinds.scan import ScanAlong
from rushlight.engine.ops.kinds.views import explicit
from rushlight.engine.ops.reduction.extremes import ordered_type
from rushlight.engine.ops.reduction.sums import check_kernel, total_dtype


def _cumulative(name: str, plain: Callable[[str], Scan], product: bool) -> None:
    """`cumsum` or `cumprod`."""

    def scan(self: Tensor, dim: int, dtype: dtype | None) -> Request:
        kind = total_dtype(self, dtype)
        d = wrap_dim(dim, len(self._size_))
        check_kernel(f"{name}_out_cpu", kind)
        if kind.category == COMPLEX:
            recipe = recipes.cumulative_complex("c128", product)
        elif kind is dtypes.bool_:
            # Sums and products of truth values: is any, are all of them true.
            recipe = (recipes.cumulative_min if product else recipes.cumulative_max)("u8", "i32")
            recipe = Scan(
                recipe.params, recipe.state, recipe.init, recipe.lift, recipe.combine,
                lambda state: state[0] != 0, recipe.index,
            )  # fmt: skip
        elif kind.category == FLOATING:
            recipe = plain("f64")
        else:
            recipe = plain("i64")
        return ScanAlong((self,), d, recipe, (kind,))

    scan.__name__ = name
    planned(name, typed_by_out=True)(scan)


_cumulative("cumsum", recipes.cumulative_sum, False)
_cumulative("cumprod", recipes.cumulative_product, True)


def _extreme(name: str, recipe: Callable[..., Scan]) -> None:
    """`cummax` or `cummin`."""

    def scan(self: Tensor, dim: int) -> Request:
        if not self._size_ and dim not in (0, -1):
            raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
        d = wrap_dim(dim, len(self._size_))
        element = ordered_type(f"{name}_cpu", self._dtype_)
        length = self._size_[d] if self._size_ else 1
        index = "i32" if length < 1 << 31 else "i64"
        return ScanAlong((self,), d, recipe(element, index), (self._dtype_, dtypes.int64))

    scan.__name__ = name
    planned(name, exact=outputs.check_scalar_type)(scan)

    @explicit(f"_{name}_helper")
    def helper(self: Tensor, values: Tensor, indices: Tensor, dim: int) -> None:
        found = getattr(calls, name)(self, dim)
        copies.copy_(values, found[0], False)
        copies.copy_(indices, found[1], False)


_extreme("cummax", recipes.cumulative_max)
_extreme("cummin", recipes.cumulative_min)


@planned("logcumsumexp", "_logcumsumexp", exact=outputs.check_scalar_type)
def logcumsumexp(self: Tensor, dim: int) -> Request:
    d = wrap_dim(dim, len(self._size_))
    kind = self._dtype_
    if kind.category < FLOATING or kind in dtypes.FLOAT8 or kind is dtypes.complex32:
        raise not_implemented("logcumsumexp_out_cpu", kind)
    if kind.category == COMPLEX:
        return Computed([contiguous_spec(self._size_, kind)], lambda: _complex(self, d))
    element = promotion.compute_type(kind)
    recipe = recipes.cumulative_log_sum_exp(element, maths.exp, maths.log1p)
    return ScanAlong((self,), d, recipe, (kind,))


@planned("_linear_recurrence")
def linear_recurrence(self: Tensor, decay: Tensor, dim: int) -> Request:
    recipe = recipes.linear_recurrence(promotion.compute_type(self._dtype_))
    return ScanAlong((self, decay), wrap_dim(dim, len(self._size_)), recipe, (self._dtype_,))


def _complex(self: Tensor, dim: int) -> Tensor:
    """One element after another, each joined with the logarithm so far."""
    import numpy as np

    given = bridge.array(self)
    if not given.ndim or not given.size:
        return bridge.tensor_of(given, self._dtype_)
    rows = np.moveaxis(given.astype(np.complex128), dim, 0)
    made = np.empty_like(rows)
    so_far: Any = np.full(rows.shape[1:], -np.inf, np.complex128)
    with np.errstate(all="ignore"):
        for k, row in enumerate(rows):
            top = np.where(so_far.real > row.real, so_far, row)
            low = np.where(so_far.real > row.real, row, so_far)
            plain = np.isneginf(low.real)
            joined = top + np.log1p(np.exp(low - top))
            so_far = made[k] = np.where(plain, top, joined)
    return bridge.tensor_of(np.moveaxis(made, 0, dim).astype(given.dtype), self._dtype_)
