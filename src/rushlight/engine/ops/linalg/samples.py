"""Samples of linear algebra: matrices far from singular ones, of complex numbers too."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import linalg as calls
from rushlight.engine.ops.samples import (
    Fixed,
    Samples,
    after,
    first,
    matrices,
    numbers,
    of,
    upto,
)

samples = Samples("linalg")
add = samples.add


def definite(x: Any) -> Any:
    return x.matmul(x.mH) + eye(x)


def eye(x: Any) -> Any:
    return x.detach().new_zeros(x.shape[-1]).add(1).diag_embed()


def hermitian(x: Any) -> Any:
    return x + x.mH


def factor(upper: bool = False) -> Any:
    def of_matrix(x: Any) -> Any:
        return calls.linalg_cholesky_ex(definite(x), upper=upper)[0]

    return of_matrix


def left_columns(x: Any) -> Any:
    return x[..., :2]


def upper_rows(x: Any) -> Any:
    return x[..., :2, :]


def turned(x: Any) -> Any:
    return x.mT


def without_phases(results: Any) -> Any:
    """What is determined of singular vectors: products in which phases cancel."""
    u, s, vh = results
    return u * s.unsqueeze(-2) @ vh * 0.5, s, u @ (s.exp().unsqueeze(-1) * vh)


def of_spectrum(results: Any) -> Any:
    """A function of the matrix, by its eigenvalues."""
    values, vectors = results
    inverse = calls.linalg_inv_ex(vectors)[0]
    return values, (vectors * values.sin().unsqueeze(-2)) @ inverse


def triangle(upper: bool) -> Any:
    def of_matrix(x: Any) -> Any:
        return x.triu(int(not upper)) if upper else x.tril(-1)

    return of_matrix


MATRIX, BATCH, MATRICES = matrices(3, 3), matrices(2, 3, 3), matrices(4, 4)
TALL, WIDE = of(left_columns, MATRIX), of(upper_rows, MATRIX)
for _upper in (False, True):
    _side = "upper" if _upper else ""
    add("linalg_cholesky_ex", of(definite, BATCH), upper=_upper, what=_side, seen=first)
    add("cholesky_inverse", of(factor(_upper), MATRIX), _upper, what=_side)
    add("_cholesky_solve_helper", numbers(2, 3, 2), of(factor(_upper), BATCH), _upper, what=_side)
    add("linalg_solve_triangular", MATRIX, numbers(2, 3, 2), upper=_upper, what=_side)
    add("triangular_solve", numbers(3, 2), of(triangle(_upper), MATRIX), _upper, _upper, not _upper,
        what=_side)  # fmt: skip
add("linalg_solve_triangular", MATRIX, numbers(2, 3), upper=True, left=False, unitriangular=True,
    what="right")  # fmt: skip
add("linalg_lu_factor_ex", BATCH, seen=first)
for _what, _given in (("", MATRIX), ("tall", TALL), ("wide", WIDE)):
    add("linalg_lu", _given, what=_what, seen=after(1))
    add("lu_unpack", of(lambda x: calls.linalg_lu_factor_ex(x)[0], _given),
        of(lambda x: calls.linalg_lu_factor_ex(x)[1], _given), what=_what, seen=after(1))  # fmt: skip
for _left in (True, False):
    for _adjoint in (False, True):
        _what = "" if _left and not _adjoint else f"left={_left} adjoint={_adjoint}"
        add(
            "linalg_lu_solve", of(lambda x: calls.linalg_lu_factor_ex(x)[0], MATRIX),
            of(lambda x: calls.linalg_lu_factor_ex(x)[1], MATRIX),
            numbers(2, 3, 2) if _left else numbers(2, 2, 3), left=_left, adjoint=_adjoint, what=_what,
        )  # fmt: skip
        add("ormqr", numbers(4, 3), numbers(3), numbers(4, 2) if _left else numbers(2, 4), _left,
            _adjoint, what=_what)  # fmt: skip
add("_linalg_solve_ex", BATCH, numbers(2, 3, 2), seen=first)
add("_linalg_solve_ex", BATCH, numbers(2, 3), what="vector", seen=first)
add("_linalg_solve_ex", MATRIX, numbers(2, 3), left=False, what="right", seen=first)
add("linalg_cross", numbers(2, 3), numbers(1, 3))
add("linalg_inv_ex", BATCH, seen=first)
add("linalg_qr", BATCH)
add("linalg_qr", TALL, what="tall")
add("linalg_qr", WIDE, "complete", what="wide")
add("linalg_householder_product", numbers(2, 4, 3), numbers(2, 2))
add("linalg_lstsq", MATRIX, numbers(3, 2), seen=first)
add(
    "linalg_lstsq",
    of(left_columns, MATRICES),
    numbers(4, 2),
    driver="gels",
    what="tall",
    seen=upto(2),
)
add("linalg_pinv.atol_rtol_tensor", of(left_columns, BATCH))
add("linalg_pinv.atol_rtol_tensor", of(hermitian, MATRIX), hermitian=True, what="hermitian")
add("_linalg_svd", BATCH, seen=without_phases)
add("_linalg_svd", TALL, what="tall", seen=without_phases)
add("_linalg_svd", WIDE, what="wide", seen=without_phases)
add("_linalg_svd", TALL, what="values", seen=lambda results: results[1])
add("_linalg_eigh", of(hermitian, BATCH), seen=of_spectrum)
add("_linalg_eigh", of(hermitian, MATRIX), what="values", seen=first)
add("linalg_eig", BATCH, seen=of_spectrum)
add("linalg_eig", MATRIX, what="values", seen=first)
add("_linalg_det", BATCH, seen=first)
add("_linalg_slogdet", BATCH, seen=upto(2))
add("linalg_matrix_exp", BATCH)

samples.operands(
    MATRIX, "linalg_ldl_factor_ex", "linalg_ldl_factor", "_linalg_eigvals", "linalg_solve_ex",
    "linalg_solve", "linalg_inv", "inverse", "linalg_eigvals", "linalg_det", "det", "linalg_slogdet",
    "slogdet", "logdet", "matrix_exp",
)  # fmt: skip
samples.operands(numbers(3), "vander")
samples.operands(numbers(4, 3), "orgqr")
samples.given("orgqr", input2=numbers(3))
for _name in ("linalg_cholesky", "cholesky"):
    add(_name, of(definite, MATRIX))
for _name in ("linalg_eigh", "linalg_eigvalsh"):
    add(_name, of(hermitian, MATRIX), seen=of_spectrum if _name == "linalg_eigh" else None)
add("cholesky_solve", numbers(3, 2), of(factor(), MATRIX))
add("lu_solve", numbers(3, 2), of(lambda x: calls.linalg_lu_factor_ex(x)[0], MATRIX),
    of(lambda x: calls.linalg_lu_factor_ex(x)[1], MATRIX))  # fmt: skip
add("linalg_ldl_solve", of(lambda x: calls.linalg_ldl_factor_ex(hermitian(x))[0], MATRIX),
    of(lambda x: calls.linalg_ldl_factor_ex(hermitian(x))[1], MATRIX), numbers(3, 2))  # fmt: skip
add("linalg_tensorinv", numbers(2, 3, 6))
add("linalg_tensorsolve", numbers(2, 3, 6), numbers(2, 3))
add("linalg_cond.p_str", MATRIX, "fro")
add("_linalg_check_errors", Fixed(0, "int32"), "linalg.inv", is_matrix=True)
