"""What the gradient formulas of the operators' entries call."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import networks as calls


def alignment_gradient(grad: Any, log_probs: Any, *rest: Any) -> Any:
    """The gradient of `_ctc_loss` for the scores."""
    return calls._ctc_loss_backward(grad, log_probs, *rest)
