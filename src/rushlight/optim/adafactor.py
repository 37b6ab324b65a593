"""Adafactor: the squares of a matrix's gradients kept as one row and one column."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.optim.optimizer import Optimizer, as_number, check_at_least, new_step

__all__ = ["Adafactor"]


class Adafactor(Optimizer):
    """Steps relative to the size of a parameter, scaled by factored mean squares.

    Args:
        params: parameters or groups of them
        lr: the largest relative step
        beta2_decay: with which power of the step the means forget less
        eps: keeps the divisor from zero, and the step of small parameters
        d: how much larger than usual an update may be
        weight_decay: pulls parameters towards zero
        maximize: step along the gradient instead
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_at_least(0.0, "Learning rate", lr)
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None:
            check_at_least(0.0, "epsilon1", eps[0])
        check_at_least(0.0, "epsilon2", eps[1])
        check_at_least(1.0, "Clipping threshold d", d)
        check_at_least(0.0, "weight_decay", weight_decay)
        defaults = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        if parameter.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        if grad.is_sparse:
            raise RuntimeError("Adafactor does not support sparse gradients")
        if not state:
            state.update(_begin(grad))
        state["step"] += 1
        step, lr = as_number(state["step"]), as_number(group["lr"])
        tiny, small = group["eps"]
        if tiny is None:
            tiny = rushlight.finfo(parameter.dtype).eps
        relative = min(lr, 1 / step**0.5)
        size = max(small, _root_mean_square(parameter)) * relative
        if group["weight_decay"] != 0:
            parameter.mul_(1 - lr * group["weight_decay"])
        spread = _mean_squares(grad, state, step ** group["beta2_decay"], tiny)
        change = grad * spread.clamp_(min=tiny * tiny).rsqrt_()
        excess = max(1.0, _root_mean_square(change) / group["d"])
        parameter.add_(change, alpha=-size / excess)


def _begin(grad: Any) -> dict[str, Any]:
    state: dict[str, Any] = {"step": new_step()}
    if grad.dim() < 2:
        state["variance"] = rushlight.zeros_like(grad)
        return state
    *batch, rows, columns = grad.shape
    state["row_var"] = grad.new_zeros((*batch, rows, 1))
    state["col_var"] = grad.new_zeros((*batch, 1, columns))
    return state


def _root_mean_square(tensor: Any) -> float:
    found: float = tensor.norm(2).item() / tensor.numel() ** 0.5
    return found


def _mean_squares(grad: Any, state: dict[str, Any], weight: float, tiny: float) -> Any:
    """Take the gradient into the means, and give an estimate of the mean square of each element."""
    if grad.dim() < 2:
        return state["variance"].lerp_(grad * grad, weight).clone()
    rows, columns = state["row_var"], state["col_var"]
    for means, dim in ((rows, -1), (columns, -2)):
        total = rushlight.norm(grad, dim=dim, keepdim=True).square_()
        means.lerp_(total.div_(grad.size(dim)), weight)
    return (rows @ columns).div_(rows.mean(dim=-2, keepdim=True).clamp_(min=tiny))
