"""Optimizers that scale each step by what they have seen of the gradient."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.optim.optimizer import Optimizer, as_number, check_positive

__all__ = ["Adadelta", "Adagrad", "Adamax", "NAdam", "RAdam", "RMSprop"]


def decayed(grad: Any, parameter: Any, group: dict[str, Any]) -> Any:
    """The gradient with weight decay in it."""
    if group["weight_decay"] == 0:
        return grad
    return grad.add(parameter, alpha=group["weight_decay"])


def check_betas(betas: tuple[Any, Any]) -> None:
    for index, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {beta}")


def shrunk(parameter: Any, grad: Any, group: dict[str, Any], lr: float) -> Any:
    """Weight decay, in the parameter itself or in the gradient that is given back."""
    if group["weight_decay"] != 0 and group["decoupled_weight_decay"]:
        parameter.mul_(1 - lr * group["weight_decay"])
        return grad
    return decayed(grad, parameter, group)


class Adadelta(Optimizer):
    """Steps in proportion to those before, without a rate of its own.

    Args:
        params: parameters or groups of them
        lr: a factor on the step
        rho: how slowly the means forget
        eps: keeps the divisor from zero
        weight_decay: pulls parameters towards zero
    """

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

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        if not state:
            state["step"] = rushlight.tensor(0.0)
            state["square_avg"] = rushlight.zeros_like(parameter)
            state["acc_delta"] = rushlight.zeros_like(parameter)
        state["step"] += 1
        rho, eps = group["rho"], group["eps"]
        grad = decayed(grad, parameter, group)
        square, change = state["square_avg"], state["acc_delta"]
        square.mul_(rho).addcmul_(grad, grad.conj(), value=1 - rho)
        delta = change.add(eps).sqrt_().div_(square.add(eps).sqrt_()).mul_(grad)
        change.mul_(rho).addcmul_(delta, delta.conj(), value=1 - rho)
        parameter.add_(delta, alpha=-as_number(group["lr"]))


class Adagrad(Optimizer):
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
        for group in self.param_groups:
            for parameter in group["params"]:
                start = initial_accumulator_value
                value = complex(start, start) if parameter.is_complex() else start
                self.state[parameter] = {
                    "step": rushlight.tensor(0.0),
                    "sum": rushlight.full_like(parameter, value),
                }

    def share_memory(self) -> None:
        """Move the state to memory that processes share."""
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter]["sum"].share_memory_()

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        state["step"] += 1
        grad = decayed(grad, parameter, group)
        rate = as_number(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        total = state["sum"]
        if parameter.is_complex():
            grad, total, parameter = map(rushlight.view_as_real, (grad, total, parameter))
        total.addcmul_(grad, grad, value=1)
        parameter.addcdiv_(grad, total.sqrt().add_(group["eps"]), value=-rate)


class Adamax(Optimizer):
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

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        if not state:
            state["step"] = rushlight.tensor(0.0)
            state["exp_avg"] = rushlight.zeros_like(parameter)
            state["exp_inf"] = rushlight.zeros_like(parameter)
        state["step"] += 1
        beta1, beta2 = group["betas"]
        grad = decayed(grad, parameter, group)
        mean, largest = state["exp_avg"], state["exp_inf"]
        if parameter.is_complex():
            given = (parameter, grad, mean, largest)
            parameter, grad, mean, largest = map(rushlight.view_as_real, given)
        mean.lerp_(grad, 1 - beta1)
        rushlight.maximum(largest.mul_(beta2), grad.abs().add_(group["eps"]), out=largest)
        size = as_number(group["lr"]) / (1 - beta1 ** state["step"].item())
        parameter.addcdiv_(mean, largest, value=-size)


class NAdam(Optimizer):
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

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        if not state:
            state["step"] = rushlight.tensor(0.0)
            state["mu_product"] = rushlight.ones(())
            state["exp_avg"] = rushlight.zeros_like(parameter)
            state["exp_avg_sq"] = rushlight.zeros_like(parameter)
        state["step"] += 1
        step, lr = state["step"].item(), as_number(group["lr"])
        beta1, beta2 = group["betas"]
        grad = shrunk(parameter, grad, group, lr)
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        if parameter.is_complex():
            given = (parameter, grad, mean, square)
            parameter, grad, mean, square = map(rushlight.view_as_real, given)
        decay = group["momentum_decay"]
        here = beta1 * (1.0 - 0.5 * (0.96 ** (step * decay)))
        ahead = beta1 * (1.0 - 0.5 * (0.96 ** ((step + 1) * decay)))
        product = state["mu_product"]
        product *= here
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        divisor = square.div(1 - beta2**step).sqrt_().add_(group["eps"])
        so_far = product.item()
        parameter.addcdiv_(grad, divisor, value=-lr * (1.0 - here) / (1.0 - so_far))
        parameter.addcdiv_(mean, divisor, value=-lr * ahead / (1.0 - so_far * ahead))


class RAdam(Optimizer):
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

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        if not state:
            state["step"] = rushlight.tensor(0.0)
            state["exp_avg"] = rushlight.zeros_like(parameter)
            state["exp_avg_sq"] = rushlight.zeros_like(parameter)
        state["step"] += 1
        step, lr = state["step"].item(), as_number(group["lr"])
        beta1, beta2 = group["betas"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        if parameter.is_complex():
            given = (parameter, grad, mean, square)
            parameter, grad, mean, square = map(rushlight.view_as_real, given)
        grad = shrunk(parameter, grad, group, lr)
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        corrected = mean / (1 - beta1**step)
        root = 1 - beta2**step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * (beta2**step) / root
        factor: Any = 1.0
        if length > 5.0:
            shape = (length - 4) * (length - 2) * longest
            shape /= (longest - 4) * (longest - 2) * length
            factor = (root**0.5) / square.sqrt().add_(group["eps"]) * shape**0.5
        parameter.add_(corrected * lr * factor, alpha=-1.0)


class RMSprop(Optimizer):
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

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        if not state:
            state["step"] = rushlight.zeros(())
            state["square_avg"] = rushlight.zeros_like(parameter)
            if group["momentum"] > 0:
                state["momentum_buffer"] = rushlight.zeros_like(parameter)
            if group["centered"]:
                state["grad_avg"] = rushlight.zeros_like(parameter)
        state["step"] += 1
        alpha, lr = group["alpha"], as_number(group["lr"])
        grad = decayed(grad, parameter, group)

        def real(x: Any) -> Any:
            return rushlight.view_as_real(x) if x.is_complex() else x

        parameter, grad, square = real(parameter), real(grad), real(state["square_avg"])
        square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        spread = square
        if group["centered"]:
            mean = real(state["grad_avg"])
            mean.lerp_(grad, 1 - alpha)
            spread = square.addcmul(mean, mean, value=-1)
        divisor = spread.sqrt().add_(group["eps"])
        if group["momentum"] > 0:
            buffer = real(state["momentum_buffer"])
            buffer.mul_(group["momentum"]).addcdiv_(grad, divisor)
            parameter.add_(buffer, alpha=-lr)
        else:
            parameter.addcdiv_(grad, divisor, value=-lr)
