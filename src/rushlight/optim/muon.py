"""Muon: momentum made orthogonal, for the matrices of hidden layers."""

from __future__ import annotations

import math
from typing import Any

import rushlight
from rushlight.optim.optimizer import Optimizer, as_number, check_at_least

__all__ = ["Muon"]

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_TOO_MANY_STEPS = 100


class Muon(Optimizer):
    """Steps along the nearest orthogonal matrix to the momentum.

    Args:
        params: matrices or groups of them
        lr: the length of a step
        weight_decay: shrinks the parameters themselves
        momentum: how slowly the mean of the gradients forgets
        nesterov: look ahead along the momentum
        ns_coefficients: of the polynomial that is iterated
        eps: keeps the norm from zero
        ns_steps: how often the polynomial is applied
        adjust_lr_fn: how the step depends on the shape: ``"original"`` or ``"match_rms_adamw"``
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = _COEFFICIENTS,
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        check_at_least(0.0, "Learning rate", lr)
        check_at_least(0.0, "momentum", momentum)
        check_at_least(0.0, "weight decay", weight_decay)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.ndim != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{parameter.size()}"
                    )

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        if parameter.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        if grad.is_sparse:
            raise RuntimeError("Muon does not support sparse gradients")
        if not state:
            state["momentum_buffer"] = rushlight.zeros_like(grad)
        momentum, mean = group["momentum"], state["momentum_buffer"]
        mean.lerp_(grad, 1 - momentum)
        change = grad.lerp(mean, momentum) if group["nesterov"] else mean
        change = _orthogonal(change, group["ns_coefficients"], group["ns_steps"], group["eps"])
        lr = as_number(group["lr"])
        parameter.mul_(1 - lr * group["weight_decay"])
        size = lr * _shape_factor(group["adjust_lr_fn"], parameter.shape)
        parameter.add_(change, alpha=-size)


def _shape_factor(adjust: str | None, shape: Any) -> float:
    """How the step depends on the shape of a matrix."""
    rows, columns = shape
    if adjust == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))


def _orthogonal(matrix: Any, coefficients: tuple[float, ...], steps: int, eps: float) -> Any:
    """Singular values brought near to 1 by an odd polynomial applied again and again."""
    if steps >= _TOO_MANY_STEPS:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    linear, cubic, quintic = coefficients
    is_tall = matrix.size(0) > matrix.size(1)
    x = matrix.bfloat16()
    x = x.T if is_tall else x
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        powers = rushlight.addmm(gram, gram, gram, beta=cubic, alpha=quintic)
        x = rushlight.addmm(x, powers, x, beta=linear)
    return x.T if is_tall else x
