"""Parameters averaged over processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import rushlight as torch
from rushlight.distributed._groups.options import AllreduceOptions
from rushlight.distributed._groups.world import GroupMember, world

__all__ = [
    "average_parameters",
    "average_parameters_or_parameter_groups",
    "get_params_to_average",
]


def average_parameters(params: Iterator[torch.Tensor], process_group: Any) -> None:
    """Average parameters over a group, in place.

    Args:
        params: the parameters
        process_group: the processes; None for all
    """
    if process_group == GroupMember.NON_GROUP_MEMBER:
        return
    group = world.member(process_group).group
    kept = [p.data for p in params]
    if not kept:
        return
    flat = torch.cat([p.reshape(-1) for p in kept]) / group.size()
    group.allreduce([flat], AllreduceOptions(asyncOp=False)).wait()
    for p, part in zip(kept, flat.split([p.numel() for p in kept])):
        p.copy_(part.view(p.shape))


def get_params_to_average(params: Iterable[Any]) -> list[torch.Tensor]:
    """The parameters that have gradients, of a list of parameters or of groups of an optimizer."""
    found = []
    for entry in params:
        if isinstance(entry, torch.nn.Parameter):
            every = [entry]
        elif isinstance(entry, dict):
            every = entry["params"]
        else:
            raise NotImplementedError(f"Parameter input of type {type(entry)} is not supported")
        found += [p for p in every if p.grad is not None]
    return found


def average_parameters_or_parameter_groups(params: Iterable[Any], process_group: Any) -> None:
    """Average the parameters that have gradients."""
    average_parameters(iter(get_params_to_average(params)), process_group)
