"""Functions of sparse tensors whose gradients are sparse where their arguments are."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import sparse as calls
from rushlight.engine.core import layout as layouts
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.overrides_hook import asking

__all__ = [
    "addmm", "log_softmax", "mm", "sampled_addmm", "softmax", "spdiags", "spsolve", "sum",
]  # fmt: skip


@asking
def mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """The product of two matrices, of which one or both may be sparse.

    That of two sparse ones is sparse, any other dense. A sparse factor gets a gradient at its indices.

    Args:
        mat1: the left factor
        mat2: the right factor
        reduce: what is done with the terms of an element instead of their sum: "mean", "amax",
            "amin" or "prod"; for a compressed ``mat1``
    """
    if reduce is not None:
        return calls._sparse_mm_reduce(mat1, mat2, reduce)
    return calls._sparse_mm(mat1, mat2)


@asking
def addmm(
    mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1.0, alpha: float = 1.0
) -> Tensor:
    """``beta * mat + alpha * (mat1 @ mat2)`` with a sparse ``mat1``, which gets a sparse gradient."""
    return calls._sparse_addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


@asking
def sampled_addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: float = 1.0,
    alpha: float = 1.0,
    out: Tensor | None = None,
) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)`` where the compressed matrix ``input`` has values."""
    made = calls.sparse_sampled_addmm(input, mat1, mat2, beta=beta, alpha=alpha)
    return made if out is None else out.copy_(made)  # type: ignore[attr-defined, no-any-return]


@asking
def sum(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """The sum of a sparse tensor, over all or some dimensions.

    It is sparse while a sparse dimension is left.
    """
    if dtype is None:
        if dim is None:
            return calls._sparse_sum(input)
        return calls._sparse_sum_dim(input, _dims(dim))
    if dim is None:
        return calls._sparse_sum_dtype(input, dtype)
    return calls._sparse_sum_dim_dtype(input, _dims(dim), dtype)


def _dims(dim: Any) -> Any:
    return [dim] if isinstance(dim, int) else list(dim)


@asking
def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Softmax in which what has no value counts as minus infinity."""
    return calls._sparse_softmax_int(input, dim, dtype)


@asking
def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`."""
    return calls._sparse_log_softmax_int(input, dim, dtype)


@asking
def spdiags(
    diagonals: Tensor, offsets: Tensor, shape: Any, layout: layouts.layout | None = None
) -> Tensor:
    """A sparse matrix with rows of ``diagonals`` on its diagonals.

    An element of a row lies in the column that it has in the row; what is outside is left out.

    Args:
        diagonals: the rows, or one of them
        offsets: the diagonal of each row: 0 is the main one, positive ones are above it
        shape: rows and columns of the matrix
        layout: ``sparse_coo`` if not given, ``sparse_csr`` or ``sparse_csc``
    """
    return calls._spdiags(diagonals, offsets, list(shape), layout)


@asking
def spsolve(input: Tensor, other: Tensor, *, left: bool = True) -> Tensor:
    """Refused: it needs a library for factors of sparse matrices, on every device."""
    raise RuntimeError(
        "spsolve: solving with sparse matrices is not supported; `torch.linalg.solve` takes "
        "`input.to_dense()`"
    )
