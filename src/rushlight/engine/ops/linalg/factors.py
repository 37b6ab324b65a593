"""Factorisations: Cholesky's, LU, LDL and QR."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation
from rushlight.engine.calls import linalg as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.native.lapack import LENGTH, Step
from rushlight.engine.native.numpy_later import np
from rushlight.engine.ops import answers, bridge
from rushlight.engine.ops.kinds.planned import Computed, contiguous_spec, planned
from rushlight.engine.ops.kinds.views import composite
from rushlight.engine.ops.linalg.device_routines import place
from rushlight.engine.ops.linalg.matrices import (
    batch_of,
    by_columns,
    call,
    check_floating,
    check_kernel,
    check_matrix,
    check_reports,
    check_square,
    column_spec,
    columns,
    new,
    new_columns,
    no_reports,
    pivots_type,
    planned_by_columns,
    run,
    short,
    step,
    wide,
    with_outs,
    work,
)


def count_of(x: Tensor) -> int:
    """How many matrices there are."""
    rows, cols = tuple(x._size_)[-2:]
    size = rows * cols
    return x._numel_ // size if size else 0


# -- Cholesky --


def cholesky_factor(self: Tensor, upper: bool) -> tuple[Tensor, Tensor]:
    """The factor in one triangle, zeros in the other, and the reports."""
    check_kernel("cholesky_cpu", self)
    factor = columns((views.triu if upper else views.tril)(self))
    if not factor._numel_:
        return factor, no_reports(batch_of(self))
    n = self._size_[-1]
    routine = call(
        "potrf", self._dtype_, b"U" if upper else b"L", n, Step(step(factor)), max(n, 1),
        count=count_of(self), work=n**3 // 3,
    )  # fmt: skip
    found = run(routine, batch_of(self), factor)
    if factor._storage_.device is devices.cpu:
        _report_nan(factor, found)
    return factor, found


def _report_nan(factor: Tensor, info: Tensor) -> None:
    """A pivot that is NaN counts as one that isn't positive, though LAPACK goes on.

    All pivots after it are NaN too, so the last one tells.
    """
    last = views.select_int(views.select_int(factor, -1, -1), -1, -1)
    if not answers.is_any(maps.isnan(last)):
        return
    missing = np.isnan(bridge.array(views.diagonal(factor, 0, -2, -1)))
    reports = bridge.array(info)
    first = missing.argmax(-1) + 1
    reports[...] = np.where((reports == 0) & missing.any(-1), first, reports)


@planned("linalg_cholesky_ex", exact=True)
def cholesky_ex(self: Tensor, upper: bool, check_errors: bool) -> Computed:
    check_square("linalg.cholesky", self)
    check_floating("linalg.cholesky", self)

    def compute() -> Any:
        factor, info = cholesky_factor(self, upper)
        if check_errors:
            check_reports(info, "linalg.cholesky_ex")
        return factor, info

    info = contiguous_spec(batch_of(self), dtypes.int32)
    return Computed([column_spec(self._size_, self._dtype_), info], compute, (self,))


@with_outs("linalg_cholesky", exact=True)
def linalg_cholesky(self: Tensor, upper: bool) -> Tensor:
    factor, info = calls.linalg_cholesky_ex(self, upper, False)
    check_reports(info, "linalg.cholesky")
    return factor


@with_outs("cholesky", label="cholesky")
def cholesky(self: Tensor, upper: bool) -> Tensor:
    check_square("cholesky", self)
    check_kernel("cholesky_cpu", self)
    factor, info = calls.linalg_cholesky_ex(self, upper, False)
    check_reports(info, "cholesky")
    return factor


@planned_by_columns("cholesky_inverse")
def cholesky_inverse(self: Tensor, upper: bool) -> Computed:
    check_square("cholesky_inverse", self)

    def compute() -> Tensor:
        check_kernel("cholesky_inverse_out_cpu", self)
        made = columns(self)
        if not made._numel_:
            return made
        n = self._size_[-1]
        routine = call(
            "potri", self._dtype_, b"U" if upper else b"L", n, Step(step(made)), n,
            count=count_of(self), work=n**3,
        )  # fmt: skip
        check_reports(run(routine, batch_of(self), made), "cholesky_inverse")
        one, other = (views.triu, 1) if upper else (views.tril, -1)
        return columns(maps.add_Tensor(one(made, 0), views.adjoint(one(made, other))))

    return Computed([column_spec(self._size_, self._dtype_)], compute, (self,))


# -- LU --


def check_factored(name: str, x: Tensor, pivot: bool) -> None:
    """What an LU factorisation takes."""
    if len(x._size_) < 2:
        raise RuntimeError(
            f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(x._size_)} instead"
        )
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def lu(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Both factors in one matrix, LAPACK's own pivots, and the reports."""
    check_kernel("lu_cpu", A)
    made = columns(A)
    *batch, rows, cols = A._size_
    least = min(rows, cols)
    pivots = new((*batch, least), pivots_type())
    if not made._numel_:
        return made, pivots, no_reports(tuple(batch))
    routine = call(
        "getrf", A._dtype_, rows, cols, Step(step(made)), rows, Step(step(pivots, 1)),
        count=count_of(A), work=rows * cols * least,
    )  # fmt: skip
    return made, pivots, run(routine, tuple(batch), made, pivots)


def lu_specs(A: Tensor) -> list[Any]:
    """What the factors and the pivots look like."""
    pivots = (*batch_of(A), min(A._size_[-2:]))
    return [column_spec(A._size_, A._dtype_), contiguous_spec(pivots, dtypes.int32)]


@planned("linalg_lu_factor_ex", exact=True)
def lu_factor_ex(A: Tensor, pivot: bool, check_errors: bool) -> Computed:
    check_factored("torch.lu_factor", A, pivot)

    def compute() -> Any:
        made, pivots, info = lu(A)
        if check_errors:
            check_reports(info, "torch.linalg.lu_factor_ex")
        return made, short(pivots), info

    return Computed([*lu_specs(A), contiguous_spec(batch_of(A), dtypes.int32)], compute, (A,))


@with_outs("linalg_lu_factor", exact=True)
def lu_factor(A: Tensor, pivot: bool) -> tuple[Tensor, Tensor]:
    made, pivots, info = calls.linalg_lu_factor_ex(A, pivot, False)
    check_reports(info, "torch.linalg.lu_factor")
    return made, pivots


@composite("_lu_with_info")
def lu_with_info(self: Tensor, pivot: bool, check_errors: bool) -> tuple[Tensor, Tensor, Tensor]:
    found: tuple[Tensor, Tensor, Tensor] = calls.linalg_lu_factor_ex(self, pivot, check_errors)
    return found


def permutation(pivots: Tensor, rows: int, kind: Any) -> Tensor:
    """The matrices that undo the row exchanges of a factorisation."""
    exchanges = min(pivots._size_[-1], rows)
    batch = tuple(pivots._size_[:-1])
    eye = creation.eye(rows, dtype=kind, device=place())
    made = columns(eye, batch)
    if not made._numel_ or not exchanges:
        return made
    held = wide(pivots)
    routine = call(
        "laswp", kind, rows, Step(step(made)), rows, 1, exchanges, Step(step(held, 1)), -1,
        count=count_of(made), work=rows * exchanges, info=False,
    )  # fmt: skip
    run(routine, batch_of(made), made, held, reads=(1,))
    return made


def check_pivots(pivots: Tensor, most: int, low: str, high: str) -> None:
    """Pivots are rows, counted from one."""
    if not answers.are_all(maps.ge_Scalar(pivots, 1)):
        raise RuntimeError(low)
    if not answers.are_all(maps.le_Scalar(pivots, most)):
        raise RuntimeError(high)


@planned("lu_unpack", exact=True)
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool, unpack_pivots: bool
) -> Computed:
    check_matrix("torch.lu_unpack", LU_data, "LU_data")
    if unpack_pivots and LU_pivots._dtype_ is not dtypes.int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
            "dtype.\nNote: this function is intended to be used with the output produced by "
            "torch.linalg.lu_factor"
        )
    rows, cols = LU_data._size_[-2:]
    least, batch, kind = min(rows, cols), batch_of(LU_data), LU_data._dtype_
    sizes = [
        (*batch, rows, rows) if unpack_pivots else (0,),
        (*batch, rows, least) if unpack_data else (0,),
        (*batch, least, cols) if unpack_data else (0,),
    ]

    def compute() -> Any:
        empty = [new((0,), kind)] * 3
        if unpack_pivots:
            wrong = (
                "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
                "Did you properly pass the result of lu_factor?"
            )
            check_pivots(LU_pivots, rows, wrong, wrong)
            empty[0] = copies.contiguous(permutation(LU_pivots, rows, kind))
        if unpack_data:
            empty[1], empty[2] = lower_part(LU_data), upper_part(LU_data)
        return tuple(empty)

    return Computed([contiguous_spec(size, kind) for size in sizes], compute, (LU_data,))


def lower_part(factors: Tensor) -> Tensor:
    """The unit lower triangle."""
    rows, cols = factors._size_[-2:]
    least = min(rows, cols)
    made = views.tril(views.narrow(factors, -1, 0, least), -1)
    copies.fill__Scalar(views.diagonal(made, 0, -2, -1), 1)
    return made


def upper_part(factors: Tensor) -> Tensor:
    """The upper triangle."""
    return views.triu(views.narrow(factors, -2, 0, min(factors._size_[-2:])), 0)


@planned("linalg_lu", exact=True)
def linalg_lu(A: Tensor, pivot: bool) -> Computed:
    check_factored("linalg.lu", A, pivot)
    rows, cols = A._size_[-2:]
    least, batch, kind = min(rows, cols), batch_of(A), A._dtype_

    def compute() -> Any:
        made, pivots, _ = lu(A)
        rows_as_were = copies.contiguous(permutation(pivots, rows, kind))
        return rows_as_were, lower_part(made), upper_part(made)

    sizes = [(*batch, rows, rows), (*batch, rows, least), (*batch, least, cols)]
    return Computed([contiguous_spec(size, kind) for size in sizes], compute, (A,))


# -- LDL --


@planned("linalg_ldl_factor_ex", exact=True)
def ldl_factor_ex(self: Tensor, hermitian: bool, check_errors: bool) -> Computed:
    name = "torch.linalg.ldl_factor_ex"
    check_square(name, self)
    check_floating(name, self)
    n, kind = self._size_[-1], self._dtype_

    def compute() -> Any:
        check_kernel("ldl_factor_kernel_cpu", self)
        made = columns(views.tril(self, 0))
        pivots = new(self._size_[:-1], pivots_type())
        info = no_reports(batch_of(self))
        if made._numel_:
            name_of = "hetrf" if hermitian and kind.is_complex else "sytrf"
            routine = call(
                name_of, kind, b"L", n, Step(step(made)), n, Step(step(pivots, 1)), work(kind),
                LENGTH, count=count_of(self), work=n**3 // 3,
            )  # fmt: skip
            info = run(routine, batch_of(self), made, pivots)
        if check_errors:
            check_reports(info, name)
        return made, short(pivots), info

    specs = [
        column_spec(self._size_, kind),
        contiguous_spec(self._size_[:-1], dtypes.int32),
        contiguous_spec(batch_of(self), dtypes.int32),
    ]
    return Computed(specs, compute, (self,))


@with_outs("linalg_ldl_factor", exact=True)
def ldl_factor(self: Tensor, hermitian: bool) -> tuple[Tensor, Tensor]:
    made, pivots, info = calls.linalg_ldl_factor_ex(self, hermitian, False)
    check_reports(info, "torch.linalg.ldl_factor")
    return made, pivots


# -- QR --


def reflectors(A: Tensor) -> tuple[Tensor, Tensor]:
    """R above Householder's vectors, and their factors."""
    check_kernel("geqrf_cpu", A)
    rows, cols = A._size_[-2:]
    made = columns(A)
    tau = new((*batch_of(A), min(rows, cols)), A._dtype_)
    if made._numel_:
        routine = call(
            "geqrf", A._dtype_, rows, cols, Step(step(made)), rows, Step(step(tau, 1)),
            work(A._dtype_), LENGTH, count=count_of(A), work=2 * rows * cols * min(rows, cols),
        )  # fmt: skip
        run(routine, batch_of(A), made, tau)
    return made, tau


def multiply_reflectors(vectors: Tensor, tau: Tensor) -> None:
    """Write the product of reflectors over their vectors, which are stored by columns."""
    rows, cols = vectors._size_[-2:]
    if not vectors._numel_:
        return
    routine = call(
        "orgqr", vectors._dtype_, rows, cols, tau._size_[-1], Step(step(vectors)), rows,
        Step(step(tau, 1)), work(vectors._dtype_), LENGTH, count=count_of(vectors),
        work=2 * rows * cols * cols,
    )  # fmt: skip
    run(routine, batch_of(vectors), vectors, tau, reads=(1,))


@planned_by_columns("geqrf")
def geqrf(self: Tensor) -> Computed:
    if len(self._size_) < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    tau = (*batch_of(self), min(self._size_[-2:]))
    specs = [column_spec(self._size_, self._dtype_), contiguous_spec(tau, self._dtype_)]
    return Computed(specs, lambda: reflectors(self), (self,))


@planned("linalg_qr", exact=True)
def qr(A: Tensor, mode: str) -> Computed:
    check_matrix("linalg.qr", A)
    check_floating("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', "
            f"or 'complete'"
        )
    rows, cols = A._size_[-2:]
    batch, kind, least = batch_of(A), A._dtype_, min(rows, cols)
    height = rows if mode == "complete" else least

    def compute() -> Any:
        packed, tau = reflectors(A)
        if mode == "complete" and rows > cols:
            upper = new_columns((*batch, rows, cols), kind)
            copies.copy_(upper, views.triu(packed, 0))
        else:
            upper = columns(views.triu(views.narrow(packed, -2, 0, least), 0))
        if mode == "r":
            return new((0,), kind), upper
        vectors = new_columns((*batch, rows, height), kind)
        kept = min(height, cols)
        if vectors._numel_ and kept:
            copies.copy_(views.narrow(vectors, -1, 0, kept), views.narrow(packed, -1, 0, kept))
        if not least:
            copies.copy_(vectors, creation.eye_m(rows, height, dtype=kind, device=place()))
            return vectors, upper
        multiply_reflectors(vectors, tau)
        return vectors, upper

    q = contiguous_spec((0,), kind) if mode == "r" else column_spec((*batch, rows, height), kind)
    return Computed([q, column_spec((*batch, height, cols), kind)], compute, (A,))


@with_outs("qr", "Q")
def old_qr(self: Tensor, some: bool) -> tuple[Tensor, Tensor]:
    found: tuple[Tensor, Tensor] = calls.linalg_qr(self, "reduced" if some else "complete")
    return found


def _check_reflectors(name: str, x: Tensor, tau: Tensor, what: str) -> None:
    """The factors of reflectors have one dimension less than the vectors."""
    if len(x._size_) < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if what == "product":
        if x._size_[-2] < x._size_[-1]:
            raise RuntimeError(
                f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]"
            )
        if not tau._size_:
            raise IndexError("Dimension specified as -1 but tensor has no dimensions")
        if x._size_[-1] < tau._size_[-1]:
            raise RuntimeError(
                f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]"
            )
    if len(x._size_) - len(tau._size_) != 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal "
            f"to {len(tau._size_)} and input.ndim is equal to {len(x._size_)}"
        )
    if tau._size_[:-1] != x._size_[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
            f"{list(tau._size_[:-1])}"
        )


@planned_by_columns("linalg_householder_product")
def householder_product(input: Tensor, tau: Tensor) -> Computed:
    name = "torch.linalg.householder_product"
    _check_reflectors(name, input, tau, "product")
    if tau._dtype_ is not input._dtype_:
        raise RuntimeError(
            f"{name}: tau dtype {promotion.title(tau._dtype_)} does not match input dtype "
            f"{promotion.title(input._dtype_)}"
        )

    def compute() -> Tensor:
        check_kernel("orgqr_cpu", input)
        made = columns(input)
        multiply_reflectors(made, copies.contiguous(tau))
        return made

    return Computed([column_spec(input._size_, input._dtype_)], compute, (input,))


@with_outs("orgqr", label="torch.linalg.householder_product")
def orgqr(self: Tensor, input2: Tensor) -> Tensor:
    return calls.linalg_householder_product(self, input2)


@planned_by_columns("ormqr")
def ormqr(self: Tensor, tau: Tensor, other: Tensor, left: bool, transpose: bool) -> Computed:
    name = "torch.ormqr"
    if len(self._size_) < 2 or len(other._size_) < 2:
        which = "input" if len(self._size_) < 2 else "other"
        raise RuntimeError(f"{name}: {which} must have at least 2 dimensions.")
    side = -2 if left else -1
    if other._size_[side] != self._size_[-2]:
        raise RuntimeError(f"{name}: other.shape[{side}] must be equal to input.shape[-2]")
    if not tau._size_ or tau._size_[-1] != min(other._size_[side], self._size_[-1]):
        raise RuntimeError(
            f"{name}: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])"
        )
    _check_reflectors(name, self, tau, "")
    if len(self._size_) != len(other._size_):
        raise RuntimeError(
            f"{name}: Expected other to have the same number of dimensions as input, but got "
            f"other.ndim equal to {len(other._size_)} and input.ndim is equal to {len(self._size_)}"
        )
    if self._size_[:-2] != other._size_[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of other to be equal to input.shape[:-2], but got "
            f"{list(other._size_[:-2])}"
        )
    for what, x in (("tau", tau), ("other", other)):
        if x._dtype_ is not self._dtype_:
            raise RuntimeError(
                f"{name}: Expected input and {what} to have the same dtype, but input has dtype"
                f"{promotion.title(self._dtype_)} and {what} has dtype {promotion.title(x._dtype_)}"
            )

    def compute() -> Tensor:
        check_kernel("ormqr_cpu", self)
        made = columns(other)
        if not made._numel_ or not tau._numel_:
            return made
        vectors, jump = by_columns(self, batch_of(self))
        factors = copies.contiguous(tau)
        rows, cols = other._size_[-2:]
        way = b"N" if not transpose else b"C" if self._dtype_.is_complex else b"T"
        routine = call(
            "ormqr", self._dtype_, b"L" if left else b"R", way, rows, cols, tau._size_[-1],
            Step(jump), self._size_[-2], Step(step(factors, 1)), Step(step(made)), rows,
            work(self._dtype_), LENGTH, count=count_of(made), work=2 * rows * cols * self._size_[-2],
        )  # fmt: skip
        run(routine, batch_of(made), vectors, factors, made, reads=(0, 1))
        return made

    return Computed([column_spec(other._size_, other._dtype_)], compute, (self,))
