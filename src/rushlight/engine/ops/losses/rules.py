"""What the gradient formulas of the operators' entries call."""

from rushlight.engine.generated.calls.losses import (
    nll_loss,
    nll_loss2d,
    nll_loss2d_backward,
    nll_loss_backward,
)

__all__ = ["nll_loss", "nll_loss2d", "nll_loss2d_backward", "nll_loss_backward"]
