"""What the gradient formulas of distances call."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import creation, distances
from rushlight.engine.core import state
from rushlight.engine.ops.reduction.rules import norm_backward


def euclidean_dist_backward(grad: Any, x1: Any, x2: Any, result: Any, wanted: Any) -> Any:
    """Rows are pushed apart; those at the same place are not moved."""
    share = (grad / result).masked_fill(result == 0, 0)

    def pushed(x: Any, others: Any, share: Any) -> Any:
        # A batch may have been repeated.
        return (x * share.sum(-1, True) - share.matmul(others)).sum_to_size(x.shape)

    of_x1 = pushed(x1, x2, share) if wanted[0] else None
    return of_x1, pushed(x2, x1, share.transpose(-2, -1)) if wanted[1] else None


def distances_backward(grad: Any, a: Any, b: Any, p: float, result: Any, wanted: Any) -> Any:
    """By one kernel for each operand, or by operators where the gradient is differentiated itself."""
    if p == 0:
        return tuple(creation.zeros_like(x) if w else None for x, w in zip((a, b), wanted))
    if state.thread.grad_enabled:
        moved = norm_backward(grad, a - b, p, result, [-1], False)
        return (
            moved.sum_to_size(a.shape) if wanted[0] else None,
            -moved.sum_to_size(b.shape) if wanted[1] else None,
        )
    given = grad.unsqueeze(-1), result.unsqueeze(-1)
    of_a = distances._distances_gradient(*given, a, b, p, -2) if wanted[0] else None
    return of_a, distances._distances_gradient(*given, b, a, p, -3) if wanted[1] else None
