"""What linear algebra does with a batch: it takes any number of dimensions in front of its matrices."""

from __future__ import annotations

from rushlight.engine.calls import linalg
from rushlight.engine.ops.batching import batched, derive, filled, rank
from rushlight.engine.ops.view.batching import Result, Values

derive(
    "leading",
    [
        "linalg_cholesky_ex", "cholesky_inverse", "linalg_lu_factor_ex", "linalg_lu", "lu_unpack",
        "linalg_ldl_factor_ex", "geqrf", "linalg_householder_product", "ormqr", "linalg_qr",
        "linalg_inv_ex", "linalg_lstsq", "_linalg_svd", "_linalg_eigh", "linalg_eig",
        "_linalg_eigvals", "_linalg_det", "_linalg_slogdet", "linalg_matrix_exp",
    ],
)  # fmt: skip
derive("leading, aligned", ["linalg_lu_solve", "linalg_ldl_solve", "linalg_solve_triangular", "triangular_solve", "_cholesky_solve_helper"])  # fmt: skip


@batched("_linalg_solve_ex")
def solve(size: int, values: Values, dims: Values) -> Result:
    a, b, left, check = values
    # Right-hand sides may be vectors, one for each matrix.
    is_vector = rank(b, dims[1]) == 1 or (
        rank(a, dims[0]) - 1 == rank(b, dims[1])
        and [n for k, n in enumerate(b._size_) if k != dims[1]]
        == [n for k, n in enumerate(a._size_) if k != dims[0]][:-1]
    )
    matrices, sides = filled(a, dims[0], size), filled(b, dims[1], size)
    from rushlight.engine.calls import view

    if is_vector:
        sides = view.unsqueeze(sides, -1)
    while len(sides._size_) < len(matrices._size_):
        sides = view.unsqueeze(sides, 1)
    while len(matrices._size_) < len(sides._size_):
        matrices = view.unsqueeze(matrices, 1)
    result, *rest = linalg._linalg_solve_ex(matrices, sides, left, check)
    if is_vector:
        result = view.squeeze_dim(result, -1)
    return (result, *rest), 0
