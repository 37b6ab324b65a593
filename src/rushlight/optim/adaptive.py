"""Optimizers that scale each step by what they have seen of the gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight.optim._formulas import largest, lerp, sqrt, where
from rushlight.optim.optimizer import (
    as_number,
    check_modes,
    check_positive,
    new_step,
    with_values,
    zeros_for,
)
from rushlight.optim.pointwise import PointwiseOptimizer, count_steps, weight_decay_choices

__all__ = ["Adadelta", "Adagrad", "Adamax", "NAdam", "RAdam", "RMSprop"]


def check_betas(betas: tuple[Any, Any]) -> None:
    for index, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {beta}")


class Adadelta(PointwiseOptimizer):
    """Steps in proportion to those before, without a rate of its own.

    Args:
        params: parameters or groups of them
        lr: a factor on the step
        rho: how slowly the means forget
        eps: keeps the divisor from zero
        weight_decay: pulls parameters towards zero
    """

    capturable_devices = ("cuda", "xpu", "hpu", "privateuseone")

    def __init__(
        self, params: Any, lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6,
        weight_decay: float = 0, foreach: bool | None = None, *, capturable: bool = False,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_positive(lr=lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_positive(eps=eps, weight_decay=weight_decay)
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("square_avg", "acc_delta")

    def start(self, parameter: Any, grad: Any, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": new_step(), **zeros_for(self.state_names(group), parameter)}

    def numbers(self, settings: dict[str, Any], moment: Any) -> dict[str, Any]:
        names = {"lr": "lr", "rho": "rho", "eps": "eps", "decay": "weight_decay"}
        return {"new": 1 - settings["rho"], **{k: settings[v] for k, v in names.items()}}

    @staticmethod
    def formula(o: Any, n: Any, p: Any, g: Any, s: Any) -> Any:
        if o.decays:
            g = g + p * n.decay
        s.square_avg = s.square_avg * n.rho + g * g * n.new
        delta = sqrt(s.acc_delta + n.eps) / sqrt(s.square_avg + n.eps) * g
        s.acc_delta = s.acc_delta * n.rho + delta * delta * n.new
        return p - delta * n.lr


class Adagrad(PointwiseOptimizer):
    """Steps divided by the root of the sum of all squares so far.

    Args:
        params: parameters or groups of them
        lr: the length of a step
        lr_decay: how the length shrinks with the number of steps
        weight_decay: pulls parameters towards zero
        initial_accumulator_value: where the sum begins
        eps: keeps the divisor from zero
    """

    def __init__(
        self, params: Any, lr: Any = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_positive(
            lr=lr, lr_decay=lr_decay, weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value, eps=eps,
        )  # fmt: skip
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_modes(fused, foreach, differentiable)
        for group in self.param_groups:
            for parameter in group["params"]:
                start = initial_accumulator_value
                value = complex(start, start) if parameter.is_complex() else start
                self.state[parameter] = {
                    "step": new_step(),
                    "sum": rushlight.full_like(parameter, value),
                }

    def share_memory(self) -> None:
        """Move the state to memory that processes share."""
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter]["sum"].share_memory_()

    def state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("sum",)

    def numbers(self, settings: dict[str, Any], moment: Any) -> dict[str, Any]:
        rate = settings["lr"] / (1 + (moment - 1) * settings["lr_decay"])
        return {"rate": rate, "eps": settings["eps"], "decay": settings["weight_decay"]}

    def update_sparse(
        self,
        parameter: Any,
        grad: Any,
        state: dict[str, Any],
        settings: dict[str, Any],
        moment: Any,
    ) -> None:
        if settings["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        grad = grad.coalesce()
        values = grad.values()
        total = state["sum"].add_(with_values(grad, values * values))
        spread = total.sparse_mask(grad).values().sqrt_().add_(settings["eps"])
        rate = settings["lr"] / (1 + (moment - 1) * settings["lr_decay"])
        parameter.add_(with_values(grad, values / spread), alpha=-rate)

    @staticmethod
    def formula(o: Any, n: Any, p: Any, g: Any, s: Any) -> Any:
        if o.decays:
            g = g + p * n.decay
        s.sum = s.sum + g * g
        return p - n.rate * g / (sqrt(s.sum) + n.eps)


class Adamax(PointwiseOptimizer):
    """`Adam` with the largest gradient in place of the mean square.

    Args:
        params: parameters or groups of them
        lr: the length of a step
        betas: how slowly the mean and the largest forget
        eps: keeps the divisor from zero
        weight_decay: pulls parameters towards zero
    """

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        check_positive(lr=lr, eps=eps)
        check_betas(betas)
        check_positive(weight_decay=weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
            "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_inf")

    def start(self, parameter: Any, grad: Any, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": new_step(), **zeros_for(self.state_names(group), parameter)}

    def numbers(self, settings: dict[str, Any], moment: Any) -> dict[str, Any]:
        beta1, beta2 = settings["betas"]
        return {
            "decay": settings["weight_decay"],
            "new_mean": 1 - beta1,
            "old_largest": beta2,
            "eps": settings["eps"],
            "size": settings["lr"] / (1 - beta1**moment),
        }

    @staticmethod
    def formula(o: Any, n: Any, p: Any, g: Any, s: Any) -> Any:
        if o.decays:
            g = g + p * n.decay
        s.exp_avg = lerp(s.exp_avg, g, n.new_mean)
        s.exp_inf = largest(s.exp_inf * n.old_largest, abs(g) + n.eps)
        return p - n.size * s.exp_avg / s.exp_inf


class NAdam(PointwiseOptimizer):
    """`Adam` that looks ahead along its momentum.

    Args:
        params: parameters or groups of them
        lr: the length of a step
        betas: how slowly the two means forget
        eps: keeps the divisor from zero
        weight_decay: pulls parameters towards zero
        momentum_decay: how the momentum grows with the number of steps
        decoupled_weight_decay: shrink the parameters themselves
    """

    capturable_parts = "params, mu_products and state_steps"

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_positive(lr=lr, eps=eps)
        check_betas(betas)
        check_positive(weight_decay=weight_decay, momentum_decay=momentum_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq")

    def start(self, parameter: Any, grad: Any, group: dict[str, Any]) -> dict[str, Any]:
        zeros = zeros_for(self.state_names(group), parameter)
        return {"step": new_step(), "mu_product": new_step() + 1, **zeros}

    def moments(
        self, group: dict[str, Any], states: list[dict[str, Any]], fresh: list[bool]
    ) -> Sequence[Any]:
        steps = count_steps(states, group)
        for step, state in zip(steps, states):
            state["mu_product"] *= _momentum(group, step)
        products = [state["mu_product"] for state in states]
        if not group["capturable"]:
            products = [as_number(x) for x in products]
        return list(zip(steps, products))

    def choices(self, settings: dict[str, Any], moment: Any) -> dict[str, bool]:
        return weight_decay_choices(settings)

    def numbers(self, settings: dict[str, Any], moment: Any) -> dict[str, Any]:
        (step, product), (beta1, beta2) = moment, settings["betas"]
        lr, decay = settings["lr"], settings["weight_decay"]
        here, ahead = _momentum(settings, step), _momentum(settings, step + 1)
        return {
            "decay": decay,
            "kept": 1 - lr * decay,
            "new_mean": 1 - beta1,
            "old_square": beta2,
            "new_square": 1 - beta2,
            "correction": 1 - beta2**step,
            "eps": settings["eps"],
            "along_gradient": lr * (1.0 - here) / (1.0 - product),
            "along_mean": lr * ahead / (1.0 - product * ahead),
        }

    @staticmethod
    def formula(o: Any, n: Any, p: Any, g: Any, s: Any) -> Any:
        if o.decays:
            g = g + p * n.decay
        if o.shrinks:
            p = p * n.kept
        s.exp_avg = lerp(s.exp_avg, g, n.new_mean)
        s.exp_avg_sq = s.exp_avg_sq * n.old_square + g * g * n.new_square
        divisor = sqrt(s.exp_avg_sq / n.correction) + n.eps
        p = p - n.along_gradient * g / divisor
        return p - n.along_mean * s.exp_avg / divisor


def _momentum(settings: dict[str, Any], step: float) -> Any:
    """How much of the mean counts at a step."""
    return settings["betas"][0] * (1.0 - 0.5 * 0.96 ** (step * settings["momentum_decay"]))


class RAdam(PointwiseOptimizer):
    """`Adam` that scales steps only when its means have seen enough.

    Args:
        params: parameters or groups of them
        lr: the length of a step
        betas: how slowly the two means forget
        eps: keeps the divisor from zero
        weight_decay: pulls parameters towards zero
        decoupled_weight_decay: shrink the parameters themselves
    """

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, decoupled_weight_decay: bool = False, *,
        foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_positive(lr=lr, eps=eps)
        check_betas(betas)
        check_positive(weight_decay=weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq")

    def start(self, parameter: Any, grad: Any, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": new_step(), **zeros_for(self.state_names(group), parameter)}

    def choices(self, settings: dict[str, Any], moment: Any) -> dict[str, bool]:
        is_open = bool(settings["capturable"])
        has_seen_enough = is_open or _variance_length(settings["betas"][1], moment)[0] > 5.0
        choices = {"scales": has_seen_enough, "is_open": is_open}
        return {**choices, **weight_decay_choices(settings)}

    def numbers(self, settings: dict[str, Any], moment: Any) -> dict[str, Any]:
        lr, decay, (beta1, beta2) = settings["lr"], settings["weight_decay"], settings["betas"]
        length, longest = _variance_length(beta2, moment)
        scale: Any = 1.0
        if settings["capturable"] or length > 5.0:
            shape = (length - 4) * (length - 2) * longest
            shape = shape / ((longest - 4) * (longest - 2) * length)
            scale = shape**0.5 * (1 - beta2**moment) ** 0.5
        return {
            "decay": decay,
            "kept": 1 - lr * decay,
            "new_mean": 1 - beta1,
            "old_square": beta2,
            "new_square": 1 - beta2,
            "eps": settings["eps"],
            "correction": 1 - beta1**moment,
            "lr": lr,
            "scale": scale,
            "length": length,
        }

    @staticmethod
    def formula(o: Any, n: Any, p: Any, g: Any, s: Any) -> Any:
        if o.decays:
            g = g + p * n.decay
        if o.shrinks:
            p = p * n.kept
        s.exp_avg = lerp(s.exp_avg, g, n.new_mean)
        s.exp_avg_sq = s.exp_avg_sq * n.old_square + g * g * n.new_square
        step = s.exp_avg / n.correction * n.lr
        if o.scales:
            scaled = step * (n.scale / (sqrt(s.exp_avg_sq) + n.eps))
            # Where the step is not known, each element asks whether enough has been seen.
            step = where(n.length > 5.0, scaled, step) if o.is_open else scaled
        return p - step


def _variance_length(beta2: Any, step: float) -> tuple[Any, Any]:
    """How many gradients the mean square stands for, now and in the end."""
    longest = 2 / (1 - beta2) - 1
    return longest - 2 * step * beta2**step / (1 - beta2**step), longest


class RMSprop(PointwiseOptimizer):
    """Steps divided by the root of a running mean of squares.

    Args:
        params: parameters or groups of them
        lr: the length of a step
        alpha: how slowly the mean forgets
        eps: keeps the divisor from zero
        weight_decay: pulls parameters towards zero
        momentum: how much of the last step goes on
        centered: divide by the deviation instead of the mean square
    """

    def __init__(
        self, params: Any, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
        weight_decay: float = 0, momentum: float = 0, centered: bool = False,
        capturable: bool = False, foreach: bool | None = None, maximize: bool = False,
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_positive(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        names: tuple[str, ...] = ("square_avg",)
        if group["momentum"] > 0:
            names += ("momentum_buffer",)
        return (*names, "grad_avg") if group["centered"] else names

    def start(self, parameter: Any, grad: Any, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": new_step(), **zeros_for(self.state_names(group), parameter)}

    def choices(self, settings: dict[str, Any], moment: Any) -> dict[str, bool]:
        return {
            "decays": settings["weight_decay"] != 0,
            "has_momentum": settings["momentum"] > 0,
            "centered": settings["centered"],
        }

    def numbers(self, settings: dict[str, Any], moment: Any) -> dict[str, Any]:
        names = ("lr", "alpha", "eps", "momentum")
        fresh = {"new": 1 - settings["alpha"], "decay": settings["weight_decay"]}
        return {**fresh, **{name: settings[name] for name in names}}

    @staticmethod
    def formula(o: Any, n: Any, p: Any, g: Any, s: Any) -> Any:
        if o.decays:
            g = g + p * n.decay
        s.square_avg = s.square_avg * n.alpha + g * g * n.new
        spread = s.square_avg
        if o.centered:
            s.grad_avg = lerp(s.grad_avg, g, n.new)
            spread = spread - s.grad_avg * s.grad_avg
        divisor = sqrt(spread) + n.eps
        if not o.has_momentum:
            return p - n.lr * g / divisor
        s.momentum_buffer = s.momentum_buffer * n.momentum + g / divisor
        return p - s.momentum_buffer * n.lr
