"""Averaged gradient descent, and steps by sign alone."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.optim.adaptive import decayed
from rushlight.optim.optimizer import Optimizer, as_number, check_positive

__all__ = ["ASGD", "Rprop"]


class ASGD(Optimizer):
    """Gradient descent that also keeps the mean of the parameters.

    Args:
        params: parameters or groups of them
        lr: the length of a step
        lambd: how fast the length shrinks
        alpha: the power with which it does
        t0: the step from which on parameters are averaged
        weight_decay: pulls parameters towards zero
    """

    def __init__(
        self, params: Any, lr: Any = 1e-2, lambd: float = 1e-4, alpha: float = 0.75,
        t0: float = 1e6, weight_decay: float = 0, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        check_positive(lr=lr, weight_decay=weight_decay)
        defaults = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
            "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        lr = as_number(group["lr"])
        if not state:
            state["step"] = rushlight.zeros(())
            state["eta"] = rushlight.as_tensor(lr, dtype=rushlight.float32).clone()
            state["mu"] = rushlight.ones(())
            state["ax"] = rushlight.zeros_like(parameter)
        mean = state["ax"]
        if parameter.is_complex():
            parameter, grad, mean = map(rushlight.view_as_real, (parameter, grad, mean))
        state["step"] += 1
        step, eta = state["step"].item(), state["eta"].item()
        grad = decayed(grad, parameter, group)
        parameter.mul_(1 - group["lambd"] * eta).add_(grad, alpha=-eta)
        mu = state["mu"].item()
        if mu != 1:
            mean.add_(parameter.sub(mean).mul_(mu))
        else:
            mean.copy_(parameter)
        state["eta"].fill_(lr / ((1 + group["lambd"] * lr * step) ** group["alpha"]))
        state["mu"].fill_(1 / max(1, step - group["t0"]))


class Rprop(Optimizer):
    """Steps by the sign of the gradient, longer while it stays and shorter when it turns.

    Args:
        params: parameters or groups of them
        lr: the first step
        etas: by how much steps shrink and grow
        step_sizes: the shortest and the longest step
    """

    def __init__(
        self, params: Any, lr: Any = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False,
        foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_positive(lr=lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        if not state:
            state["step"] = rushlight.zeros(())
            state["prev"] = rushlight.zeros_like(parameter)
            lr = as_number(group["lr"])
            value = complex(lr, lr) if parameter.is_complex() else lr
            state["step_size"] = rushlight.full_like(grad, value)
        state["step"] += 1
        before, size = state["prev"], state["step_size"]
        if parameter.is_complex():
            given = (grad, before, parameter, size)
            grad, before, parameter, size = map(rushlight.view_as_real, given)
        shrinks, grows = group["etas"]
        turn = grad.mul(before).sign()
        factor = turn.new_ones(()).expand_as(turn)
        factor = rushlight.where(turn > 0, factor * grows, factor)
        factor = rushlight.where(turn < 0, factor * shrinks, factor)
        size.mul_(factor).clamp_(*group["step_sizes"])
        grad = grad.masked_fill(turn < 0, 0)
        parameter.addcmul_(grad.sign(), size, value=-1)
        before.copy_(grad)
