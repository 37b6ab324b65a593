"""What the gradient formulas of the operators' entries call."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import losses

nll_loss, nll_loss2d = losses.nll_loss, losses.nll_loss2d
nll_loss_backward, nll_loss2d_backward = losses.nll_loss_backward, losses.nll_loss2d_backward


def alignment_gradient(grad: Any, log_probs: Any, *rest: Any) -> Any:
    """The gradient of `_ctc_loss` for the scores."""
    return losses._ctc_loss_backward(grad, log_probs, *rest)
