"""Norms of matrices, and the norm function that chooses between these and vector norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import linalg
from rushlight.engine.calls import reduction as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core.dtype import FLOATING, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import composite

NAME = "linalg.matrix_norm"


def _check(self: Tensor, dim: Sequence[int], kind: dtype | None) -> tuple[int, int]:
    """The two dimensions of the matrices, as positive numbers."""
    if len(self._size_) < 2:
        raise RuntimeError(f"{NAME}: The input tensor A must have at least 2 dimensions.")
    if self._dtype_.category < FLOATING:
        raise RuntimeError(
            f"{NAME}: Expected a floating point or complex tensor as input. Got "
            f"{promotion.title(self._dtype_)}"
        )
    if len(dim) != 2:
        raise RuntimeError(f"{NAME}: dim must be a 2-tuple. Got {', '.join(map(str, dim))}")
    a, b = (wrap_dim(d, len(self._size_)) for d in dim)
    if a == b:
        raise RuntimeError(f"{NAME}: dims must be different. Got ({', '.join(map(str, dim))})")
    if kind is not None and kind.category < FLOATING:
        raise RuntimeError(
            f"{NAME}: dtype should be floating point or complex. Got {promotion.title(kind)}"
        )
    return a, b


def singular_values(self: Tensor, dims: tuple[int, int]) -> Tensor:
    """The matrices' singular values along the last dimension, kept dimensions before it."""
    return linalg.linalg_svdvals(views.movedim_intlist(self, dims, (-2, -1)), None)


def _extreme(x: Tensor, power: float, dim: int, keepdim: bool) -> Tensor:
    """The largest element along a dimension, or the smallest; the largest of none is zero."""
    if power < 0:
        return calls.amin(x, [dim], keepdim)
    if not x._size_[dim]:
        return calls.sum_dim_IntList(x, [dim], keepdim, None)
    return calls.amax(x, [dim], keepdim)


@composite("linalg_matrix_norm")
def matrix_norm(
    self: Tensor, ord: Any, dim: Sequence[int], keepdim: bool, dtype: dtype | None
) -> Tensor:
    a, b = _check(self, dim, dtype)
    power = float(ord)
    size = abs(power)
    if size not in (1, 2, math.inf):
        raise RuntimeError(f"{NAME}: Order {ord} not supported.")
    x = self if dtype is None else copies.to_dtype(self, dtype)
    if size == 2:
        found = _extreme(singular_values(x, (a, b)), power, -1, False)
        return _kept(found, (a, b)) if keepdim else found
    first, second = (b, a) if size == math.inf else (a, b)
    sums = calls.linalg_vector_norm(x, 1.0, [first], keepdim, None)
    if not keepdim and second > first:
        second -= 1
    return _extreme(sums, power, second, keepdim)


def _kept(found: Tensor, dims: tuple[int, int]) -> Tensor:
    for d in sorted(dims):
        found = views.unsqueeze(found, d)
    return found


@composite("linalg_matrix_norm.str_ord")
def matrix_norm_str(
    self: Tensor, ord: str, dim: Sequence[int], keepdim: bool, dtype: dtype | None
) -> Tensor:
    a, b = _check(self, dim, dtype)
    if ord not in ("fro", "nuc"):
        raise RuntimeError(f"{NAME}: Order {ord} not supported.")
    if ord == "fro":
        return calls.linalg_vector_norm(self, 2.0, [a, b], keepdim, dtype)
    x = self if dtype is None else copies.to_dtype(self, dtype)
    found = calls.sum_dim_IntList(singular_values(x, (a, b)), [-1], False, None)
    return _kept(found, (a, b)) if keepdim else found


@composite("linalg_norm")
def norm(self: Tensor, ord: Any, dim: Any, keepdim: bool, dtype: dtype | None) -> Tensor:
    ndim = len(self._size_)
    if dim is not None and len(dim) not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}"
        )
    if dim is None and ord is not None and ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{ndim}D."
        )
    if ord is not None and (len(dim) == 2 if dim is not None else ndim == 2):
        return matrix_norm(self, ord, (0, 1) if dim is None else dim, keepdim, dtype)
    return calls.linalg_vector_norm(self, 2.0 if ord is None else ord, dim, keepdim, dtype)


@composite("linalg_norm.ord_str")
def norm_str(self: Tensor, ord: str, dim: Any, keepdim: bool, dtype: dtype | None) -> Tensor:
    ndim = len(self._size_)
    if dim is not None and len(dim) not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}"
        )
    if dim is None and ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{ndim}D."
        )
    return matrix_norm_str(self, ord, (0, 1) if dim is None else dim, keepdim, dtype)


@composite("nuclear_norm")
def nuclear_norm(self: Tensor, keepdim: bool) -> Tensor:
    return nuclear_norm_dim(self, (0, 1), keepdim)


@composite("nuclear_norm.dim")
def nuclear_norm_dim(self: Tensor, dim: Sequence[int], keepdim: bool) -> Tensor:
    if len(dim) != 2:
        raise RuntimeError("nuclear norm requires a 'dim' argument of size 2")
    return matrix_norm_str(self, "nuc", dim, keepdim, None)


def _with_out(name: str, call: Any, count: int) -> None:
    @composite(name)
    def out(*args: Any) -> Tensor:
        result = call(*args[:count])
        outputs.check_exact(args[count], result._dtype_)
        return outputs.copy_result(args[count], result)


_with_out("linalg_matrix_norm.out", matrix_norm, 5)
_with_out("linalg_matrix_norm.str_ord_out", matrix_norm_str, 5)
_with_out("linalg_norm.out", norm, 5)
_with_out("linalg_norm.ord_str_out", norm_str, 5)
_with_out("nuclear_norm.out", nuclear_norm, 2)
_with_out("nuclear_norm.dim_out", nuclear_norm_dim, 3)
