"""What the gradient formulas of `derivatives.yaml` call."""

from __future__ import annotations

from typing import Any

from rushlight.engine.dispatch import call_cache
from rushlight.engine.generated.calls import losses as calls

# The gradients of the two for the scores, as calls that are repeated.
likelihood_gradient, image_likelihood_gradient = (
    call_cache.public_function(kernel.__name__, kernel)
    for kernel in (calls.nll_loss_backward, calls.nll_loss2d_backward)
)


def likelihood_of_gradient(grad: Any, *rest: Any) -> Any:
    """The gradient of `nll_loss_backward` for that of the losses: the losses of a gradient."""
    return calls.nll_loss(grad, *rest)


def image_likelihood_of_gradient(grad: Any, *rest: Any) -> Any:
    """The gradient of `nll_loss2d_backward` for that of the losses."""
    return calls.nll_loss2d(grad, *rest)
