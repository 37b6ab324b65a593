"""Averaged gradient descent, and steps by sign alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight.optim._formulas import between, sign, where
from rushlight.optim.optimizer import as_number, check_positive, new_step
from rushlight.optim.pointwise import PointwiseOptimizer, count_steps

__all__ = ["ASGD", "Rprop"]


class ASGD(PointwiseOptimizer):
    """Gradient descent that also keeps the mean of the parameters.

    Args:
        params: parameters or groups of them
        lr: the length of a step
        lambd: how fast the length shrinks
        alpha: the power with which it does
        t0: the step from which on parameters are averaged
        weight_decay: pulls parameters towards zero
    """

    capturable_parts = "params, mus, etas, and state_steps"

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

    def state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("ax",)

    def start(self, parameter: Any, grad: Any, group: dict[str, Any]) -> dict[str, Any]:
        step = new_step()
        return {
            "step": step,
            "eta": rushlight.full_like(step, as_number(group["lr"])),
            "mu": rushlight.ones_like(step),
            "ax": rushlight.zeros_like(parameter),
        }

    def moments(
        self, group: dict[str, Any], states: list[dict[str, Any]], fresh: list[bool]
    ) -> Sequence[Any]:
        steps = count_steps(states, group)
        if group["capturable"]:
            return [(step, state["eta"], state["mu"]) for step, state in zip(steps, states)]
        return [
            (step, as_number(state["eta"]), as_number(state["mu"]))
            for step, state in zip(steps, states)
        ]

    def choices(self, settings: dict[str, Any], moment: Any) -> dict[str, bool]:
        return {
            "decays": settings["weight_decay"] != 0,
            "averages": settings["capturable"] or moment[2] != 1,
        }

    def numbers(self, settings: dict[str, Any], moment: Any) -> dict[str, Any]:
        _, eta, mu = moment
        kept = 1 - settings["lambd"] * eta
        return {"decay": settings["weight_decay"], "kept": kept, "eta": eta, "mu": mu}

    @staticmethod
    def formula(o: Any, n: Any, p: Any, g: Any, s: Any) -> Any:
        if o.decays:
            g = g + p * n.decay
        p = p * n.kept - g * n.eta
        s.ax = s.ax + (p - s.ax) * n.mu if o.averages else p
        return p

    def finish(
        self, group: dict[str, Any], states: list[dict[str, Any]], moments: Sequence[Any]
    ) -> None:
        lr = group["lr"] if group["capturable"] else as_number(group["lr"])
        for state, (step, _, _) in zip(states, moments):
            state["eta"].fill_(lr / ((1 + group["lambd"] * lr * step) ** group["alpha"]))
            behind = step - group["t0"]
            behind = behind.clamp(min=1) if group["capturable"] else max(1, behind)
            state["mu"].fill_(1 / behind)


class Rprop(PointwiseOptimizer):
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

    def state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("prev", "step_size")

    def start(self, parameter: Any, grad: Any, group: dict[str, Any]) -> dict[str, Any]:
        lr = as_number(group["lr"])
        size = rushlight.full_like(parameter, complex(lr, lr) if parameter.is_complex() else lr)
        return {"step": new_step(), "prev": rushlight.zeros_like(parameter), "step_size": size}

    def choices(self, settings: dict[str, Any], moment: Any) -> dict[str, bool]:
        return {}

    def numbers(self, settings: dict[str, Any], moment: Any) -> dict[str, Any]:
        (shrinks, grows), (shortest, longest) = settings["etas"], settings["step_sizes"]
        return {"shrinks": shrinks, "grows": grows, "shortest": shortest, "longest": longest}

    @staticmethod
    def formula(o: Any, n: Any, p: Any, g: Any, s: Any) -> Any:
        turn = g * s.prev
        size = where(turn < 0, s.step_size * n.shrinks, s.step_size)
        size = where(turn > 0, s.step_size * n.grows, size)
        s.step_size = between(size, n.shortest, n.longest)
        s.prev = where(turn < 0, 0.0, g)
        return p - sign(s.prev) * s.step_size
