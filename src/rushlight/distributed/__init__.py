"""Training in several processes, which is not there."""

from __future__ import annotations

from typing import NoReturn

from rushlight.distributed import device_mesh, distributed_c10d
from rushlight.distributed.distributed_c10d import *  # noqa: F403
from rushlight.engine.core.errors import (
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    QueueEmptyError,
)

__all__ = [
    *distributed_c10d.__all__,
    "DistBackendError",
    "DistError",
    "DistNetworkError",
    "DistStoreError",
    "QueueEmptyError",
    "device_mesh",
    "is_available",
    "is_initialized",
]


def is_available() -> bool:
    return False


def is_initialized() -> bool:
    return False


is_torchelastic_launched = is_nccl_available = is_gloo_available = is_mpi_available = is_available


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(
        f"module 'rushlight.distributed' has no attribute '{name}': there is no distributed package "
        "(torch.distributed.is_available() is False)"
    )
