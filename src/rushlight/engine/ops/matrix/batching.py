"""What matrix products do with a batch: a product of batches takes any dimensions in front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import matrix, pointwise, view
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.batching import batched, front, padded, rank

Values = Sequence[Any]
Result = tuple[Any, Any]


def check_ranks(name: str, values: Values, dims: Values, wanted: tuple[int, int]) -> None:
    found = tuple(rank(x, dim) for x, dim in zip(values, dims))
    if found != wanted:
        raise RuntimeError(
            f"Shape mismatch: Got incorrect dims for {name}(a, b). a has dim {found[0]}and b has dim "
            f"{found[1]}but expected them to have dim {wanted[0]} and dim {wanted[1]}"
        )


def product(a: Tensor, a_dim: int | None, b: Tensor, b_dim: int | None, size: int) -> Tensor:
    """The matrix product of each element, or of what all share; the batch comes first."""
    a, b = front(a, a_dim), front(b, b_dim)
    if a_dim is None and b_dim is None:
        return matrix.matmul(a, b)
    if a_dim is not None and b_dim is not None and len(a._size_) == len(b._size_) == 3:
        return matrix.bmm(a, b)
    return matrix.matmul(a, b)


@batched("mm")
def mm(size: int, values: Values, dims: Values) -> Result:
    a, b = values
    check_ranks("mm", values, dims, (2, 2))
    return product(a, dims[0], b, dims[1], size), 0


@batched("bmm")
def bmm(size: int, values: Values, dims: Values) -> Result:
    a, b = values
    check_ranks("bmm", values, dims, (3, 3))
    return product(a, dims[0], b, dims[1], size), 0


@batched("mv")
def mv(size: int, values: Values, dims: Values) -> Result:
    a, b = values
    check_ranks("mv", values, dims, (2, 1))
    if dims[1] is None:
        return matrix.matmul(front(a, dims[0]), b), 0
    if dims[0] is None:
        # One matrix for all vectors, which are the rows of another.
        return matrix.matmul(front(b, dims[1]), view.t(a)), 0
    column = view.unsqueeze(front(b, dims[1]), -1)
    return view.squeeze_dim(product(a, dims[0], column, 0, size), -1), 0


@batched("dot")
def dot(size: int, values: Values, dims: Values) -> Result:
    a, b = values
    check_ranks("dot", values, dims, (1, 1))
    if dims[0] is None or dims[1] is None:
        shared, each, dim = (a, b, dims[1]) if dims[0] is None else (b, a, dims[0])
        return matrix.matmul(front(each, dim), shared), 0
    row, column = view.unsqueeze(front(a, dims[0]), 1), view.unsqueeze(front(b, dims[1]), 2)
    return view.view(matrix.bmm(row, column), [size]), 0


@batched("vdot")
def vdot(size: int, values: Values, dims: Values) -> Result:
    return dot(size, [view.conj(values[0]), values[1]], dims)


def _some(dims: Values) -> bool:
    return any(dim is not None for dim in dims)


def _mv(size: int, a: Tensor, b: Tensor, dims: Values) -> Tensor:
    return mv(size, [a, b], dims)[0] if _some(dims) else matrix.mv(a, b)


def _added(
    size: int, shared: tuple[Any, Any], made: Tensor, beta: Any, alpha: Any, batch: bool
) -> Result:
    """``beta * shared + alpha * made``; what is not counted is not looked at."""
    if not batch:
        made = view.unsqueeze(made, 0)
        made = view.expand(made, [size, *made._size_[1:]])
    if alpha != 1:
        made = pointwise.mul_Scalar(made, alpha)
    if beta == 0:
        return made, 0
    x = padded(*shared, len(made._size_) - 1)
    if beta != 1:
        x = pointwise.mul_Scalar(x, beta)
    return pointwise.add_Tensor(x, made, 1), 0


@batched("addmm")
def addmm(size: int, values: Values, dims: Values) -> Result:
    x, a, b, beta, alpha = values
    made = mm(size, [a, b], dims[1:3])[0]
    return _added(size, (x, dims[0]), made, beta, alpha, _some(dims[1:3]))


@batched("baddbmm")
def baddbmm(size: int, values: Values, dims: Values) -> Result:
    x, a, b, beta, alpha = values
    return _added(
        size, (x, dims[0]), bmm(size, [a, b], dims[1:3])[0], beta, alpha, _some(dims[1:3])
    )


@batched("addmv")
def addmv(size: int, values: Values, dims: Values) -> Result:
    x, a, b, beta, alpha = values
    return _added(size, (x, dims[0]), _mv(size, a, b, dims[1:3]), beta, alpha, _some(dims[1:3]))


@batched("addr")
def addr(size: int, values: Values, dims: Values) -> Result:
    x, a, b, beta, alpha = values
    a_rank, b_rank = rank(a, dims[1]), rank(b, dims[2])
    if a_rank != 1 or b_rank != 1:
        raise RuntimeError(f"addr: Expected 1-D argument vec1, but got {a_rank}-D" if a_rank != 1 else f"addr: Expected 1-D argument vec2, but got {b_rank}-D")  # fmt: skip
    column = view.unsqueeze(front(a, dims[1]), -1)
    row = view.unsqueeze(front(b, dims[2]), -2)
    return _added(
        size, (x, dims[0]), pointwise.mul_Tensor(column, row), beta, alpha, _some(dims[1:3])
    )
