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
    """What moves the first rows of all pairs, and the second ones the other way."""
    if p == 0:
        return tuple(creation.zeros_like(x) if w else None for x, w in zip((a, b), wanted))
    of_a = _moved(grad, a, b, p, result) if wanted[0] else None
    return of_a, _moved(grad, b, a, p, result) if wanted[1] else None


def _moved(grad: Any, a: Any, b: Any, p: float, result: Any) -> Any:
    """By one kernel where each row is in several pairs along one dimension; else by operators.

    These are also what differentiates.
    """
    repeated = _repeated(a.shape, b.shape)
    if state.thread.grad_enabled or len(repeated) != 1:
        return norm_backward(grad, a - b, p, result, [-1], False).sum_to_size(a.shape)
    given = grad.unsqueeze(-1), result.unsqueeze(-1), a, b
    return distances._distances_gradient(*given, p, repeated[0])


def _repeated(size: Any, other: Any) -> list[int]:
    """The dimensions, from the end, along which a tensor is repeated for another one."""
    if len(size) != len(other):
        return []
    return [d for d in range(-len(size), -1) if size[d] == 1 != other[d]]
