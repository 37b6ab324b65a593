"""What becomes of scaled gradients, and of the factor: the steps of `GradScaler` as functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["_amp_foreach_non_finite_check_and_unscale_", "_amp_update_scale_"]


def _amp_foreach_non_finite_check_and_unscale_(
    gradients: Sequence[Any], found_inf: Any, inv_scale: Any
) -> None:
    """Multiply gradients by a number; ``found_inf`` becomes 1 if one of them was not finite."""
    from rushlight.autograd.grad_mode import no_grad

    for name, given in (("found_inf", found_inf), ("inv_scale", inv_scale)):
        if given.numel() != 1:
            raise RuntimeError(f"{name} must be a 1-element tensor.")
    factor = inv_scale.reshape(())
    with no_grad():
        for gradient in gradients:
            # Nobody waits for a device to know it.
            found_inf.masked_fill_(gradient.isfinite().all().logical_not(), 1)
            gradient.mul_(factor)


def _amp_update_scale_(
    scale: Any,
    growth_tracker: Any,
    found_inf: Any,
    scale_growth_factor: float,
    scale_backoff_factor: float,
    growth_interval: int,
) -> Any:
    """Let a factor shrink after gradients that were not finite, or grow after enough that were."""
    if bool(found_inf):
        scale.mul_(scale_backoff_factor)
        growth_tracker.zero_()
        return scale
    growth_tracker.add_(1)
    if int(growth_tracker) == growth_interval:
        grown = scale * scale_growth_factor
        if bool(grown.isfinite().all()):
            scale.copy_(grown)
        growth_tracker.zero_()
    return scale
