"""Where the loops that a thread plans will run: on the host, or on a device that has its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import keys, state
from rushlight.engine.core.tensor import Tensor

# What plans loops for a type of device, from the device and the operator's name.
planners: dict[str, Callable[[devices.device, str], Any]] = {}


class planning:
    """A block in which this thread's loops are planned by something for a device; None is the host."""

    __slots__ = ("_planner", "_previous")

    def __init__(self, planner: Any) -> None:
        self._planner = planner

    def __enter__(self) -> None:
        self._previous = state.thread.planner
        state.thread.planner = self._planner
        if self._planner is not None:
            # Keys of calls do not tell: a remembered one would make what it makes on the host.
            state.busy(+1)

    def __exit__(self, *exception: object) -> None:
        state.thread.planner = self._previous
        if self._planner is not None:
            state.busy(-1)


def planned_for(tensor: Tensor, name: str) -> Any:
    """A block in which loops are planned for the device that a tensor has its elements on."""
    where = tensor._storage_.device
    if where is devices.cpu or where.type not in planners or tensor._keys_ & keys.META:
        return contextlib.nullcontext()
    return planning(planners[where.type](where, name))
