"""What the gradient formulas of joining operators call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import creation, joining, view
from rushlight.engine.core import state
from rushlight.engine.ops.dims import wrap_dim


def cat_backward(
    grad: Any, shapes: Sequence[Sequence[int]], complex: Sequence[bool], dim: int
) -> list[Any]:
    """The parts of the gradient, one for each tensor that was joined."""
    parts: list[Any] = []
    start = 0
    dim = wrap_dim(dim, len(grad._size_))
    for shape in shapes:
        if len(shape) == 1 and shape[0] == 0:
            # An empty list counts as having no rows, whatever the others look like.
            parts.append(creation.new_zeros(grad, [0]))
            continue
        parts.append(view.slice_Tensor(grad, dim, start, start + shape[dim], 1))
        start += shape[dim]
    return parts


def stack_backward(grad: Any, dim: int) -> list[Any]:
    if state.thread.grad_enabled:
        # A program may change its gradients in place, which several views of one step do not allow.
        return [
            view.select_int(grad, dim, k)
            for k in range(grad._size_[wrap_dim(dim, len(grad._size_))])
        ]
    return list(view.unbind_int(grad, dim))


def block_diag_backward(grad: Any, shapes: Sequence[Sequence[int]]) -> list[Any]:
    """The parts along the diagonal."""
    parts: list[Any] = []
    row = column = 0
    for shape in shapes:
        height, width = ([1, 1] + list(shape))[-2:]
        part = view.slice_Tensor(grad, 0, row, row + height, 1)
        part = view.slice_Tensor(part, 1, column, column + width, 1)
        parts.append(view.reshape(part, list(shape)))
        row, column = row + height, column + width
    return parts


def constant_pad_backward(grad: Any, pad: Sequence[int]) -> Any:
    """Cut off what was added, and put zeros where something was cut off."""
    return joining.constant_pad_nd(grad, [-n for n in pad], 0)
