"""Optimizers of several processes, which are not there yet."""

from __future__ import annotations

from rushlight._names.absent import absent_class
from rushlight.optim import Optimizer

__all__ = ["ZeroRedundancyOptimizer"]

ZeroRedundancyOptimizer = absent_class(
    __name__, "ZeroRedundancyOptimizer", "training in several processes", Optimizer
)
