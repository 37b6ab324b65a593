"""What goes with a call of a `ProcessGroup`, besides tensors."""

from __future__ import annotations

import enum
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from rushlight.distributed._groups.reduce_op import ReduceOp

# Stands for the group's own time-out.
NO_TIMEOUT = timedelta(seconds=-1)


class OpType(enum.IntEnum):
    """Which collective an object is about."""

    BROADCAST = 0
    ALLREDUCE = 1
    ALLREDUCE_COALESCED = 2
    REDUCE = 3
    ALLGATHER = 4
    _ALLGATHER_BASE = 5
    ALLGATHER_COALESCED = 6
    GATHER = 7
    SCATTER = 8
    REDUCE_SCATTER = 9
    ALLTOALL_BASE = 10
    ALLTOALL = 11
    SEND = 12
    RECV = 13
    RECVANYSOURCE = 14
    BARRIER = 15
    _REDUCE_SCATTER_BASE = 16
    COALESCED = 17
    _ALLREDUCE_SPARSE = 18
    REDUCE_SCATTER_TENSOR_COALESCED = 19
    UNKNOWN = 100


class Options:
    """Named values with defaults, which a class lists in `fields`."""

    __slots__ = ("__dict__",)
    fields: dict[str, Any | Callable[[], Any]] = {}

    def __init__(self, **given: Any) -> None:
        self.timeout = NO_TIMEOUT
        # who asks a group itself wants a `Work` that goes on beside what the caller does
        self.asyncOp = True
        for name, default in self.fields.items():
            setattr(self, name, default)
        for name, value in given.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in vars(self).items())})"


class AllreduceOptions(Options):
    """For an all_reduce."""

    fields = {"reduceOp": ReduceOp.SUM, "sparseIndices": None}


class AllreduceCoalescedOptions(AllreduceOptions):
    """For an all_reduce of several tensors."""


class BroadcastOptions(Options):
    """For a broadcast."""

    fields = {"rootRank": 0, "rootTensor": 0}


class ReduceOptions(Options):
    """For a reduce."""

    fields = {"reduceOp": ReduceOp.SUM, "rootRank": 0, "rootTensor": 0}


class AllgatherOptions(Options):
    """For an all_gather."""


class GatherOptions(Options):
    """For a gather."""

    fields = {"rootRank": 0}


class ScatterOptions(Options):
    """For a scatter."""

    fields = {"rootRank": 0}


class ReduceScatterOptions(Options):
    """For a reduce_scatter."""

    fields = {"reduceOp": ReduceOp.SUM}


class AllToAllOptions(Options):
    """For an all_to_all."""


class BarrierOptions(Options):
    """For a barrier."""

    fields = {"device": None, "device_ids": ()}
