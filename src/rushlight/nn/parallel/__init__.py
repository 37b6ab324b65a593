"""Networks over several devices, of which there is one: the CPU."""

from __future__ import annotations

from typing import Any

from rushlight.nn.modules.module import Module
from rushlight.nn.parallel.distributed import DistributedDataParallel
from rushlight.nn.parallel.one_device import data_parallel, parallel_apply, replicate
from rushlight.nn.parallel.scatter_gather import gather, scatter

__all__ = [
    "DataParallel",
    "DistributedDataParallel",
    "data_parallel",
    "gather",
    "parallel_apply",
    "replicate",
    "scatter",
]


class DataParallel(Module):
    """Calls a module; with one device there is nothing to divide.

    Args:
        module: what to call
        device_ids: the devices; none but the CPU are there
        output_device: where results go
        dim: the dimension along which inputs would be divided
    """

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        if device_ids:
            raise NotImplementedError(f"DataParallel over devices {list(device_ids)}")
        self.module = module
        self.device_ids: list[Any] = []
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's result."""
        return self.module(*inputs, **kwargs)
