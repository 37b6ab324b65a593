"""Scaling losses of modules in parts: all devices skip a step if the gradients of one are not finite."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.amp.grad_scaler import GradScaler
from rushlight.distributed import distributed_c10d as dist

__all__ = ["ShardedGradScaler"]


class ShardedGradScaler(GradScaler):
    """A :class:`GradScaler` whose processes agree on which steps are skipped.

    Args:
        device: the kind of device
        init_scale: the first factor
        backoff_factor: what the factor is multiplied by after a step with infinities or NaNs
        growth_factor: what it is multiplied by after ``growth_interval`` finite steps
        growth_interval: how many finite steps it takes to grow
        enabled: whether the scaler does anything
        process_group: the processes; all, if not given
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        backoff_factor: float = 0.5,
        growth_factor: float = 2.0,
        growth_interval: int = 2000,
        enabled: bool = True,
        process_group: Any = None,
    ) -> None:
        super().__init__(
            device,
            init_scale=init_scale,
            growth_factor=growth_factor,
            backoff_factor=backoff_factor,
            growth_interval=growth_interval,
            enabled=enabled,
        )
        self.process_group = process_group

    def unscale_(self, optimizer: Any) -> None:
        """Divide gradients by the factor, and ask all processes whether they are finite."""
        super().unscale_(optimizer)
        if not self._enabled:
            return
        found = torch.tensor(float(self._found_inf[id(optimizer)]))
        dist.all_reduce(found, dist.ReduceOp.MAX, group=self.process_group)
        self._found_inf[id(optimizer)] = bool(found.item())
