"""What the gradient formulas of linear algebra call.

`x.mH` is the conjugate transpose. Gradients are those of the real inner product ``Re tr(Gᴴ dA)``.
A formula that is differentiated again must not use factors whose own history is not recorded; it
solves with the matrix itself then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import creation, indexing, joining
from rushlight.engine.calls import linalg as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core.dtype import finfo
from rushlight.engine.core.sparse import is_sparse, layout_of
from rushlight.engine.ops import answers
from rushlight.engine.ops.linalg.determinants import exchange_sign

Grads = Sequence[Any]


def _is_recording() -> bool:
    """Whether the gradient itself will be differentiated."""
    return state.thread.grad_enabled


def _is_complex(x: Any) -> bool:
    return bool(x._dtype_.category == dtypes.COMPLEX)


def _skew(x: Any) -> Any:
    return x - x.mH


def _scale_diagonal(x: Any, factor: float) -> Any:
    """The matrices with their diagonals multiplied."""
    diagonal = x.diagonal(0, -2, -1)
    return x + (diagonal * (factor - 1)).diag_embed()


def _solve_right(a: Any, b: Any, upper: bool, unit: bool = False) -> Any:
    """``b a⁻¹`` for a triangular matrix."""
    return calls.linalg_solve_triangular(a, b, upper=upper, left=False, unitriangular=unit)


def _solve_left(a: Any, b: Any, upper: bool, unit: bool = False) -> Any:
    """``a⁻¹ b`` for a triangular matrix."""
    return calls.linalg_solve_triangular(a, b, upper=upper, left=True, unitriangular=unit)


def _triangle(x: Any, upper: bool, offset: int = 0) -> Any:
    return x.triu(offset) if upper else x.tril(-offset)


# -- Cholesky --


def cholesky_backward(grad: Any, factor: Any, upper: bool, hermitian: bool = True) -> Any:
    """``L⁻ᴴ Φ(Lᴴ G) L⁻¹``, where Φ takes the lower triangle and half the diagonal.

    Args:
        hermitian: mirror the triangle, since a change of the matrix has both halves
    """
    lower = factor.mH if upper else factor
    grad = grad.mH if upper else grad
    inner = lower.mH.matmul(grad)
    if hermitian:
        inner = (inner.tril() + inner.tril(-1).mH) * 0.5
    else:
        inner = _scale_diagonal(inner.tril(), 0.5)
    return _solve_right(lower, _solve_left(lower.mH, inner, True), False)


def cholesky_inverse_backward(grad: Any, factor: Any, inverse: Any, upper: bool) -> Any:
    inner = inverse.matmul(grad + grad.mH).matmul(inverse)
    return -(factor.matmul(inner) if upper else inner.matmul(factor))


def cholesky_solve_factor_backward(grad: Any, solution: Any, factor: Any, upper: bool) -> Any:
    outer = calls.cholesky_solve(grad, factor, upper).matmul(solution.mH)
    outer = outer + outer.mH
    return -(factor.matmul(outer) if upper else outer.matmul(factor))


# -- LU --


def lu_backward(d_lower: Any, d_upper: Any, rows: Any, lower: Any, upper: Any) -> Any:
    """The gradient through ``A = P L U``.

    With square factors it is ``P L⁻ᴴ (tril(Lᴴ dL, -1) + triu(dU Uᴴ)) U⁻ᴴ``. Rows below the square
    part of L, or columns behind that of U, are solutions of a triangular system: they add to the
    square part's gradient.
    """
    height, width = lower._size_[-2], upper._size_[-1]
    least = min(height, width)
    l1, u1 = lower.narrow(-2, 0, least), upper.narrow(-1, 0, least)
    dl1, du1 = d_lower.narrow(-2, 0, least), d_upper.narrow(-1, 0, least)
    below, above = l1.mH.matmul(dl1), du1.matmul(u1.mH)
    rest = None
    if width > least:
        u2, du2 = (x.narrow(-1, least, width - least) for x in (upper, d_upper))
        below = below - du2.matmul(u2.mH)
        rest = _solve_left(l1.mH, du2, True, True)
    elif height > least:
        l2, dl2 = (x.narrow(-2, least, height - least) for x in (lower, d_lower))
        above = above - l2.mH.matmul(dl2)
        rest = _solve_right(u1.mH, dl2, False)
    inner = below.tril(-1) + above.triu()
    found = _solve_right(u1.mH, _solve_left(l1.mH, inner, True, True), False)
    if rest is not None:
        found = joining.cat([found, rest], -1 if width > least else -2)
    return rows.matmul(found)


def lu_factor_backward(grad: Any, factors: Any, pivots: Any) -> Any:
    rows, lower, upper = calls.lu_unpack(factors, pivots, True, True)
    least = min(factors._size_[-2:])
    d_lower, d_upper = grad.narrow(-1, 0, least), grad.narrow(-2, 0, least)
    return lu_backward(d_lower, d_upper, rows, lower, upper)


def lu_unpack_backward(d_lower: Any, d_upper: Any, size: Sequence[int], unpacked: bool) -> Any:
    if not unpacked:
        return None
    height, width = size[-2:]
    lower, upper = d_lower.tril(-1), d_upper.triu()
    if height > width:
        upper = _extended(upper, -2, height - width)
    elif width > height:
        lower = _extended(lower, -1, width - height)
    return lower + upper


def _extended(x: Any, dim: int, count: int) -> Any:
    """The matrices with zeros behind."""
    size = list(x._size_)
    size[dim] = count
    return joining.cat([x, creation.new_zeros(x, size)], dim)


def lu_solve_backward(
    grad: Any, factors: Any, pivots: Any, solution: Any, left: bool, adjoint: bool, wanted: Any
) -> tuple[Any, Any]:
    """Through ``A X = B`` or ``X A = B`` to A, and from there to its factors."""
    side = calls.linalg_lu_solve(factors, pivots, grad, left, not adjoint)
    if not wanted[0]:
        return None, side
    outer = side.matmul(solution.mH) if left else solution.mH.matmul(side)
    d_matrix = -(outer.mH if adjoint else outer)
    rows, lower, upper = calls.lu_unpack(factors, pivots, True, True)
    d_matrix = rows.mT.matmul(d_matrix)
    d_lower, d_upper = d_matrix.matmul(upper.mH), lower.mH.matmul(d_matrix)
    return d_lower.tril(-1) + d_upper.triu(), side


# -- QR --


def qr_backward(d_q: Any, d_r: Any, q: Any, r: Any, mode: str) -> Any:
    """``(dQ + Q S) R⁻ᴴ`` with a Hermitian S made of the upper triangle of ``dR Rᴴ - Qᴴ dQ``.

    Of a wide matrix, the columns behind the square part are ``Q R₂``, which is linear in them.
    """
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
            "Please use linalg.qr(A, mode='reduced') if you are going to require gradients."
        )
    least, width = q._size_[-1], r._size_[-1]
    if mode == "complete" and q._size_[-2] > width:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols"
        )
    d_q = creation.zeros_like(q) if d_q is None else d_q
    d_r = creation.zeros_like(r) if d_r is None else d_r
    if width == least:
        return _square_qr_backward(d_q, d_r, q, r)
    r1, r2 = r.narrow(-1, 0, least), r.narrow(-1, least, width - least)
    dr1, dr2 = d_r.narrow(-1, 0, least), d_r.narrow(-1, least, width - least)
    d_q = d_q + q.matmul(r2).matmul(dr2.mH)
    return joining.cat([_square_qr_backward(d_q, dr1, q, r1), q.matmul(dr2)], -1)


def _square_qr_backward(d_q: Any, d_r: Any, q: Any, r: Any) -> Any:
    inner = (d_r.matmul(r.mH) - q.mH.matmul(d_q)).triu()
    hermitian = _scale_diagonal(inner + inner.mH, 0.5)
    return _solve_right(r.mH, d_q + q.matmul(hermitian), False)


def _reflected(x: Any, vector: Any, factor: Any) -> Any:
    """``(I - tau v vᴴ) x``."""
    return x - factor * vector.matmul(vector.mH.matmul(x))


def _reflectors_backward(
    grad: Any, vectors: Any, factors: Any, x: Any, transposed: bool
) -> tuple[Any, Any, Any]:
    """The gradients of ``H₁ H₂ … x`` (or of its adjoint product) to the vectors, factors and x.

    Each step of the product is kept: reflectors of any factors need not have an inverse.
    """
    rows, count = vectors._size_[-2], factors._size_[-1]
    unit = creation.eye_m(rows, count, dtype=vectors._dtype_, device=vectors._storage_.device)
    below = vectors.narrow(-1, 0, count).tril(-1) + unit
    steps = [(below.narrow(-1, k, 1), factors.narrow(-1, k, 1).unsqueeze(-1)) for k in range(count)]
    if transposed:
        steps = [(vector, factor.conj()) for vector, factor in reversed(steps)]
    given = [x]
    for vector, factor in reversed(steps[1:]):
        given.append(_reflected(given[-1], vector, factor))
    d_vectors, d_factors = [], []
    for (vector, factor), before in zip(steps, reversed(given)):
        ahead, behind = vector.mH.matmul(before), vector.mH.matmul(grad)
        d_factors.append(-behind.matmul(ahead.mH).squeeze(-1))
        through_row = before.matmul(behind.mH) * factor
        through_column = grad.matmul(ahead.mH) * factor.conj()
        d_vectors.append(-(through_row + through_column))
        grad = _reflected(grad, vector, factor.conj())
    if transposed:
        d_vectors.reverse()
        d_factors = [d.conj() for d in reversed(d_factors)]
    if not count:
        return creation.zeros_like(vectors), creation.zeros_like(factors), grad
    d_below = joining.cat(d_vectors, -1).tril(-1)
    left_out = vectors._size_[-1] - count
    if left_out:
        d_below = _extended(d_below, -1, left_out)
    return d_below, joining.cat(d_factors, -1), grad


def householder_backward(grad: Any, vectors: Any, factors: Any, wanted: Any) -> tuple[Any, Any]:
    rows, columns = vectors._size_[-2:]
    unit = creation.eye_m(rows, columns, dtype=grad._dtype_, device=grad._storage_.device)
    d_vectors, d_factors, _ = _reflectors_backward(grad, vectors, factors, unit, False)
    return d_vectors if wanted[0] else None, d_factors if wanted[1] else None


def ormqr_backward(
    grad: Any, vectors: Any, factors: Any, other: Any, left: bool, transpose: bool, wanted: Any
) -> tuple[Any, Any, Any]:
    """A product from the right is the adjoint of one from the left."""
    d_vectors = d_factors = d_other = None
    if wanted[0] or wanted[1]:
        ahead, x, way = (grad, other, transpose) if left else (grad.mH, other.mH, not transpose)
        d_vectors, d_factors, _ = _reflectors_backward(ahead, vectors, factors, x, way)
    if wanted[2]:
        d_other = calls.ormqr(vectors, factors, grad, left, not transpose)
    return d_vectors, d_factors, d_other


# -- solving --


def _solve_adjoint(matrix: Any, factors: Any, pivots: Any, b: Any, left: bool = True) -> Any:
    """``A⁻ᴴ b`` (or ``b A⁻ᴴ``), with the factors of A where they may be used."""
    if _is_recording():
        return calls.linalg_solve(matrix.mH, b, left)
    return calls.linalg_lu_solve(factors, pivots, b, left, True)


def solve_backward(
    grad: Any,
    solution: Any,
    matrix: Any,
    factors: Any,
    pivots: Any,
    left: bool,
    side_size: Sequence[int],
    wanted: Any,
) -> tuple[Any, Any]:
    """``dB = A⁻ᴴ G`` and ``dA = -dB Xᴴ`` (from the right: ``-Xᴴ dB``)."""
    is_vector = len(side_size) == 1 or tuple(side_size) == tuple(matrix._size_[:-1])
    if is_vector:
        grad, solution = grad.unsqueeze(-1), solution.unsqueeze(-1)
    side = _solve_adjoint(matrix, factors, pivots, grad, left)
    d_matrix = None
    if wanted[0]:
        d_matrix = -(side.matmul(solution.mH) if left else solution.mH.matmul(side))
    return d_matrix, side.squeeze(-1) if is_vector else side


def inverse_backward(grad: Any, inverse: Any) -> Any:
    return -inverse.mH.matmul(grad).matmul(inverse.mH)


def solve_triangular_backward(
    grad: Any, matrix: Any, solution: Any, upper: bool, left: bool, unit: bool, wanted: Any
) -> tuple[Any, Any]:
    solve = _solve_left if left else _solve_right
    side = solve(matrix.mH, grad, not upper, unit)
    if not wanted[0]:
        return None, side
    outer = side.matmul(solution.mH) if left else solution.mH.matmul(side)
    return -_triangle(outer, upper, int(unit)), side


def triangular_solve_backward(
    grads: Grads,
    matrix: Any,
    solution: Any,
    upper: bool,
    transpose: bool,
    unit: bool,
    wanted: Any,
    within_triangle: bool = True,
) -> tuple[Any, Any]:
    """The second result is a copy of the matrix."""
    d_solution, d_copy = grads[0], grads[1]
    if d_solution is None:
        return None, d_copy
    if is_sparse(matrix):
        if wanted[1]:
            raise NotImplementedError(
                f"triangular_solve: a matrix of layout {layout_of(matrix)} has no gradient; `to_dense()` gives one that has"
            )
        side = d_solution.conj().triangular_solve(matrix, upper, not transpose, unit)[0]
        return side.conj(), None
    if transpose:
        side = _solve_left(matrix.conj(), d_solution, upper, unit)
        outer = solution.conj().matmul(side.mT)
    else:
        side = _solve_left(matrix.mH, d_solution, not upper, unit)
        outer = side.matmul(solution.mH)
    d_matrix = None
    if wanted[1]:
        d_matrix = -(_triangle(outer, upper, int(unit)) if within_triangle else outer)
        d_matrix = d_matrix if d_copy is None else d_matrix + d_copy
    return side, d_matrix


def lstsq_backward(
    grads: Grads, matrix: Any, side: Any, solution: Any, wanted: Any
) -> tuple[Any, Any]:
    """Through ``X = A⁺ B``, and through the squared lengths of the columns of ``A X - B``.

    Residuals are smallest in X already, so that only A and B themselves change them.
    """
    d_solution, d_residuals = grads[0], grads[1]
    is_vector = len(side._size_) < len(solution._size_) + 1 and side._size_ == matrix._size_[:-1]
    is_vector = is_vector or len(side._size_) == 1
    if is_vector:
        side, solution = side.unsqueeze(-1), solution.unsqueeze(-1)
        d_solution = None if d_solution is None else d_solution.unsqueeze(-1)
    d_matrix = d_side = None
    if d_solution is not None:
        inverse = calls.linalg_pinv_atol_rtol_tensor(matrix)
        if wanted[0]:
            d_matrix = pinv_backward(d_solution.matmul(side.mH), inverse, matrix)
        d_side = inverse.mH.matmul(d_solution)
    if d_residuals is not None and d_residuals._numel_:
        misses = (matrix.matmul(solution) - side) * (2 * d_residuals).unsqueeze(-2)
        d_matrix = _sum(d_matrix, misses.matmul(solution.mH))
        d_side = _sum(d_side, -misses)
    if is_vector and d_side is not None:
        d_side = d_side.squeeze(-1)
    return d_matrix if wanted[0] else None, d_side


def _sum(a: Any, b: Any) -> Any:
    """The sum of two gradients, either of which may be missing."""
    if a is None or b is None:
        return b if a is None else a
    return a + b


def pinv_backward(grad: Any, inverse: Any, matrix: Any) -> Any:
    """``-Kᴴ G Kᴴ + (I - A K) Gᴴ K Kᴴ + Kᴴ K Gᴴ (I - K A)`` for ``K = A⁺``."""
    adjoint, d_adjoint = inverse.mH, grad.mH
    within_rows = d_adjoint - matrix.matmul(inverse.matmul(d_adjoint))
    within_columns = d_adjoint - d_adjoint.matmul(inverse).matmul(matrix)
    return (
        within_rows.matmul(inverse).matmul(adjoint)
        + adjoint.matmul(inverse).matmul(within_columns)
        - adjoint.matmul(grad).matmul(adjoint)
    )


# -- spectra --


def _ill_defined(name: str, what: str) -> RuntimeError:
    return RuntimeError(
        f"{name}: The {what} in the complex case are specified up to multiplication by e^{{i phi}}. "
        f"The specified loss function depends on this quantity, so it is ill-defined."
    )


def _vanishes(x: Any) -> bool:
    """Whether imaginary parts are zero but for rounding."""
    return not x._numel_ or answers.are_all(x.imag.abs() <= 1e-2)


def _gaps(values: Any) -> Any:
    """``values[j] - values[i]`` at (i, j), ones on the diagonal."""
    return values.unsqueeze(-2) - values.unsqueeze(-1) + creation.ones_like(values).diag_embed()


def svd_backward(grads: Grads, u: Any, s: Any, vh: Any, with_vectors: bool) -> Any:
    """``U (dΣ + rotations) Vᴴ`` and what leaves the spaces that U and V span.

    Singular vectors behind the last singular value do not enter: they are not determined.
    """
    d_u, d_s, d_vh = grads[0], grads[1], grads[2]
    if not with_vectors:
        raise RuntimeError(
            "svd_backward: Setting compute_uv to false in torch.svd doesn't compute singular "
            "matrices, and hence we cannot compute backward. Please use torch.svd(compute_uv=True)"
        )
    least = s._size_[-1]
    u, vh = u.narrow(-1, 0, least), vh.narrow(-2, 0, least)
    if d_u is None and d_vh is None:
        return (u * d_s.unsqueeze(-2)).matmul(vh)
    d_u = None if d_u is None else d_u.narrow(-1, 0, least)
    d_v = None if d_vh is None else d_vh.narrow(-2, 0, least).mH
    v = vh.mH
    turned_u = None if d_u is None else u.mH.matmul(d_u)
    turned_v = None if d_v is None else vh.matmul(d_v)
    inner = _svd_inner(turned_u, turned_v, d_s, s)
    found = u.matmul(inner).matmul(vh)
    if d_u is not None and u._size_[-2] > least:
        outside = (d_u - u.matmul(turned_u)) / s.unsqueeze(-2)
        found = found + outside.matmul(vh)
    if d_v is not None and v._size_[-2] > least:
        outside = (d_v - v.matmul(turned_v)) / s.unsqueeze(-2)
        found = found + u.matmul(outside.mH)
    return found


def _svd_inner(turned_u: Any, turned_v: Any, d_s: Any, s: Any) -> Any:
    """The gradient as a matrix between the singular vectors."""
    skew_u = None if turned_u is None else _skew(turned_u)
    skew_v = None if turned_v is None else _skew(turned_v)
    either: Any = skew_u if skew_u is not None else skew_v
    if _is_complex(either):
        phases = _sum(skew_u, skew_v).diagonal(0, -2, -1)
        if not _vanishes(phases):
            raise _ill_defined("svd_backward", "singular vectors")
    squares = s * s
    gaps = _gaps(squares)
    inner = None
    if skew_u is not None:
        inner = skew_u / gaps * s.unsqueeze(-2)
    if skew_v is not None:
        inner = _sum(inner, s.unsqueeze(-1) * (skew_v / gaps))
    diagonal = d_s
    if _is_complex(either):
        # The gaps on the diagonal are ones: that part of the phases is replaced.
        inner = _without_diagonal(inner)
        if skew_u is not None:
            diagonal = _sum(diagonal, skew_u.diagonal(0, -2, -1) / (2 * s))
    return inner if diagonal is None else inner + diagonal.diag_embed()


def _without_diagonal(x: Any) -> Any:
    return x.tril(-1) + x.triu(1)


def eigh_backward(
    d_values: Any, d_vectors: Any, values: Any, vectors: Any, hermitian: bool = True
) -> Any:
    """``V (dΛ + Vᴴ dV / gaps) Vᴴ``, of which a Hermitian change meets the Hermitian part."""
    if not vectors._numel_ and values._numel_:
        raise RuntimeError("linalg_eigh_backward: eigenvectors were not computed")
    if d_vectors is None:
        return (vectors * d_values.unsqueeze(-2)).matmul(vectors.mH)
    turned = vectors.mH.matmul(d_vectors)
    if _is_complex(turned) and not _vanishes(turned.diagonal(0, -2, -1)):
        raise _ill_defined("linalg_eigh_backward", "eigenvectors")
    if hermitian:
        turned = _skew(turned) * 0.5
    inner = _without_diagonal(turned / _gaps(values))
    if d_values is not None:
        inner = inner + d_values.diag_embed()
    return vectors.matmul(inner).matmul(vectors.mH)


def eig_backward(d_values: Any, d_vectors: Any, values: Any, vectors: Any) -> Any:
    """``V⁻ᴴ (dΛ + (Vᴴ dV - Vᴴ V Re diag(Vᴴ dV)) / gaps*) Vᴴ``; eigenvectors have length one."""
    adjoint = vectors.mH
    if d_vectors is None:
        inner = d_values.unsqueeze(-1) * adjoint
    else:
        turned = adjoint.matmul(d_vectors)
        lengths = turned.diagonal(0, -2, -1)
        if not _vanishes(lengths):
            raise _ill_defined("linalg_eig_backward", "eigenvectors")
        turned = turned - adjoint.matmul(vectors) * lengths.real.unsqueeze(-2)
        inner = _without_diagonal(turned / _gaps(values).conj())
        if d_values is not None:
            inner = inner + d_values.diag_embed()
        inner = inner.matmul(adjoint)
    return calls.linalg_solve(adjoint, inner, True)


# -- determinants --


def _identity_times(factor: Any, matrix: Any) -> Any:
    """A multiple of the identity for each matrix."""
    unit = creation.eye(matrix._size_[-1], dtype=matrix._dtype_, device=matrix._storage_.device)
    return factor.unsqueeze(-1).unsqueeze(-1) * unit


def det_backward(grad: Any, det: Any, matrix: Any, factors: Any, pivots: Any) -> Any:
    """The conjugate of the adjugate: ``det* A⁻ᴴ``, which has a limit at singular matrices."""
    if not det._numel_:
        return creation.zeros_like(matrix)
    eps = finfo(det.real._dtype_).eps
    if not _is_recording():
        factors, det = _without_zero_pivots(factors, pivots, det, eps)
        right = _identity_times(grad * det.conj(), matrix)
        return calls.linalg_lu_solve(factors, pivots, right, True, True)
    is_singular = det.abs() < 100 * eps
    if not answers.is_any(is_singular):
        return calls.linalg_solve(matrix.mH, _identity_times(grad * det.conj(), matrix), True)
    chosen = is_singular.unsqueeze(-1).unsqueeze(-1)
    unit = _identity_times(creation.ones_like(det), matrix)
    regular = indexing.where_self(chosen, unit, matrix)
    right = _identity_times(grad * det.conj(), matrix)
    usual = calls.linalg_solve(regular.mH, right, True)
    return indexing.where_self(chosen, _singular_det_backward(grad, matrix), usual)


def _without_zero_pivots(factors: Any, pivots: Any, det: Any, eps: float) -> tuple[Any, Any]:
    """Factors of a matrix nearby that has an inverse, and its determinant."""
    diagonal = factors.diagonal(0, -2, -1)
    is_zero = diagonal == 0
    if not answers.is_any(is_zero):
        return factors, det
    sizes = diagonal.abs().amax([-1], True)
    nudge = eps * sizes.masked_fill(sizes == 0, 1)
    nudge = (nudge * is_zero).to(factors._dtype_)
    product = (diagonal + nudge).prod(-1) * exchange_sign(pivots, factors._dtype_)
    return factors + nudge.diag_embed(), product


def _singular_det_backward(grad: Any, matrix: Any) -> Any:
    """The adjugate from singular values: in its diagonal are the products of all others."""
    u, s, vh = calls.linalg_svd(matrix, True, None)
    phase = (calls.linalg_det(u) * calls.linalg_det(vh)).conj() * grad
    count = s._size_[-1]
    mask = creation.eye(count, dtype=s._dtype_, device=s._storage_.device)
    others = (s.unsqueeze(-2) * (1 - mask) + mask).prod(-1)
    return (u * (phase.unsqueeze(-1) * others).unsqueeze(-2)).matmul(vh)


def slogdet_backward(
    d_sign: Any, d_size: Any, sign: Any, matrix: Any, factors: Any, pivots: Any
) -> Any:
    """``A⁻ᴴ`` times the gradient of the determinant's logarithm; its imaginary part is the angle."""
    factor = d_size
    if _is_complex(sign):
        factor = d_size - (d_sign.conj() * sign).imag * 1j
    return _solve_adjoint(matrix, factors, pivots, _identity_times(factor, matrix))


# -- functions of matrices --


def matrix_exp_backward(grad: Any, matrix: Any) -> Any:
    """The upper right block of the exponential of ``[[Aᴴ, G], [0, Aᴴ]]``."""
    n, adjoint = matrix._size_[-1], matrix.mH
    above = joining.cat([adjoint, grad], -1)
    below = joining.cat([creation.zeros_like(grad), adjoint], -1)
    whole = calls.linalg_matrix_exp(joining.cat([above, below], -2))
    return whole.narrow(-2, 0, n).narrow(-1, n, n)
