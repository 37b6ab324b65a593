"""Adam for sparse gradients."""

from __future__ import annotations

from typing import Any

from rushlight.optim.adaptive import check_betas
from rushlight.optim.optimizer import Optimizer, check_positive

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """`Adam` that changes only the elements that a sparse gradient names.

    There are no sparse tensors yet, so that every gradient is a dense one, which it refuses.

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
        complex_ones = [
            [g, p]
            for g, group in enumerate(self.param_groups)
            for p, parameter in enumerate(group["params"])
            if parameter.is_complex()
        ]
        if complex_ones:
            raise ValueError(
                f"Complex params at indices {complex_ones}: SparseAdam does not support complex "
                "parameters"
            )

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        raise RuntimeError(
            "SparseAdam does not support dense gradients, please consider Adam instead"
        )
