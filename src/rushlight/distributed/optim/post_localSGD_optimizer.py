"""An optimizer whose parameters are averaged over processes now and then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rushlight.distributed.algorithms.model_averaging.averagers import ModelAverager
from rushlight.optim import Optimizer

__all__ = ["PostLocalSGDOptimizer"]


class PostLocalSGDOptimizer(Optimizer):
    """Makes the steps of an optimizer, and averages parameters after them.

    Args:
        optim: the optimizer
        averager: knows when
    """

    def __init__(self, optim: Optimizer, averager: ModelAverager) -> None:
        self.optim, self.averager = optim, averager
        self.param_groups = optim.param_groups

    @property
    def state(self) -> Any:  # type: ignore[override]
        """The optimizer's state."""
        return self.optim.state

    def __repr__(self) -> str:
        return repr(self.optim)

    def state_dict(self) -> dict[str, Any]:
        """The optimizer's state, and how many steps were made."""
        return {**self.optim.state_dict(), "step": self.averager.step}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take a state; without a number of steps, counting begins anew.

        Args:
            state_dict: what `state_dict` gave
        """
        self.optim.load_state_dict(state_dict)
        self.param_groups = self.optim.param_groups
        self.averager.step = state_dict.get("step", 0)

    def step(self) -> None:  # type: ignore[override]
        """Make a step."""
        self.optim.step()
        self.averager.average_parameters(self.param_groups)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        self.optim.zero_grad(set_to_none=set_to_none)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters."""
        self.optim.add_param_group(param_group)
