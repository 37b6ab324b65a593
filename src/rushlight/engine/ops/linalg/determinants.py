"""Determinants, from LU factors."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, reduction
from rushlight.engine.calls import linalg as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core.dtype import COMPLEX
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.kinds.planned import Computed, contiguous_spec, planned
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.linalg.factors import lu, lu_specs
from rushlight.engine.ops.linalg.matrices import (
    REAL,
    batch_of,
    check_floating,
    check_square,
    short,
    with_outs,
)


def exchange_sign(pivots: Tensor, kind: Any) -> Tensor:
    """-1 where the number of row exchanges is odd, 1 where it is even."""
    rows = creation.arange_start(1, pivots._size_[-1] + 1, pivots._dtype_)
    count = reduction.sum_dim_IntList(maps.ne_Tensor(pivots, rows), [-1], False, None)
    odd = maps.bitwise_and_Scalar(count, 1)
    return copies.to_dtype(maps.rsub_Scalar(odd, 1, 2), kind)


@planned("_linalg_det", exact=True)
def det_parts(A: Tensor) -> Computed:
    check_square("linalg.det", A)
    check_floating("linalg.det", A)

    def compute() -> Any:
        factors, pivots, _ = lu(A)
        product = reduction.prod_dim_int(views.diagonal(factors, 0, -2, -1), -1, False, None)
        result = maps.mul_Tensor(product, exchange_sign(pivots, A._dtype_))
        return result, factors, short(pivots)

    return Computed([contiguous_spec(batch_of(A), A._dtype_), *lu_specs(A)], compute, (A,))


@planned("_linalg_slogdet", exact=True)
def slogdet_parts(A: Tensor) -> Computed:
    check_square("linalg.slogdet", A)
    check_floating("linalg.slogdet", A, low_precision=False)

    def compute() -> Any:
        factors, pivots, _ = lu(A)
        diagonal = views.diagonal(factors, 0, -2, -1)
        signs = reduction.prod_dim_int(maps.sgn(diagonal), -1, False, None)
        sign = maps.mul_Tensor(signs, exchange_sign(pivots, A._dtype_))
        size = reduction.sum_dim_IntList(maps.log(maps.abs(diagonal)), [-1], False, None)
        return sign, size, factors, short(pivots)

    sign = contiguous_spec(batch_of(A), A._dtype_)
    size = contiguous_spec(batch_of(A), REAL.get(A._dtype_, A._dtype_))
    return Computed([sign, size, *lu_specs(A)], compute, (A,))


@with_outs("linalg_det", exact=True)
def linalg_det(A: Tensor) -> Tensor:
    found: Tensor = calls._linalg_det(A)[0]
    return found


@composite("det")
def det(self: Tensor) -> Tensor:
    return calls.linalg_det(self)


@with_outs("linalg_slogdet", exact=True)
def linalg_slogdet(A: Tensor) -> tuple[Tensor, Tensor]:
    sign, size, _, _ = calls._linalg_slogdet(A)
    return sign, size


@with_outs("slogdet", exact=True)
def slogdet(self: Tensor) -> tuple[Tensor, Tensor]:
    found: tuple[Tensor, Tensor] = calls.linalg_slogdet(self)
    return found


@composite("logdet")
def logdet(self: Tensor) -> Tensor:
    check_square("logdet", self)
    check_floating("logdet", self, low_precision=False)
    sign, size = calls.linalg_slogdet(self)
    if self._dtype_.category == COMPLEX:
        return maps.add_Tensor(maps.log(sign), size)
    nothing = creation.full((), float("nan"), dtype=size._dtype_)
    return indexing.where_self(maps.eq_Scalar(sign, -1), nothing, size)
