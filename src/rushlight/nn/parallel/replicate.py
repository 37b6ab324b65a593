"""Copies of a network on several devices, whose gradients arrive at the network itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight._utils import _get_device_index
from rushlight.nn.parallel import comm
from rushlight.nn.parallel._devices import has_accelerator
from rushlight.nn.parallel._functions import Broadcast

__all__ = ["replicate"]


def replicate(network: Any, devices: Sequence[Any], detach: bool = False) -> list[Any]:
    """The network for each device.

    Args:
        network: the module
        devices: numbers or names
        detach: whether no gradients come back
    """
    if not devices:
        return []
    if not has_accelerator("replicate", devices):
        return [network for _ in devices]
    numbers = [_get_device_index(d, True) for d in devices]
    wanted: list[Any] = list(network.parameters())
    other: list[Any] = []
    for buffer in network.buffers():
        (wanted if buffer.requires_grad else other).append(buffer)
    # Tensors are compared by what they are, not by their elements.
    copies = [
        {id(t): c for t, c in zip((*wanted, *other), (*one, *rest))}
        for one, rest in zip(_copied(wanted, numbers, detach), _copied(other, numbers, True))
    ]
    return [_replica(network, own) for own in copies]


def _copied(tensors: list[Any], devices: list[int], detach: bool) -> list[list[Any]]:
    """A list of copies for each device."""
    if not tensors:
        return [[] for _ in devices]
    if detach:
        return [[x.detach() for x in own] for own in comm.broadcast_coalesced(tensors, devices)]
    made, count = Broadcast.apply(devices, *tensors), len(tensors)
    return [list(made[k : k + count]) for k in range(0, len(made), count)]


def _replica(network: Any, copies: dict[int, Any]) -> Any:
    """The network with copies in the place of its parameters and buffers."""
    modules = list(network.modules())
    made = {id(m): m._replicate_for_data_parallel() for m in modules}
    for module in modules:
        replica = made[id(module)]
        replica._former_parameters = {}
        for name, child in module._modules.items():
            replica._modules[name] = None if child is None else made[id(child)]
        for name, parameter in module._parameters.items():
            if parameter is None:
                replica._parameters[name] = None
            else:
                # No leaf any more, so no parameter.
                setattr(replica, name, copies[id(parameter)])
                replica._former_parameters[name] = copies[id(parameter)]
        for name, buffer in module._buffers.items():
            replica._buffers[name] = None if buffer is None else copies[id(buffer)]
    return made[id(network)]
