"""Networks that several processes train, which are not there yet."""

from __future__ import annotations

from rushlight._names.absent import absent_class
from rushlight.nn.modules.module import Module

__all__ = ["DistributedDataParallel"]

DistributedDataParallel = absent_class(
    __name__, "DistributedDataParallel", "training in several processes", Module
)
