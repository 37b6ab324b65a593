"""Systems of linear equations, inverses and least squares."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, joining, reduction
from rushlight.engine.calls import linalg as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import finfo
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.native.lapack import LENGTH, Step
from rushlight.engine.ops import answers
from rushlight.engine.ops.kinds.planned import Computed, contiguous_spec, planned
from rushlight.engine.ops.kinds.views import cpu, meta
from rushlight.engine.ops.linalg.device_routines import place
from rushlight.engine.ops.linalg.factors import check_pivots, count_of, lu, lu_specs
from rushlight.engine.ops.linalg.matrices import (
    LETTERS,
    REAL,
    Ints,
    batch_of,
    by_columns,
    call,
    check_equation,
    check_floating,
    check_kernel,
    check_reports,
    check_same_type,
    check_square,
    column_spec,
    columns,
    integer_work,
    joined_batch,
    new,
    new_columns,
    number,
    planned_by_columns,
    real_number,
    real_work,
    run,
    short,
    step,
    transposed,
    wide,
    with_outs,
    work,
)

# -- with LU factors --


def solve_factored(
    factors: Tensor, pivots: Tensor, b: Tensor, batch: Ints, left: bool, adjoint: bool
) -> Tensor:
    """Solve with LU factors stored by columns and LAPACK's pivots.

    ``XA = B`` is ``A^T X^T = B^T``; B^T by columns is B by rows.
    """
    kind, n = factors._dtype_, factors._size_[-1]
    conjugate = adjoint and not left and kind.is_complex
    given = b if left else transposed(b)
    made = columns(views.conj_physical(given) if conjugate else given, batch)
    if made._numel_:
        way = (b"C" if adjoint else b"N") if left else (b"N" if adjoint else b"T")
        held, jump = by_columns(factors, batch)
        rows = pivots if jump or not batch else views.reshape(pivots, (n,))
        if jump and tuple(pivots._size_[:-1]) != batch:
            rows = copies.contiguous(views.expand(pivots, (*batch, n)))
        routine = call(
            "getrs", kind, way, n, made._size_[-1], Step(jump), n,
            Step(step(rows, 1) if jump else 0), Step(step(made)), n,
            count=count_of(made), work=n * n * made._size_[-1],
        )  # fmt: skip
        run(routine, batch_of(made), held, rows, made, reads=(0, 1))
    if left:
        return made
    return transposed(views.conj_physical(made) if conjugate else made)


def is_vector(a: Tensor, b: Tensor) -> bool:
    """Whether the right side is a vector for each matrix."""
    return len(b._size_) == 1 or (len(a._size_) - 1 == len(b._size_) and b._size_ == a._size_[:-1])


@planned("_linalg_solve_ex", exact=True)
def solve_ex(A: Tensor, B: Tensor, left: bool, check_errors: bool) -> Computed:
    name = "linalg.solve"
    check_floating(name, A)
    check_same_type(name, A, B)
    check_square(name, A)
    vector = is_vector(A, B)
    if vector and not left:
        raise RuntimeError(
            f"{name}: Vector broadcasting of the left hand side is not supported for left=False. "
            f"In this case linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    b = views.unsqueeze(B, -1) if vector else B
    check_equation(name, A, b, left)
    batch = joined_batch(A, b)
    size = (*batch, *b._size_[-2:])

    def compute() -> Any:
        factors, pivots, info = lu(A)
        result = solve_factored(factors, pivots, b, batch, left, False)
        if check_errors:
            check_reports(info, "torch.linalg.solve_ex")
        return views.squeeze_dim(result, -1) if vector else result, factors, short(pivots), info

    size = size[:-1] if vector else size
    # Without the right side as columns, what is solved is the transposed equation.
    result = (column_spec if left and not vector else contiguous_spec)(size, A._dtype_)
    info = contiguous_spec(batch_of(A), dtypes.int32)
    return Computed([result, *lu_specs(A), info], compute, (A,))


@with_outs("linalg_solve_ex", exact=True)
def linalg_solve_ex(A: Tensor, B: Tensor, left: bool, check_errors: bool) -> tuple[Tensor, Tensor]:
    result, _, _, info = calls._linalg_solve_ex(A, B, left, check_errors)
    return result, info


@with_outs("linalg_solve", exact=True)
def solve(A: Tensor, B: Tensor, left: bool) -> Tensor:
    result, _, _, info = calls._linalg_solve_ex(A, B, left, False)
    check_reports(info, "torch.linalg.solve")
    return result


@planned("linalg_lu_solve", exact=True)
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, adjoint: bool) -> Computed:
    name = "linalg.lu_solve"
    check_floating(f"torch.{name}", LU)
    check_square(f"torch.{name}", LU)
    check_same_type(name, LU, B, "LU")
    if pivots._dtype_ is not dtypes.int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    check_equation(name, LU, B, left)
    if LU._size_[-1] != pivots._size_[-1]:
        raise RuntimeError(
            f"{name}: Number of pivots per batch should be same as the dimension of the matrix"
        )
    if LU._size_[:-1] != pivots._size_:
        raise RuntimeError(
            f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with "
            f"shape {list(pivots._size_)} instead"
        )
    batch = joined_batch(LU, B)

    def compute() -> Tensor:
        check_kernel("linalg.lu_solve_cpu", LU)
        wrong = (
            "Pivots given to lu_solve must all be {}. Did you properly pass the result of "
            "lu_factor?"
        )
        low = wrong.format("greater or equal to 1")
        check_pivots(pivots, LU._size_[-2], low, wrong.format("smaller or equal to LU.size(-2)"))
        return solve_factored(LU, wide(pivots), B, batch, left, adjoint)

    spec = (column_spec if left else contiguous_spec)((*batch, *B._size_[-2:]), B._dtype_)
    return Computed([spec], compute, (LU,))


@with_outs("lu_solve", exact=True)
def old_lu_solve(self: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    return calls.linalg_lu_solve(LU_data, LU_pivots, self, True, False)


# -- inverses --


@planned("linalg_inv_ex", exact=True)
def inv_ex(A: Tensor, check_errors: bool) -> Computed:
    check_square("linalg.inv", A)
    check_floating("linalg.inv", A, low_precision=False)
    n, kind = A._size_[-1], A._dtype_

    def compute() -> Any:
        made, pivots, info = lu(A)
        if made._numel_:
            routine = call(
                "getri", kind, n, Step(step(made)), n, Step(step(pivots, 1)), work(kind), LENGTH,
                count=count_of(A), work=n**3,
            )  # fmt: skip
            run(routine, batch_of(A), made, pivots, reads=(1,))
        if check_errors:
            check_reports(info, "linalg.inv_ex")
        return made, info

    info = contiguous_spec(batch_of(A), dtypes.int32)
    return Computed([column_spec(A._size_, kind), info], compute, (A,))


@with_outs("linalg_inv", exact=True)
def inv(A: Tensor) -> Tensor:
    made, info = calls.linalg_inv_ex(A, False)
    check_reports(info, "linalg.inv")
    return made


with_outs("inverse", exact=True)(lambda A: calls.linalg_inv(A))


# -- with Cholesky's and LDL factors --


def check_solver(name: str, b: Tensor, a: Tensor) -> None:
    """The shapes and types of an older solver's operands."""
    if a._size_[-1] != a._size_[-2]:
        raise RuntimeError(
            f"A must be batches of square matrices, but they are {a._size_[-2]} by {a._size_[-1]} "
            f"matrices"
        )
    if a._size_[-1] != b._size_[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {a._size_[-1]} by "
            f"{a._size_[-1]} but each b matrix is {b._size_[-2]} by {b._size_[-1]}"
        )
    if a._dtype_ is not b._dtype_:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type "
            f"{promotion.title(b._dtype_)} and A of type {promotion.title(a._dtype_)} instead."
        )


@with_outs("cholesky_solve", label="cholesky_solve")
def cholesky_solve(self: Tensor, input2: Tensor, upper: bool) -> Tensor:
    for name, x in (("b", self), ("u", input2)):
        if len(x._size_) < 2:
            raise RuntimeError(
                f"{name} should have at least 2 dimensions, but has {len(x._size_)} dimensions "
                f"instead"
            )
    check_solver("cholesky_solve", self, input2)
    batch = joined_batch(self, input2)
    b = views.expand(self, (*batch, *self._size_[-2:]))
    a = views.expand(input2, (*batch, *input2._size_[-2:]))
    return calls._cholesky_solve_helper(b, a, upper)


@cpu("_cholesky_solve_helper")
def cholesky_solve_helper(self: Tensor, A: Tensor, upper: bool) -> Tensor:
    check_kernel("cholesky_solve_cpu", self)
    made = columns(self)
    if made._numel_:
        n = A._size_[-1]
        factor, jump = by_columns(A, batch_of(made))
        routine = call(
            "potrs", A._dtype_, b"U" if upper else b"L", n, made._size_[-1], Step(jump), n,
            Step(step(made)), n, count=count_of(made), work=n * n * made._size_[-1],
        )  # fmt: skip
        run(routine, batch_of(made), factor, made, reads=(0,))
    return made


@meta("_cholesky_solve_helper")
def cholesky_solve_meta(self: Tensor, A: Tensor, upper: bool) -> Tensor:
    return tensors.empty_strided(*column_spec(self._size_, self._dtype_), self._storage_.device)


@planned("linalg_ldl_solve", exact=True)
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, hermitian: bool) -> Computed:
    name = "torch.linalg.ldl_solve"
    check_square(name, LD)
    check_floating(name, LD)
    if len(B._size_) < 2:
        if not B._size_:
            raise IndexError("Dimension specified as -2 but tensor has no dimensions")
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got -2)")
    check_solver(name, B, LD)
    if pivots._dtype_ not in (dtypes.int32, dtypes.int64):
        raise RuntimeError(
            f"{name}: Expected pivots to be integers. Got {promotion.title(pivots._dtype_)}"
        )
    if LD._size_[:-1] != pivots._size_:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with "
            f"shape {list(pivots._size_)} instead"
        )
    batch, n = joined_batch(LD, B), LD._size_[-1]

    def compute() -> Tensor:
        check_kernel("ldl_solve_kernel_cpu", LD)
        made = columns(B, batch)
        if not made._numel_:
            return made
        # A pivot is a row, or a negative one for each of a block's two.
        wrong = "Pivots given to ldl_solve must be rows. Did you properly pass the result of ldl_factor?"
        check_pivots(maps.abs(pivots), n, wrong, wrong)
        factor, jump = by_columns(LD, batch)
        rows = wide(views.expand(pivots, (*batch, n)) if jump else pivots)
        name_of = "hetrs" if hermitian and LD._dtype_.is_complex else "sytrs"
        routine = call(
            name_of, LD._dtype_, b"L", n, made._size_[-1], Step(jump), n,
            Step(step(rows, 1) if jump else 0), Step(step(made)), n,
            count=count_of(made), work=n * n * made._size_[-1],
        )  # fmt: skip
        run(routine, batch_of(made), factor, rows, made, reads=(0, 1))
        return made

    return Computed([column_spec((*batch, *B._size_[-2:]), B._dtype_)], compute, (LD,))


# -- triangles --


def solve_triangle(
    a: Tensor, b: Tensor, batch: Ints, upper: bool, left: bool, unit: bool, transpose: bool
) -> Tensor:
    """Solve with a triangular matrix. A matrix stored by rows is a transposed one by columns."""
    check_kernel("triangular_solve_cpu", a)
    made = columns(b, batch)
    if not made._numel_:
        return made
    by_rows = a._size_[-1] > 1 and a._stride_[-1] == 1 and a._stride_[-2] >= a._size_[-1]
    held, jump = by_columns(transposed(a) if by_rows else a, batch)
    rows, cols = made._size_[-2:]
    order = max(held._size_[-1], 1)
    routine = call(
        "trsm", a._dtype_, b"L" if left else b"R", b"U" if upper != by_rows else b"L",
        b"T" if transpose != by_rows else b"N", b"U" if unit else b"N", rows, cols,
        number(a._dtype_, 1.0), Step(jump), order, Step(step(made)), max(rows, 1),
        count=count_of(made), work=rows * cols * order, info=False,
    )  # fmt: skip
    run(routine, batch_of(made), held, made, reads=(0,))
    return made


@planned("linalg_solve_triangular")
def solve_triangular(
    self: Tensor, B: Tensor, upper: bool, left: bool, unitriangular: bool
) -> Computed:
    name = "linalg.solve_triangular"
    check_square(name, self)
    check_equation(name, self, B, left)
    batch = joined_batch(self, B)
    kind = self._dtype_

    def compute() -> Tensor:
        b = B if B._dtype_ is kind else copies.to_dtype(B, kind)
        return solve_triangle(self, b, batch, upper, left, unitriangular, False)

    return Computed([column_spec((*batch, *B._size_[-2:]), kind)], compute, (self,))


def check_triangle(b: Tensor, a: Tensor) -> None:
    """The operands of `triangular_solve`."""
    for name, x in (("b", b), ("A", a)):
        if len(x._size_) < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it "
                f"has {len(x._size_)} dimensions instead"
            )
    check_solver("triangular_solve", b, a)


@planned_by_columns("triangular_solve")
def triangular_solve(
    self: Tensor, A: Tensor, upper: bool, transpose: bool, unitriangular: bool
) -> Computed:
    check_triangle(self, A)
    batch = joined_batch(self, A)

    def compute() -> Any:
        found = solve_triangle(A, self, batch, upper, True, unitriangular, transpose)
        return found, columns(A, batch)

    specs = [column_spec((*batch, *x._size_[-2:]), x._dtype_) for x in (self, A)]
    return Computed(specs, compute, (A,))


# -- least squares --

DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def _least_squares(
    a: Tensor, b: Tensor, driver: str, rcond: float
) -> tuple[Tensor, Tensor, Tensor, Any]:
    """LAPACK's solution with residuals below, rank, singular values, and reports."""
    kind = a._dtype_
    real = REAL.get(kind, kind)
    rows, cols = a._size_[-2:]
    least, most, wide_b = min(rows, cols), max(rows, cols), b._size_[-1]
    batch = batch_of(a)
    matrix, side = columns(a), new_columns((*batch, most, wide_b), kind)
    copies.copy_(views.narrow(side, -2, 0, rows), b)
    ranks = creation.zeros(batch, dtype=dtypes.int64)
    values = new((*batch, least), real)
    head = [rows, cols, wide_b, Step(step(matrix)), rows, Step(step(side)), most]
    rank, limit = Step(8), real_number(kind, rcond)
    extra: list[Any] = []
    matrices = [matrix, side]
    if driver == "gels":
        head = [b"N", *head, work(kind), LENGTH]
    elif driver == "gelsy":
        order = creation.zeros((*batch, cols), dtype=dtypes.int64)
        extra = [real_work(kind, 2 * cols)] if kind.is_complex else []
        head += [Step(cols * 8), limit, rank, work(kind), LENGTH, *extra]
        matrices += [order, ranks]
    else:
        if driver == "gelsd":
            extra = [real_work(kind)] if kind.is_complex else []
            extra.append(integer_work())
        elif kind.is_complex:
            extra = [real_work(kind, 5 * least)]
        head += [Step(step(values, 1)), limit, rank, work(kind), LENGTH, *extra]
        matrices += [values, ranks]
    routine = call(driver, kind, *head, count=count_of(a), work=2 * rows * cols * most)
    return side, ranks, values, run(routine, batch, *matrices)


def _by_factors(a: Tensor, b: Tensor) -> Tensor:
    """The solution by orthogonal and triangular factors, residuals below."""
    rows, cols = a._size_[-2:]
    if rows >= cols:
        factors, scales = calls.geqrf(a)
        turned = calls.ormqr(factors, scales, b, True, True)
        top = views.narrow(turned, -2, 0, cols)
        found = calls.linalg_solve_triangular(
            views.narrow(factors, -2, 0, cols), top, upper=True, left=True, unitriangular=False
        )
        return joining.cat([found, views.narrow(turned, -2, cols, rows - cols)], -2)  # type: ignore[no-any-return]
    factors, scales = calls.geqrf(
        maps.conj_physical(transposed(a)) if a._dtype_.is_complex else transposed(a)
    )
    corner = views.narrow(factors, -2, 0, rows)
    below = maps.conj_physical(transposed(corner)) if a._dtype_.is_complex else transposed(corner)
    found = calls.linalg_solve_triangular(below, b, upper=False, left=True, unitriangular=False)
    size = (*found._size_[:-2], cols - rows, found._size_[-1])
    rest = creation.zeros(size, dtype=a._dtype_, device=a._storage_.device)
    return calls.ormqr(factors, scales, joining.cat([found, rest], -2), True, False)  # type: ignore[no-any-return]


def _check_least_squares(self: Tensor, b: Tensor, driver: str | None, vector: bool) -> None:
    name = "torch.linalg.lstsq"
    if len(self._size_) < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if not b._size_:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if self._dtype_ is not b._dtype_:
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype "
            f"{promotion.title(self._dtype_)} and other's dtype {promotion.title(b._dtype_)}"
        )
    if place() is not devices.cpu and driver not in (None, "gels"):
        raise RuntimeError(
            f"{name}: parameter `driver` other than `gels` is not supported on CUDA, but got {driver}"
        )
    if driver is not None and driver not in DRIVERS:
        raise RuntimeError(f"{name}: parameter `driver` should be one of ({', '.join(DRIVERS)})")
    short_by = len(self._size_) - len(b._size_)
    if short_by < 0 or (short_by > 1 and not vector):
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - "
            f"other.dim()) <= 1"
        )
    rows = b._size_[-1] if vector else b._size_[-2]
    if self._size_[-2] != rows:
        dim = "-1" if vector else "-2"
        raise RuntimeError(f"{name}: input.size(-2) should match other.size({dim})")
    if self._dtype_ not in LETTERS:
        raise RuntimeError("This function doesn't handle types other than float and double")


@planned("linalg_lstsq")
def lstsq(self: Tensor, b: Tensor, rcond: float | None, driver: str | None) -> Computed:
    vector = is_vector(self, b)
    _check_least_squares(self, b, driver, vector)
    on_host = place() is devices.cpu
    chosen = driver or ("gelsy" if on_host else "gels")
    kind = self._dtype_
    real = REAL.get(kind, kind)
    rows, cols = self._size_[-2:]
    side = views.unsqueeze(b, -1) if vector else b
    batch = joined_batch(side, self)
    limit = finfo(real).eps * max(rows, cols) if rcond is None else rcond
    with_rank, with_values = chosen != "gels", chosen in ("gelsd", "gelss")

    def compute() -> Any:
        size = (*batch, cols, side._size_[-1])
        residuals = new((0,), real)
        ranks = creation.zeros(batch if with_rank else (0,), dtype=dtypes.int64)
        least = (*batch, min(rows, cols)) if with_values else (0,)
        values = creation.zeros(least, dtype=real)
        if not self._numel_ or not side._numel_:
            solution = creation.zeros(size, dtype=kind)
            if rows > cols and chosen != "gelsy":
                residuals = _squared(side)
        else:
            a = views.expand(self, (*batch, rows, cols))
            right = views.expand(side, (*batch, *side._size_[-2:]))
            if on_host:
                packed, rank, found, info = _least_squares(a, right, chosen, limit)
                check_reports(info, "torch.linalg.lstsq")
            else:
                packed, rank, found = _by_factors(a, right), ranks, values
            solution = columns(views.narrow(packed, -2, 0, cols))
            ranks = rank if with_rank else ranks
            values = found if with_values else values
            full = chosen == "gels" or bool(answers.are_all(maps.eq_Scalar(rank, cols)))
            if rows > cols and chosen != "gelsy" and full:
                residuals = _squared(views.narrow(packed, -2, cols, rows - cols))
        return views.squeeze_dim(solution, -1) if vector else solution, residuals, ranks, values

    width = () if vector else (side._size_[-1],)
    tall = rows > cols and chosen != "gelsy"
    specs = [
        contiguous_spec((*batch, cols, *width), kind),
        contiguous_spec((*batch, side._size_[-1]) if tall else (0,), real),
        contiguous_spec(batch if with_rank else (0,), dtypes.int64),
        contiguous_spec((*batch, min(rows, cols)) if with_values else (0,), real),
    ]
    return Computed(specs, compute, (self,))


def _squared(x: Tensor) -> Tensor:
    """The squared length of every column."""
    size = maps.abs(x)
    return reduction.sum_dim_IntList(maps.mul_Tensor(size, size), [-2], False, None)
