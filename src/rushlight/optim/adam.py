"""Adam, with weight decay in the gradient or apart from it."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.optim.optimizer import Optimizer, as_number, check_positive

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    """Steps scaled by running means of the gradient and of its square.

    Args:
        params: parameters or groups of them
        lr: the length of a step
        betas: how slowly the two means forget
        eps: keeps the divisor from zero
        weight_decay: pulls parameters towards zero
        amsgrad: divide by the largest mean square so far
        maximize: step along the gradient instead
        decoupled_weight_decay: shrink the parameters themselves, as `AdamW` does
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check_positive(lr=lr, eps=eps)
        for index, beta in enumerate(betas):
            if not 0.0 <= as_number(beta) < 1.0:
                raise ValueError(f"Invalid beta parameter at index {index}: {beta}")
        check_positive(weight_decay=weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        if not state:
            state["step"] = rushlight.tensor(0.0)
            state["exp_avg"] = rushlight.zeros_like(parameter)
            state["exp_avg_sq"] = rushlight.zeros_like(parameter)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = rushlight.zeros_like(parameter)
        state["step"] += 1
        step = state["step"].item()
        lr = as_number(group["lr"])
        beta1, beta2 = (as_number(b) for b in group["betas"])
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                parameter.mul_(1 - lr * group["weight_decay"])
            else:
                grad = grad.add(parameter, alpha=group["weight_decay"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad.conj(), value=1 - beta2)
        size = lr / (1 - beta1**step)
        root = (1 - beta2**step) ** 0.5
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            rushlight.maximum(largest, square, out=largest)
            square = largest
        divisor = (square.sqrt() / root).add_(group["eps"])
        parameter.addcdiv_(mean, divisor, value=-size)


class AdamW(Adam):
    """`Adam` with weight decay apart from the gradient."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
            capturable=capturable, differentiable=differentiable, fused=fused,
            decoupled_weight_decay=True,
        )  # fmt: skip
