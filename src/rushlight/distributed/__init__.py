"""Training in several processes: groups of them, collectives, stores by which they find each other."""

from __future__ import annotations

import importlib
from typing import Any

from rushlight.distributed import constants, distributed_c10d
from rushlight.distributed import rendezvous as _rendezvous
from rushlight.distributed.distributed_c10d import *  # noqa: F403
from rushlight.distributed.distributed_c10d import (
    _all_gather_base,
    _coalescing_manager,
    _CoalescingManager,
    _get_process_group_name,
    _make_nccl_premul_sum,
    _rank_not_in_group,
    _reduce_scatter_base,
    is_available,
)
from rushlight.engine.core.errors import (
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    QueueEmptyError,
)

__all__ = [
    *distributed_c10d.__all__,
    "DeviceMesh",  # noqa: F405
    "DistBackendError",
    "DistError",
    "DistNetworkError",
    "DistStoreError",
    "QueueEmptyError",
    "constants",
    "device_mesh",  # noqa: F405
    "init_device_mesh",  # noqa: F405
    "is_available",
]

# Rooms that are loaded when they are asked for, and names that are in them.
_ROOMS = frozenset({
    "_functional_collectives", "algorithms", "autograd", "checkpoint", "device_mesh", "elastic", "fsdp", "launcher",
    "nn", "optim", "pipelining", "rpc", "run", "tensor", "utils",
})  # fmt: skip
_NAMES = {
    "DeviceMesh": "device_mesh", "init_device_mesh": "device_mesh", "GradBucket": "_reducer", "Reducer": "_reducer",
    "_broadcast_coalesced": "_reducer", "_verify_params_across_processes": "_reducer",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _NAMES:
        return getattr(importlib.import_module(f"{__name__}.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'rushlight.distributed' has no attribute '{name}'")
