"""What the gradient formulas of samples call."""

from __future__ import annotations

from typing import Any


def dropout_backward(grad: Any, mask: Any, p: float, train: bool | None) -> Any:
    """What was kept was scaled up, so its gradient is too."""
    if train is False:
        return grad
    return grad * mask * (0.0 if p == 1 else 1 / (1 - p))


def dropout_backward_backward(grad: Any, mask: Any, scale: float) -> Any:
    return grad * mask * scale
