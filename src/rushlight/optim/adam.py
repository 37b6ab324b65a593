"""Adam, with weight decay in the gradient or apart from it."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.optim._formulas import largest, lerp, sqrt
from rushlight.optim.optimizer import as_number, check_modes, check_positive, new_step, zeros_for
from rushlight.optim.pointwise import PointwiseOptimizer, weight_decay_choices

__all__ = ["Adam", "AdamW"]


class Adam(PointwiseOptimizer):
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
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError(
                "lr as a Tensor is not supported for capturable=False and foreach=True"
            )
        check_positive(lr=lr, eps=eps)
        for index, beta in enumerate(betas):
            if not 0.0 <= as_number(beta) < 1.0:
                raise ValueError(f"Invalid beta parameter at index {index}: {beta}")
        check_positive(weight_decay=weight_decay)
        if isinstance(betas[0], Tensor) != isinstance(betas[1], Tensor):
            raise ValueError("betas must be either both floats or both Tensors")
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_modes(fused, foreach, differentiable)

    def state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        names = ("exp_avg", "exp_avg_sq")
        return (*names, "max_exp_avg_sq") if group["amsgrad"] else names

    def start(self, parameter: Any, grad: Any, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": new_step(), **zeros_for(self.state_names(group), parameter)}

    def choices(self, settings: dict[str, Any], moment: Any) -> dict[str, bool]:
        return {"amsgrad": settings["amsgrad"], **weight_decay_choices(settings)}

    def numbers(self, settings: dict[str, Any], moment: Any) -> dict[str, Any]:
        lr, decay, (beta1, beta2) = settings["lr"], settings["weight_decay"], settings["betas"]
        return {
            "decay": decay,
            "kept": 1 - lr * decay,
            "new_mean": 1 - beta1,
            "old_square": beta2,
            "new_square": 1 - beta2,
            "size": lr / (1 - beta1**moment),
            "root": (1 - beta2**moment) ** 0.5,
            "eps": settings["eps"],
        }

    def update_sparse(self, *unused: Any) -> None:
        raise RuntimeError(
            "Adam does not support sparse gradients, please consider SparseAdam instead"
        )

    @staticmethod
    def formula(o: Any, n: Any, p: Any, g: Any, s: Any) -> Any:
        if o.decays:
            g = g + p * n.decay
        if o.shrinks:
            p = p * n.kept
        s.exp_avg = lerp(s.exp_avg, g, n.new_mean)
        s.exp_avg_sq = s.exp_avg_sq * n.old_square + g * g * n.new_square
        square = s.exp_avg_sq
        if o.amsgrad:
            square = s.max_exp_avg_sq = largest(s.max_exp_avg_sq, square)
        return p - n.size * s.exp_avg / (sqrt(square) / n.root + n.eps)


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
