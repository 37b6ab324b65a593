"""Adam for sparse gradients."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.optim.adaptive import check_betas
from rushlight.optim.optimizer import Optimizer, check_positive, with_values, zeros_for

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """`Adam` that changes only the elements that a sparse gradient names.

    Means of elements that have no gradient stay as they are, too.

    Args:
        params: parameters or groups of them
        lr: the length of a step
        betas: how slowly the two means forget
        eps: keeps the divisor from zero
        maximize: step along the gradient instead
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_positive(lr=lr)
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        defaults = {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize}
        super().__init__(params, defaults)
        sparse_ones = self._places(lambda parameter: parameter.is_sparse)
        if sparse_ones:
            raise ValueError(
                f"Sparse params at indices {sparse_ones}: SparseAdam requires dense parameter "
                "tensors"
            )
        complex_ones = self._places(lambda parameter: parameter.is_complex())
        if complex_ones:
            raise ValueError(
                f"Complex params at indices {complex_ones}: SparseAdam does not support complex "
                "parameters"
            )

    def _places(self, is_wrong: Callable[[Any], bool]) -> list[list[int]]:
        """Where parameters of a kind are: the number of the group and the one in it."""
        return [
            [g, p]
            for g, group in enumerate(self.param_groups)
            for p, parameter in enumerate(group["params"])
            if is_wrong(parameter)
        ]

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        if not grad.is_sparse:
            raise RuntimeError(
                "SparseAdam does not support dense gradients, please consider Adam instead"
            )
        if not state:
            state.update(step=0, **zeros_for(("exp_avg", "exp_avg_sq"), parameter))
        state["step"] += 1
        grad = grad.coalesce()
        values = grad.values()
        if not values.numel():
            return
        first, second = group["betas"]
        mean = _moved(state["exp_avg"], grad, values, first)
        spread = _moved(state["exp_avg_sq"], grad, values.pow(2), second)
        count = state["step"]
        rate = group["lr"] * math.sqrt(1 - second**count) / (1 - first**count)
        parameter.add_(with_values(grad, -rate * mean.div_(spread.sqrt_().add_(group["eps"]))))


def _moved(mean: Any, grad: Any, values: Any, beta: float) -> Any:
    """Move the elements of a mean that have a gradient towards the values; what they are now."""
    before = mean.sparse_mask(grad).values()
    change = values.sub(before).mul_(1 - beta)
    mean.add_(with_values(grad, change))
    return change + before
