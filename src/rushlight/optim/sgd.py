"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight.optim.optimizer import check_modes, check_positive
from rushlight.optim.pointwise import PointwiseOptimizer

__all__ = ["SGD"]


class SGD(PointwiseOptimizer):
    """Steps against the gradient, with momentum.

    Args:
        params: parameters or groups of them
        lr: the length of a step
        momentum: how much of the last step goes on
        dampening: how little of the gradient counts beside the momentum
        weight_decay: pulls parameters towards zero
        nesterov: look ahead along the momentum
        maximize: step along the gradient instead
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_positive(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_modes(fused, foreach, differentiable)

    def state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("momentum_buffer",) if group["momentum"] != 0 else ()

    def start(self, parameter: Any, grad: Any, group: dict[str, Any]) -> dict[str, Any]:
        return {"momentum_buffer": rushlight.zeros_like(grad)}

    def moments(
        self, group: dict[str, Any], states: list[dict[str, Any]], fresh: list[bool]
    ) -> Sequence[Any]:
        return fresh

    def choices(self, settings: dict[str, Any], moment: Any) -> dict[str, bool]:
        return {
            "decays": settings["weight_decay"] != 0,
            "has_momentum": settings["momentum"] != 0,
            "nesterov": settings["nesterov"],
        }

    def numbers(self, settings: dict[str, Any], moment: Any) -> dict[str, Any]:
        # The first gradient is taken as it is.
        taken = 1.0 if moment else 1 - settings["dampening"]
        return {
            "lr": settings["lr"],
            "decay": settings["weight_decay"],
            "momentum": settings["momentum"],
            "taken": taken,
        }

    def update_sparse(
        self,
        parameter: Any,
        grad: Any,
        state: dict[str, Any],
        settings: dict[str, Any],
        moment: Any,
    ) -> None:
        if settings["weight_decay"] != 0:
            grad = grad.add(parameter, alpha=settings["weight_decay"])
        if settings["momentum"] != 0:
            # In order, so that the buffer has each index once, however many steps there are.
            grad, held = grad.coalesce(), state["momentum_buffer"]
            taken = 1.0 if moment else 1 - settings["dampening"]
            held.mul_(settings["momentum"]).add_(grad, alpha=taken)
            grad = grad.add(held, alpha=settings["momentum"]) if settings["nesterov"] else held
        parameter.add_(grad, alpha=-settings["lr"])

    @staticmethod
    def formula(o: Any, n: Any, p: Any, g: Any, s: Any) -> Any:
        if o.decays:
            g = g + p * n.decay
        if o.has_momentum:
            s.momentum_buffer = s.momentum_buffer * n.momentum + g * n.taken
            g = g + s.momentum_buffer * n.momentum if o.nesterov else s.momentum_buffer
        return p - g * n.lr
