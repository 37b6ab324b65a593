"""Batch normalisation, also over several processes."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.nn.modules.lazy import LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    _BatchNorm,
    _PerChannel,
)

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d",
    "LazyBatchNorm3d", "SyncBatchNorm",
]  # fmt: skip

_NormBase = _PerChannel


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation by the statistics of all processes; of this one, if it is alone."""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool = True, track_running_stats: bool = True, process_group: Any = None,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:  # type: ignore[attr-defined]
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")  # type: ignore[attr-defined]
        if input.size(1) == 0:  # type: ignore[attr-defined]
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    def forward(self, input: Tensor) -> Tensor:
        """Normalise by the statistics of all processes while training."""
        group = self._group() if self.training or not self.track_running_stats else None
        if group is None:
            return super().forward(input)
        self._check_input_dim(input)
        from rushlight.nn.modules._functions import SyncBatchNorm as normalise

        factor = self.momentum or 0.0
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        running = (
            (self.running_mean, self.running_var)
            if self.training and self.track_running_stats
            else (None, None)
        )
        made: Tensor = normalise.apply(
            input, self.weight, self.bias, *running, self.eps, factor, group
        )
        return made

    def _group(self) -> Any:
        """The processes, if there are several."""
        import sys

        if "rushlight.distributed" not in sys.modules:
            return None
        from rushlight.distributed._groups.world import world

        if world.default is None:
            return None
        group = world.member(self.process_group).group
        return group if group.size() > 1 else None

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Any:
        """A network with this class in place of all batch norms; parameters are taken over."""
        made: Any = module
        if isinstance(module, _BatchNorm):
            made = cls(
                module.num_features, module.eps, module.momentum, module.affine,
                module.track_running_stats, process_group,
            )  # fmt: skip
            if module.affine:
                made.weight, made.bias = module.weight, module.bias
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                setattr(made, name, getattr(module, name))
            made.training = module.training
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made
