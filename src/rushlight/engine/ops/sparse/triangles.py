"""Systems of equations with sparse triangular matrices."""

from __future__ import annotations

from rushlight.engine.calls import linalg
from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.sparse import device_products, walks
from rushlight.engine.ops.sparse.conversion import dense_of
from rushlight.engine.ops.sparse.parts import for_compressed, indices_of, is_sparse, values_of
from rushlight.engine.ops.sparse.products import lines_of

_BY_ROWS = (layouts.sparse_csr, layouts.sparse_bsr)


@for_compressed("triangular_solve")
def triangular_solve(
    self: Tensor, A: Tensor, upper: bool, transpose: bool, unitriangular: bool
) -> tuple[Tensor, Tensor]:
    """What is outside the triangle counts for nothing; the copy of the matrix is an empty tensor, as in PyTorch."""
    # What checks is loaded with linear algebra.
    from rushlight.engine.ops.linalg.solvers import check_triangle

    if is_sparse(self) or sparse_tensors.layout_of(A) not in _BY_ROWS:
        raise ValueError("triangular_solve: unsupported sparse layout.")
    check_triangle(self, A)
    if max(len(self._size_), len(A._size_)) > 2:
        raise RuntimeError(
            f"triangular_solve: a sparse matrix solves for one matrix, but b has the size {list(self._size_)} and A "
            f"the size {list(A._size_)}"
        )
    made = _solved(self, A, upper, transpose, unitriangular)
    return made, creation.empty_memory_format((0,), self._dtype_, None, self._storage_.device)


def _solved(b: Tensor, a: Tensor, upper: bool, transpose: bool, unit: bool) -> Tensor:
    if not b._numel_:
        return copies.clone(b, layouts.contiguous_format)
    found = device_products.solved(a, b, upper, transpose, unit)
    if found is not None:
        return found
    if not walks.have_code_for(b):
        return linalg.triangular_solve(b, dense_of(a, None, None), upper, transpose, unit)[0]  # type: ignore[no-any-return]
    if not transpose:
        return walks.solve_triangle(lines_of(a), b, upper, unit)
    # The transposed matrix has the other triangle.
    rows, columns = views.unbind_int(indices_of(a), 0)
    lines = walks.in_lines(columns, rows, values_of(a), (a._size_[1], a._size_[0]))
    return walks.solve_triangle(lines, b, not upper, unit)
