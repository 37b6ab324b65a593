"""What the gradient formulas of `derivatives.yaml` call."""

from __future__ import annotations

from typing import Any

from rushlight.engine.generated.calls import losses as calls


def likelihood_gradient(*args: Any) -> Any:
    """The gradient of `nll_loss_forward` for the scores."""
    return calls.nll_loss_backward(*args)


def likelihood_of_gradient(grad: Any, *rest: Any) -> Any:
    """The gradient of `nll_loss_backward` for that of the losses: the losses of a gradient."""
    return calls.nll_loss(grad, *rest)


def image_likelihood_gradient(*args: Any) -> Any:
    """The gradient of `nll_loss2d_forward` for the scores."""
    return calls.nll_loss2d_backward(*args)


def image_likelihood_of_gradient(grad: Any, *rest: Any) -> Any:
    """The gradient of `nll_loss2d_backward` for that of the losses."""
    return calls.nll_loss2d(grad, *rest)
