"""What the gradient formulas of products of matrices call."""

from __future__ import annotations

import math
from typing import Any

from rushlight.engine.core import dtype as dtypes


def adjoint(matrix: Any) -> Any:
    """A matrix transposed and conjugated."""
    turned = matrix.t()
    return turned.conj() if matrix._dtype_.category == 3 else turned


def first_gradient(grad: Any, self: Any, mat2: Any) -> Any:
    """The gradient of ``self @ mat2`` for ``self``, laid out like it: in columns if it is."""
    if _is_in_columns(self):
        return _conjugate(mat2).mm(grad.t()).t()
    return grad.mm(adjoint(mat2))


def second_gradient(grad: Any, self: Any, mat2: Any) -> Any:
    """The gradient of ``self @ mat2`` for ``mat2``, laid out like it: in columns if it is."""
    if _is_in_columns(mat2):
        return grad.t().mm(_conjugate(self)).t()
    return adjoint(self).mm(grad)


def _is_in_columns(matrix: Any) -> bool:
    """Whether a matrix is the transpose of a contiguous one, and not contiguous itself."""
    (rows, columns), stride = matrix._size_, matrix._stride_
    return stride[0] == 1 and stride[1] == rows and rows != 1 and columns != 1


def matmul_backward(grad: Any, self: Any, other: Any, wanted: Any) -> tuple[Any, Any]:
    """The gradients of a product of any ranks; sums over broadcast dimensions come later."""
    left, right = self, other
    if len(self._size_) == 1:
        left, grad = self.unsqueeze(0), grad.unsqueeze(-2 if len(other._size_) > 1 else -1)
    if len(other._size_) == 1:
        right = other.unsqueeze(-1)
        grad = grad.unsqueeze(-1)
    d_self = d_other = None
    if wanted[0]:
        d_self = grad.matmul(right.mH)
        if len(self._size_) == 1:
            d_self = d_self.reshape(-1, self._size_[0]).sum(0)
    if wanted[1]:
        d_other = left.mH.matmul(grad)
        if len(other._size_) == 1:
            d_other = d_other.reshape(-1, other._size_[0]).sum(0)
    return d_self, d_other


def linear_input_gradient(grad: Any, size: Any, weight: Any) -> Any:
    """The gradient of ``input @ weight.T + bias`` for the input."""
    return _as_rows(grad).mm(_conjugate(weight)).reshape(size)


def linear_weight_gradient(grad: Any, input: Any) -> Any:
    """The gradient of ``input @ weight.T + bias`` for the weight."""
    return _as_rows(grad).t().mm(_conjugate(_as_rows(input)))


def linear_bias_gradient(grad: Any) -> Any:
    """The gradient of ``input @ weight.T + bias`` for the bias."""
    return _as_rows(grad).sum(0)


def _as_rows(x: Any) -> Any:
    if len(x._size_) == 2:
        return x
    return x.reshape(math.prod(x._size_[:-1]), x._size_[-1])


def _conjugate(x: Any) -> Any:
    return x.conj() if x._dtype_.category == dtypes.COMPLEX else x
