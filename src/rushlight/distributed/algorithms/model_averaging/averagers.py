"""When to average parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from rushlight.distributed._groups.world import world
from rushlight.distributed.algorithms.model_averaging import utils

__all__ = ["ModelAverager", "PeriodicModelAverager"]


class ModelAverager(ABC):
    """Averages parameters over a group.

    Args:
        process_group: the processes; None for all
    """

    def __init__(self, process_group: Any = None) -> None:
        self.process_group = world.member(process_group).group
        self.step = 0

    @abstractmethod
    def average_parameters(self, params: Iterable[Any]) -> None:
        """Average parameters if it is time to."""


class PeriodicModelAverager(ModelAverager):
    """Averages parameters every so many steps.

    Args:
        period: how many steps
        warmup_steps: how many steps before the first
        process_group: the processes; None for all
    """

    def __init__(self, period: int, warmup_steps: int = 0, process_group: Any = None) -> None:
        super().__init__(process_group)
        if warmup_steps < 0:
            raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
        if period < 1:
            raise ValueError("Arg ``period`` must be a positive value.")
        self.period, self.warmup_steps = period, warmup_steps

    def average_parameters(self, params: Iterable[Any]) -> None:
        """Count a step, and average parameters if it is time to."""
        since = self.step - self.warmup_steps
        if since >= 0 and since % self.period == 0:
            utils.average_parameters_or_parameter_groups(params, self.process_group)
        self.step += 1
