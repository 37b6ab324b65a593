"""What the gradient formulas of products of matrices call."""

from __future__ import annotations

from typing import Any


def adjoint(matrix: Any) -> Any:
    """A matrix transposed and conjugated."""
    turned = matrix.t()
    return turned.conj() if matrix._dtype.category == 3 else turned


def matmul_backward(grad: Any, self: Any, other: Any, wanted: Any) -> tuple[Any, Any]:
    """The gradients of a product of any ranks; sums over broadcast dimensions come later."""
    left, right = self, other
    if len(self._size) == 1:
        left, grad = self.unsqueeze(0), grad.unsqueeze(-2 if len(other._size) > 1 else -1)
    if len(other._size) == 1:
        right = other.unsqueeze(-1)
        grad = grad.unsqueeze(-1)
    d_self = d_other = None
    if wanted[0]:
        d_self = grad.matmul(right.mH)
        if len(self._size) == 1:
            d_self = d_self.reshape(-1, self._size[0]).sum(0)
    if wanted[1]:
        d_other = left.mH.matmul(grad)
        if len(other._size) == 1:
            d_other = d_other.reshape(-1, other._size[0]).sum(0)
    return d_self, d_other


def linear_backward(grad: Any, input: Any, weight: Any, wanted: Any) -> tuple[Any, Any, Any]:
    """The gradients of ``input @ weight.T + bias``."""
    rows, inputs = grad, input
    if len(grad._size) != 2:
        rows = grad.reshape(-1, weight._size[0])
        inputs = input.reshape(-1, weight._size[1])
    complex = grad._dtype.category == 3
    d_input = d_weight = d_bias = None
    if wanted[0]:
        d_input = rows.mm(weight.conj() if complex else weight)
        if len(grad._size) != 2:
            d_input = d_input.reshape(input._size)
    if wanted[1]:
        d_weight = rows.t().mm(inputs.conj() if complex else inputs)
    if wanted[2]:
        d_bias = rows.sum(0)
    return d_input, d_weight, d_bias
