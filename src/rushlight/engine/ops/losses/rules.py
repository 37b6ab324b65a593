"""What the gradient formulas of the operators' entries call."""

from rushlight.engine.calls import losses

nll_loss, nll_loss2d = losses.nll_loss, losses.nll_loss2d
nll_loss_backward, nll_loss2d_backward = losses.nll_loss_backward, losses.nll_loss2d_backward
