"""Singular values, eigenvalues and what follows from them."""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing, matrix, reduction
from rushlight.engine.calls import linalg as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import finfo
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.native.lapack import LENGTH, Step
from rushlight.engine.ops import answers
from rushlight.engine.ops.kinds.planned import Computed, contiguous_spec, planned
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.linalg.device_routines import place
from rushlight.engine.ops.linalg.factors import count_of
from rushlight.engine.ops.linalg.matrices import (
    COMPLEX_OF,
    LETTERS,
    REAL,
    batch_of,
    call,
    check_floating,
    check_kernel,
    check_matrix,
    check_out_type,
    check_reports,
    check_square,
    column_spec,
    columns,
    copy_out,
    integer_work,
    new,
    new_columns,
    no_reports,
    planned_by_columns,
    real_work,
    run,
    step,
    wants_gradient,
    with_outs,
    work,
)

# -- singular values --


def _complex_work(job: bytes, rows: int, cols: int) -> int:
    """How many real numbers the complex routine needs."""
    most, least = max(rows, cols), min(rows, cols)
    if job == b"N":
        return 7 * least
    return max(5 * least * least + 5 * least, 2 * most * least + 2 * least * least + least)


def singular(A: Tensor, full: bool, with_vectors: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """U, S, Vh and the reports."""
    check_kernel("linalg_svd_cpu", A)
    kind, batch = A._dtype_, batch_of(A)
    real = REAL.get(kind, kind)
    rows, cols = A._size_[-2:]
    least = min(rows, cols)
    values = new((*batch, least), real)
    if with_vectors:
        left = new_columns((*batch, rows, rows if full else least), kind)
        right = new_columns((*batch, cols if full else least, cols), kind)
    else:
        left = right = new((0,), kind)
    if not A._numel_:
        for vectors in (left, right) if with_vectors else ():
            copies.copy_(
                vectors,
                creation.eye_m(vectors._size_[-2], vectors._size_[-1], dtype=kind, device=place()),
            )
        return left, values, right, no_reports(batch)
    made = columns(A)
    job = (b"A" if full else b"S") if with_vectors else b"N"
    steps = (step(left), step(right)) if with_vectors else (0, 0)
    extra = [real_work(kind, _complex_work(job, rows, cols))] if kind.is_complex else []
    routine = call(
        "gesdd", kind, job, rows, cols, Step(step(made)), rows, Step(step(values, 1)),
        Step(steps[0]), rows, Step(steps[1]), right._size_[-2] if with_vectors else 1,
        work(kind), LENGTH, *extra, integer_work(8 * least),
        count=count_of(A), work=10 * rows * cols * least,
    )  # fmt: skip
    return left, values, right, run(routine, batch, made, values, left, right)


@planned("_linalg_svd", exact=True)
def svd_parts(A: Tensor, full_matrices: bool, compute_uv: bool, driver: str | None) -> Computed:
    check_floating("linalg.svd", A)
    check_matrix("linalg.svd", A)
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
            "cuSOLVER backend."
        )
    kind, batch = A._dtype_, batch_of(A)
    rows, cols = A._size_[-2:]
    least = min(rows, cols)

    def compute() -> Any:
        left, values, right, info = singular(A, full_matrices, compute_uv)
        check_reports(info, "linalg.svd")
        return left, values, right

    none = contiguous_spec((0,), kind)
    u = column_spec((*batch, rows, rows if full_matrices else least), kind)
    vh = column_spec((*batch, cols if full_matrices else least, cols), kind)
    s = contiguous_spec((*batch, least), REAL.get(kind, kind))
    return Computed([u if compute_uv else none, s, vh if compute_uv else none], compute, (A,))


@with_outs("linalg_svd", "U", exact=True)
def linalg_svd(A: Tensor, full_matrices: bool, driver: str | None) -> tuple[Tensor, Tensor, Tensor]:
    found: tuple[Tensor, Tensor, Tensor] = calls._linalg_svd(A, full_matrices, True, driver)
    return found


@with_outs("linalg_svdvals", exact=True)
def svdvals(A: Tensor, driver: str | None) -> Tensor:
    found: Tensor = calls._linalg_svd(A, False, wants_gradient(A), driver)[1]
    return found


@with_outs("svd", "U")
def old_svd(self: Tensor, some: bool, compute_uv: bool) -> tuple[Tensor, Tensor, Tensor]:
    if len(self._size_) < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {len(self._size_)} "
            f"dimensions instead"
        )
    if compute_uv:
        left, values, right = calls._linalg_svd(self, not some, True, None)
        return left, values, views.adjoint(right)
    values = calls._linalg_svd(self, False, wants_gradient(self), None)[1]
    rows, cols = self._size_[-2:]
    batch = batch_of(self)
    left = creation.new_zeros(self, (*batch, rows, rows))
    return left, values, creation.new_zeros(self, (*batch, cols, cols))


# -- symmetric matrices --


def symmetric(A: Tensor, uplo: str, with_vectors: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Eigenvalues in ascending order, eigenvectors and reports."""
    check_kernel("linalg_eigh_cpu", A)
    kind, n = A._dtype_, A._size_[-1]
    values = new(A._size_[:-1], REAL.get(kind, kind))
    vectors = columns(A)
    info = no_reports(batch_of(A))
    if vectors._numel_:
        extra = [real_work(kind), LENGTH] if kind.is_complex else []
        routine = call(
            "syevd", kind, b"V" if with_vectors else b"N", uplo.encode(), n, Step(step(vectors)), n,
            Step(step(values, 1)), work(kind), LENGTH, *extra, integer_work(), LENGTH,
            count=count_of(A), work=9 * n**3,
        )  # fmt: skip
        info = run(routine, batch_of(A), vectors, values)
    return values, vectors if with_vectors else new((0,), kind), info


@planned("_linalg_eigh", exact=True)
def eigh_parts(A: Tensor, UPLO: str, compute_v: bool) -> Computed:
    check_square("linalg.eigh", A)
    uplo = UPLO.upper()
    if uplo not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    check_kernel("linalg_eigh_cpu", A)

    def compute() -> Any:
        values, vectors, info = symmetric(A, uplo, compute_v)
        check_reports(info, "linalg.eigh")
        return values, vectors

    vectors = column_spec(A._size_, A._dtype_) if compute_v else contiguous_spec((0,), A._dtype_)
    values = contiguous_spec(A._size_[:-1], REAL.get(A._dtype_, A._dtype_))
    return Computed([values, vectors], compute, (A,))


@with_outs("linalg_eigh", "eigvals", exact=True)
def eigh(self: Tensor, UPLO: str) -> tuple[Tensor, Tensor]:
    found: tuple[Tensor, Tensor] = calls._linalg_eigh(self, UPLO, True)
    return found


@with_outs("linalg_eigvalsh", exact=True)
def eigvalsh(self: Tensor, UPLO: str) -> Tensor:
    found: Tensor = calls._linalg_eigh(self, UPLO, wants_gradient(self))[0]
    return found


# -- general matrices --


def _check_general(name: str, self: Tensor) -> Any:
    """The complex type of the eigenvalues."""
    check_square(name, self)
    kind = self._dtype_
    if kind.category < dtypes.FLOATING:
        raise RuntimeError(f"Unknown Complex ScalarType for {promotion.title(kind)}")
    check_kernel("linalg_eig_out_cpu", self)
    return COMPLEX_OF.get(kind, kind)


def general(A: Tensor, with_vectors: bool) -> tuple[Tensor, Tensor]:
    """Eigenvalues and, if asked for, right eigenvectors, all complex."""
    kind, n, batch = A._dtype_, A._size_[-1], batch_of(A)
    result = COMPLEX_OF.get(kind, kind)
    if not A._numel_:
        return new(A._size_[:-1], result), new_columns(A._size_, result)
    if not answers.are_all(maps.isfinite(A)):
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    made = columns(A)
    vectors = new_columns(tuple(A._size_) if with_vectors else (1, 1), kind)
    parts = [new(A._size_[:-1], kind) for _ in range(1 if kind.is_complex else 2)]
    extra = [real_work(kind, 2 * n)] if kind.is_complex else []
    routine = call(
        "geev", kind, b"N", b"V" if with_vectors else b"N", n, Step(step(made)), n,
        *(Step(step(p, 1)) for p in parts), Step(0), 1,
        Step(step(vectors) if with_vectors else 0), n, work(kind), LENGTH, *extra,
        count=count_of(A), work=25 * n**3,
    )  # fmt: skip
    check_reports(run(routine, batch, made, *parts, vectors, vectors), "torch.linalg.eig")
    if kind.is_complex:
        return parts[0], vectors
    return _paired(parts, vectors, with_vectors, result)


def _paired(
    parts: list[Tensor], vectors: Tensor, with_vectors: bool, result: Any
) -> tuple[Tensor, Tensor]:
    """Complex eigenvalues from real and imaginary parts; a pair's vectors are u + iv and u - iv."""
    real, imaginary = parts
    values = creation.complex(real, imaginary)
    if not with_vectors:
        return values, vectors
    following, before = (views.roll(vectors, [k], [-1]) for k in (-1, 1))
    row = views.unsqueeze(imaginary, -2)
    first, second = maps.gt_Scalar(row, 0), maps.lt_Scalar(row, 0)
    whole = indexing.where_self(second, before, vectors)
    turned = indexing.where_self(second, maps.neg(vectors), creation.zeros_like(vectors))
    turned = indexing.where_self(first, following, turned)
    made = new_columns(vectors._size_, result)
    return values, copies.copy_(made, creation.complex(whole, turned), False)


@planned_by_columns("linalg_eig")
def eig(self: Tensor) -> Computed:
    result = _check_general("linalg.eig", self)
    specs = [contiguous_spec(self._size_[:-1], result), column_spec(self._size_, result)]
    return Computed(specs, lambda: general(self, True), (self,))


@planned("_linalg_eigvals")
def eigvals_alone(self: Tensor) -> Computed:
    result = _check_general("linalg.eigvals", self)
    spec = contiguous_spec(self._size_[:-1], result)
    return Computed([spec], lambda: general(self, False)[0], (self,))


@with_outs("linalg_eigvals", label="torch.linalg.eigvals")
def eigvals(self: Tensor) -> Tensor:
    if wants_gradient(self):
        return calls.linalg_eig(self)[0]  # type: ignore[no-any-return]
    return calls._linalg_eigvals(self)


# -- tolerances --

_Tolerance = Tensor | float | None


def _tolerance(name: str, which: str, value: _Tolerance) -> None:
    if isinstance(value, Tensor) and value._dtype_.is_complex:
        raise RuntimeError(
            f"{name}: {which} tensor of complex type is not supported. Got "
            f"{promotion.title(value._dtype_)}"
        )


def _limits(x: Tensor, atol: _Tolerance, rtol: _Tolerance) -> tuple[Any, Any]:
    """Absolute and relative tolerance; the relative one is 0 where only the other is given."""
    usual = finfo(REAL.get(x._dtype_, x._dtype_)).eps * max(x._size_[-2:])
    absolute = 0.0 if atol is None else atol
    if rtol is not None:
        return absolute, rtol
    if isinstance(absolute, Tensor):
        real = REAL.get(x._dtype_, x._dtype_)
        both = creation.full((), usual, dtype=real)
        return absolute, indexing.where_self(
            maps.gt_Scalar(absolute, 0), creation.zeros((), dtype=real), both
        )
    return absolute, 0.0 if absolute > 0 else usual


def _threshold(largest: Tensor, atol: Any, rtol: Any, trailing: int) -> Tensor:
    """The larger of both tolerances, for values along ``trailing`` last dimensions."""

    def fit(value: Any) -> Any:
        for _ in range(trailing if isinstance(value, Tensor) else 0):
            value = views.unsqueeze(value, -1)
        return value

    multiply = maps.mul_Tensor if isinstance(rtol, Tensor) else maps.mul_Scalar
    relative = multiply(largest, fit(rtol))
    if isinstance(atol, Tensor):
        return maps.maximum(fit(atol), relative)
    return maps.clamp_min(relative, atol)


def _sizes(self: Tensor, hermitian: bool) -> Tensor:
    """The sizes of singular values or eigenvalues."""
    if not hermitian:
        return calls.linalg_svdvals(self, None)
    return maps.abs(calls.linalg_eigvalsh(self, "L"))


def rank(self: Tensor, atol: _Tolerance, rtol: _Tolerance, hermitian: bool) -> Tensor:
    """How many singular values exceed the tolerance."""
    name = "torch.linalg.matrix_rank"
    check_matrix(name, self, "input")
    _tolerance(name, "atol", atol)
    _tolerance(name, "rtol", rtol)
    if self._dtype_ not in LETTERS:
        raise RuntimeError("This function doesn't handle types other than float and double")
    limits = _limits(self, atol, rtol)
    if not self._numel_:
        return creation.zeros(batch_of(self), dtype=dtypes.int64)
    values = _sizes(self, hermitian)
    largest = reduction.amax(values, [-1], True)
    limit = _threshold(largest, *limits, 1)
    return reduction.sum_dim_IntList(maps.gt_Tensor(values, limit), [-1], False, None)


@with_outs(
    "linalg_matrix_rank.atol_rtol_tensor", "atol_rtol_tensor_out", label="torch.linalg.matrix_rank"
)
def rank_of_tensors(
    input: Tensor, atol: Tensor | None, rtol: Tensor | None, hermitian: bool
) -> Tensor:
    return rank(input, atol, rtol, hermitian)


@with_outs(
    "linalg_matrix_rank.atol_rtol_float", "atol_rtol_float_out", label="torch.linalg.matrix_rank"
)
def rank_of_numbers(
    self: Tensor, atol: float | None, rtol: float | None, hermitian: bool
) -> Tensor:
    return rank(self, atol, rtol, hermitian)


@with_outs("linalg_matrix_rank", label="torch.linalg.matrix_rank")
def rank_above(self: Tensor, tol: float, hermitian: bool) -> Tensor:
    return rank(self, tol, 0.0, hermitian)


@with_outs("linalg_matrix_rank.tol_tensor", "out_tol_tensor", label="torch.linalg.matrix_rank")
def rank_above_tensor(input: Tensor, tol: Tensor, hermitian: bool) -> Tensor:
    return rank(input, tol, 0.0, hermitian)


# -- pseudo-inverses --


def pseudo_inverse(self: Tensor, atol: _Tolerance, rtol: _Tolerance, hermitian: bool) -> Tensor:
    """V S⁺ Uᴴ, with small singular values left out."""
    name = "linalg.pinv"
    if self._dtype_ not in LETTERS or len(self._size_) < 2:
        raise RuntimeError(
            f"{name}({promotion.title(self._dtype_)}{{{list(self._size_)}}}): expected a tensor with "
            f"2 or more dimensions of float, double, cfloat or cdouble types"
        )
    _tolerance(f"torch.{name}", "atol", atol)
    _tolerance(f"torch.{name}", "rtol", rtol)
    limits = _limits(self, atol, rtol)
    if not self._numel_:
        return creation.zeros(
            (*batch_of(self), self._size_[-1], self._size_[-2]), dtype=self._dtype_
        )
    if hermitian:
        values, left = calls.linalg_eigh(self, "L")
        sizes, right = maps.abs(values), views.adjoint(left)
    else:
        left, values, right = calls.linalg_svd(self, False, None)
        sizes = values
    limit = _threshold(reduction.amax(sizes, [-1], True), *limits, 1)
    none = creation.zeros((), dtype=values._dtype_)
    inverse = indexing.where_self(maps.gt_Tensor(sizes, limit), maps.reciprocal(values), none)
    scaled = maps.mul_Tensor(views.adjoint(right), views.unsqueeze(inverse, -2))
    return matrix.matmul(scaled, views.adjoint(left))


@explicit("linalg_pinv.atol_rtol_tensor")
def pinv_of_tensors(
    self: Tensor, atol: Tensor | None, rtol: Tensor | None, hermitian: bool
) -> Tensor:
    return pseudo_inverse(self, atol, rtol, hermitian)


def _pinv_out(*args: Any) -> Tensor:
    *given, out = args
    result = calls.linalg_pinv_atol_rtol_tensor(*given)
    check_out_type(out, result._dtype_, False, "linalg.pinv")
    copy_out(out, result)
    kept: Tensor = out
    return kept


explicit("linalg_pinv.atol_rtol_tensor_out")(_pinv_out)


def _as_tensor(x: Tensor, value: float | None) -> Tensor | None:
    real = REAL.get(x._dtype_, x._dtype_)
    known = real if real in LETTERS else dtypes.float64
    if value is None:
        return None
    return creation.full((), value, dtype=known, device=x._storage_.device)


@with_outs("linalg_pinv.atol_rtol_float", "atol_rtol_float_out", label="linalg.pinv")
def pinv_of_numbers(
    self: Tensor, atol: float | None, rtol: float | None, hermitian: bool
) -> Tensor:
    limits = _as_tensor(self, atol), _as_tensor(self, rtol)
    return calls.linalg_pinv_atol_rtol_tensor(self, *limits, hermitian)


@with_outs("linalg_pinv", label="linalg.pinv")
def pinv(self: Tensor, rcond: float, hermitian: bool) -> Tensor:
    limits = _as_tensor(self, 0.0), _as_tensor(self, rcond)
    return calls.linalg_pinv_atol_rtol_tensor(self, *limits, hermitian)


@with_outs("linalg_pinv.rcond_tensor", "out_rcond_tensor", label="linalg.pinv")
def pinv_rcond(self: Tensor, rcond: Tensor, hermitian: bool) -> Tensor:
    return calls.linalg_pinv_atol_rtol_tensor(self, _as_tensor(self, 0.0), rcond, hermitian)


@composite("pinverse")
def pinverse(self: Tensor, rcond: float) -> Tensor:
    return calls.linalg_pinv(self, rcond, False)


# -- condition numbers --


def _condition(self: Tensor, norm: Any) -> Tensor:
    """The norm times that of the inverse, which is infinite for a singular matrix."""
    inverse, info = calls.linalg_inv_ex(self, False)
    product = maps.mul_Tensor(norm(self), norm(inverse))
    singular_ones = maps.gt_Scalar(info, 0)
    endless = creation.full((), math.inf, dtype=product._dtype_)
    return indexing.where_self(singular_ones, endless, product)


@with_outs("linalg_cond", label="linalg.cond")
def cond(self: Tensor, p: Any) -> Tensor:
    if len(self._size_) < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    order = None if p is None else float(p)
    if order is not None and abs(order) not in (1, 2, math.inf):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if not self._numel_:
        return creation.zeros(batch_of(self), dtype=REAL.get(self._dtype_, self._dtype_))
    if order is None or abs(order) == 2:
        values = calls.linalg_svdvals(self, None)
        first, last = views.select_int(values, -1, 0), views.select_int(values, -1, -1)
        return maps.div_Tensor(last, first) if order == -2 else maps.div_Tensor(first, last)
    check_square("linalg.cond", self)
    return _condition(self, lambda x: reduction.linalg_matrix_norm(x, order, [-2, -1], False, None))


@with_outs("linalg_cond.p_str", "p_str_out", label="linalg.cond")
def cond_named(self: Tensor, p: str) -> Tensor:
    if len(self._size_) < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    check_square("linalg.cond", self)
    if not self._numel_:
        return creation.zeros(batch_of(self), dtype=REAL.get(self._dtype_, self._dtype_))
    return _condition(
        self, lambda x: reduction.linalg_matrix_norm_str_ord(x, p, [-2, -1], False, None)
    )
