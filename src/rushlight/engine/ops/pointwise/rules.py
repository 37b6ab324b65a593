"""What the gradient formulas of pointwise operators call."""

from __future__ import annotations

from math import log as log
from typing import Any

from rushlight.engine.calls import joining
from rushlight.engine.ops.gradients import conj, zeros


def quotient_gradient(grad: Any, other: Any, rounding_mode: str | None) -> Any:
    """Of the dividend; a rounded quotient changes in steps only."""
    return zeros(grad) if rounding_mode else grad / conj(other)


def divisor_gradient(grad: Any, self: Any, other: Any, rounding_mode: str | None) -> Any:
    return zeros(grad) if rounding_mode else -grad * conj(self / other / other)


def glu_backward(grad: Any, self: Any, dim: int) -> Any:
    """The gradients of the half that is let through and of the half that decides how much."""
    value, gate = self.chunk(2, dim)
    open_by = gate.sigmoid()
    passed = grad * open_by
    return joining.cat([passed, passed * value * (1 - open_by)], dim)


def gamma_density(shape: Any, x: Any) -> Any:
    """The density of the gamma distribution, whose distribution function is `igamma`."""
    return ((shape - 1) * x.log() - x - shape.lgamma()).exp()
