"""What the gradient formulas of `derivatives.yaml` call."""

from rushlight.engine.generated.calls.losses import (
    nll_loss,
    nll_loss2d,
    nll_loss2d_backward,
    nll_loss_backward,
)

__all__ = ["nll_loss", "nll_loss2d", "nll_loss2d_backward", "nll_loss_backward"]
