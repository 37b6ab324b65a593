"""Who takes part in calls between processes, and how they are made."""

from __future__ import annotations

from dataclasses import field
from datetime import timedelta
from enum import Enum
from typing import Any

from rushlight.engine.native.records import dataclass

DEFAULT_RPC_TIMEOUT_SEC = 60.0
DEFAULT_NUM_WORKER_THREADS = 16


class BackendType(Enum):
    """What carries calls; there is one way."""

    TENSORPIPE = "TENSORPIPE"


@dataclass(frozen=True)
class WorkerInfo:
    """A process that takes part.

    Args:
        name: as it has called itself
        id: its rank
    """

    name: str
    id: int


@dataclass
class RpcBackendOptions:
    """How calls are made.

    Args:
        rpc_timeout: after so many seconds a call has failed; 0 for never
        init_method: where processes find each other
        num_worker_threads: so many calls of others run at once
        device_maps: accepted while it names no device but the CPU
        devices: the same
    """

    rpc_timeout: float = DEFAULT_RPC_TIMEOUT_SEC
    init_method: str = "env://"
    num_worker_threads: int = DEFAULT_NUM_WORKER_THREADS
    device_maps: dict[str, Any] = field(default_factory=dict)
    devices: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        if isinstance(self.rpc_timeout, timedelta):
            self.rpc_timeout = self.rpc_timeout.total_seconds()
        named = [str(d) for d in self.devices]
        named += [
            str(d) for pairs in self.device_maps.values() for pair in pairs.items() for d in pair
        ]
        if any(not name.startswith("cpu") for name in named):
            raise ValueError(f"calls between processes take tensors on the CPU only, got {named}")

    def set_device_map(self, to: str, device_map: dict[Any, Any]) -> None:
        """Say which devices tensors go to."""
        self.device_maps[to] = {**self.device_maps.get(to, {}), **device_map}
        self.__post_init__()

    def set_devices(self, devices: list[Any]) -> None:
        """Say which devices there are."""
        self.devices = list(devices)
        self.__post_init__()


class TensorPipeRpcBackendOptions(RpcBackendOptions):
    """PyTorch's name and order of :class:`RpcBackendOptions`."""

    def __init__(
        self,
        *,
        num_worker_threads: int = DEFAULT_NUM_WORKER_THREADS,
        rpc_timeout: float = DEFAULT_RPC_TIMEOUT_SEC,
        init_method: str = "env://",
        device_maps: dict[str, Any] | None = None,
        devices: list[Any] | None = None,
        _transports: Any = None,
        _channels: Any = None,
    ) -> None:
        super().__init__(
            rpc_timeout, init_method, num_worker_threads, device_maps or {}, devices or []
        )
