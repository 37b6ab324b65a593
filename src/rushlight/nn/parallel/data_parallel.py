"""Batches divided over the devices of one process, each with a copy of the network."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight import _utils
from rushlight._utils import _get_device_index
from rushlight.nn.modules.module import Module
from rushlight.nn.parallel._devices import check_is_on, first_of, has_accelerator
from rushlight.nn.parallel.parallel_apply import parallel_apply
from rushlight.nn.parallel.replicate import replicate
from rushlight.nn.parallel.scatter_gather import gather, scatter_kwargs

__all__ = ["DataParallel", "data_parallel"]

# Devices with less than this share of the largest one's memory or processors hold the others up.
_ALIKE = 0.75


def _warn_if_uneven(devices: Sequence[int]) -> None:
    """Warn of a device that has much less of something than another one."""
    found = _utils._get_devices_properties(devices)
    for what in ("total_memory", "multi_processor_count"):
        amounts = [getattr(facts, what) for facts in found]
        least, most = min(amounts), max(amounts)
        if least < _ALIKE * most:
            warnings.warn(
                f"There is an imbalance between your GPUs: GPU {devices[amounts.index(least)]} has less than 75% of the "
                f"memory or cores of GPU {devices[amounts.index(most)]}. The argument device_ids, or CUDA_VISIBLE_DEVICES in "
                "the environment, can leave it out.", stacklevel=3,
            )  # fmt: skip
            return


def _chosen(device_ids: Any, output_device: Any) -> tuple[list[int], int]:
    """The numbers of the devices, and of the one for results."""
    ids = _utils._get_all_device_indices() if device_ids is None else device_ids
    if not ids:
        raise RuntimeError("no available devices were found")
    numbers = [_get_device_index(d, True) for d in ids]
    return numbers, _get_device_index(ids[0] if output_device is None else output_device, True)


class DataParallel(Module):
    """Calls copies of a module on several devices at once, each with a part of the batch.

    Gradients of the copies are summed in the module. Without an accelerator it is the module that is called.

    Args:
        module: what to call; it is on the first device
        device_ids: the devices; all that are there if None
        output_device: where results go; the first device if None
        dim: the dimension along which inputs are divided
    """

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module, self.dim = module, dim
        self.device_ids: list[int] = []
        if not has_accelerator("DataParallel", device_ids or ()):
            return
        self.device_ids, self.output_device = _chosen(device_ids, output_device)
        self.src_device_obj = first_of(self.device_ids)
        _warn_if_uneven(self.device_ids)
        if len(self.device_ids) == 1:
            self.module.to(self.src_device_obj)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's result."""
        if not self.device_ids:
            return self.module(*inputs, **kwargs)
        check_is_on(self.module, self.src_device_obj)
        given, named = self.scatter(inputs, kwargs, self.device_ids)
        if not given and not named:
            given, named = ((),), ({},)
        if len(self.device_ids) == 1:
            return self.module(*given[0], **named[0])
        replicas = self.replicate(self.module, self.device_ids[: len(given)])
        return self.gather(self.parallel_apply(replicas, given, named), self.output_device)

    def replicate(self, module: Any, device_ids: Sequence[Any]) -> list[Any]:
        """The copies."""
        return replicate(module, device_ids, not torch.is_grad_enabled())

    def scatter(self, inputs: Any, kwargs: Any, device_ids: Sequence[Any]) -> Any:
        """The arguments of each copy."""
        return scatter_kwargs(inputs, kwargs, device_ids, dim=self.dim)

    def parallel_apply(self, replicas: Sequence[Any], inputs: Any, kwargs: Any) -> list[Any]:
        """The copies' results."""
        return parallel_apply(replicas, inputs, kwargs, self.device_ids[: len(replicas)])

    def gather(self, outputs: Any, output_device: Any) -> Any:
        """The results as one."""
        return gather(outputs, output_device, dim=self.dim)


def data_parallel(
    module: Any, inputs: Any, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:  # fmt: skip
    """A module's result, made by copies of it on several devices.

    Args:
        module: what to call; it is on the first device
        inputs: its arguments, or its only one
        device_ids: the devices; all that are there if None
        output_device: where the result goes; the first device if None
        dim: the dimension along which inputs are divided
        module_kwargs: its named arguments
    """
    given = inputs if isinstance(inputs, tuple) else (() if inputs is None else (inputs,))
    if not has_accelerator("data_parallel", device_ids or ()):
        return module(*given, **(module_kwargs or {}))
    numbers, target = _chosen(device_ids, output_device)
    check_is_on(module, first_of(numbers))
    parts, named = scatter_kwargs(given, module_kwargs, numbers, dim)
    if not parts and not named:
        parts, named = ((),), ({},)
    if len(numbers) == 1:
        return module(*parts[0], **named[0])
    used = numbers[: len(parts)]
    outputs = parallel_apply(replicate(module, used), parts, named, used)
    return gather(outputs, target, dim)
