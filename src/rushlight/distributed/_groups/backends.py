"""Which backends there are, and how one is made for a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, ClassVar, NamedTuple

from rushlight.distributed._groups import backend as backends
from rushlight.distributed._groups.machines import Machine, are_one, connect_by_mpi
from rushlight.distributed._groups.process_group import BackendType, ProcessGroup
from rushlight.distributed._stores.base import Store

__all__ = ["Backend", "BackendConfig", "BackendOptions", "make_backend"]

_DEVICES = ("cpu", "cuda", "xpu", "mps")


class _Plugin(NamedTuple):
    """A program's own backend: what makes it, and whether that wants `BackendOptions`."""

    make: Callable[..., Any]
    extended: bool


class BackendOptions:
    """What makers of backends with the extended interface are told."""

    def __init__(
        self,
        store: Store,
        rank: int,
        size: int,
        timeout: timedelta,
        name: str,
        ranks: Sequence[int],
    ) -> None:
        self.store, self.group_rank, self.group_size = store, rank, size
        self.timeout, self.group_id, self.global_ranks_in_group = timeout, name, list(ranks)


class Backend(str):
    """The name of a backend, in lower case; its attributes are the names that are known.

    Args:
        name: the name
    """

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"
    FAKE = "fake"

    backend_list: ClassVar[list[str]] = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, FAKE]
    default_device_backend_map: ClassVar[dict[str, str]] = {
        "cpu": GLOO, "cuda": NCCL, "xpu": XCCL, "mps": GLOO,
    }  # fmt: skip
    backend_capability: ClassVar[dict[str, list[str]]] = {
        GLOO: ["cpu"], NCCL: ["cuda"], XCCL: ["xpu"], UCC: ["cpu", "cuda"], MPI: ["cpu"],
        FAKE: ["cpu", "cuda", "hpu", "xpu"],
    }  # fmt: skip
    backend_type_map: ClassVar[dict[str, BackendType]] = {
        UNDEFINED: BackendType.UNDEFINED, GLOO: BackendType.GLOO, NCCL: BackendType.NCCL,
        XCCL: BackendType.XCCL, UCC: BackendType.UCC, MPI: BackendType.MPI,
        FAKE: BackendType.CUSTOM,
    }  # fmt: skip
    _plugins: ClassVar[dict[str, _Plugin]] = {}

    def __new__(cls, name: str) -> Backend:
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return super().__new__(cls, name.lower())

    @classmethod
    def register_backend(
        cls,
        name: str,
        func: Callable[..., Any],
        extended_api: bool = False,
        devices: str | list[str] | None = None,
    ) -> None:
        """Make a program's own backend known.

        Args:
            name: what it is called
            func: makes it, of a store, the rank, the number of processes and a time-out
            extended_api: whether it wants `BackendOptions` and the options of the group instead
            devices: the kinds of devices that it serves
        """
        if name != cls.UCC and name.upper() in vars(Backend) and name not in cls._plugins:
            raise AssertionError(f"{name.upper()} c10d backend already exist")
        if name in cls._plugins:
            raise AssertionError(f"{name.upper()} c10d backend creator function already exist")
        known = name.lower()
        setattr(Backend, name.upper(), known)
        cls.backend_list.append(known)
        served = [devices] if isinstance(devices, str) else devices
        if served is None:
            served = ["cpu", "cuda"]
        for device in served:
            if device not in _DEVICES:
                cls.default_device_backend_map[device] = known
        cls.backend_type_map[known] = BackendType.CUSTOM
        cls.backend_capability[known] = list(served)
        cls._plugins[name.upper()] = _Plugin(func, extended_api)


class BackendConfig:
    """The backend of each kind of device.

    Args:
        backend: a backend's name, or pairs such as ``"cpu:gloo,cuda:nccl"``
    """

    def __init__(self, backend: str) -> None:
        self.device_backend_map: dict[str, Backend] = {}
        if backend == Backend.UNDEFINED:
            pairs = dict(Backend.default_device_backend_map)
        elif ":" in backend:
            pairs = {}
            for pair in backend.lower().split(","):
                device, colon, name = pair.partition(":")
                if not colon or not name:
                    raise ValueError(f"Invalid device:backend pairing: {pair}. {_PAIRS}")
                if device in pairs:
                    raise ValueError(f"Duplicate device type {device} in backend string: {backend}")
                pairs[device] = name
        elif backend.lower() in Backend.backend_capability:
            pairs = dict.fromkeys(Backend.backend_capability[backend.lower()], backend)
        else:
            pairs = dict.fromkeys(("cpu", "cuda", "xpu"), backend)
        for device, name in pairs.items():
            self.device_backend_map[device] = Backend(name)

    def __repr__(self) -> str:
        return ",".join(f"{d}:{b}" for d, b in self.device_backend_map.items())

    def get_device_backend_map(self) -> dict[str, Backend]:
        """The backend of each kind of device."""
        return self.device_backend_map


_PAIRS = "The backend string has to be one name, or device:backend pairs separated by commas"

# Backends that need hardware that is not there, or libraries for it.
_ELSEWHERE = {
    Backend.XCCL: "needs Intel's GPUs: use backend='gloo' on one machine, or 'mpi' on several",
    Backend.UCC: "is not there: use backend='gloo' on one machine, or 'mpi' on several",
}


def make_backend(
    name: str,
    group: ProcessGroup,
    told: BackendOptions,
    pg_options: Any = None,
    machines: Sequence[Machine] = (),
) -> Any:
    """The backend of a name for one group.

    Args:
        name: what was asked for
        group: the group
        told: where and who the processes are
        pg_options: the group's options, for a program's own backend
        machines: of all processes, if they are known
    """
    plugin = Backend._plugins.get(name.upper())
    if plugin is not None:
        if plugin.extended:
            return plugin.make(told, pg_options)
        return plugin.make(told.store, told.group_rank, told.group_size, told.timeout)
    if name == Backend.NCCL:
        return _by_nccl(told)
    if name in _ELSEWHERE:
        raise RuntimeError(
            f"Distributed package doesn't have {name} built in: it {_ELSEWHERE[name]}"
        )
    if name == Backend.FAKE:
        from rushlight.distributed._groups.fake import FakeBackend

        return FakeBackend(told.group_rank, told.group_size)
    if name == Backend.MPI:
        return _on_host(_by_mpi(told), name, told)
    if name == Backend.GLOO:
        members = [machines[rank] for rank in told.global_ranks_in_group] if machines else []
        if are_one(members):
            return _on_host(_by_shared_memory(told), name, told)
        ranks, size = told.global_ranks_in_group, len(machines)
        assert told.store is not None
        connect_by_mpi(members, ranks, size, told.group_rank, told.store, told.timeout)
        return _on_host(_by_mpi(told), name, told)
    raise ValueError(f"Unknown backend: {name}. Known are {', '.join(Backend.backend_list)}")


def has_nccl() -> bool:
    """Whether there is a GPU, and NCCL is installed."""
    import rushlight as torch
    from rushlight.engine.cuda import nccl

    return torch.cuda.is_available() and nccl.is_there()


def _by_nccl(told: BackendOptions) -> Any:
    if not has_nccl():
        raise RuntimeError(
            "Distributed package doesn't have nccl built in: it needs NVIDIA's GPUs, and NCCL (pip install "
            "nvidia-nccl-cu12): use backend='gloo' on one machine, or 'mpi' on several"
        )
    from rushlight.distributed._groups.nccl import NCCLBackend

    return NCCLBackend(told.store, told.group_rank, told.group_size, told.timeout)


def _by_mpi(told: BackendOptions) -> Any:
    from rushlight.distributed._groups.mpi import MPITransport

    return MPITransport(told.global_ranks_in_group, told.group_rank)


def _by_shared_memory(told: BackendOptions) -> Any:
    from rushlight.distributed._groups.shared_memory.transport import SharedMemoryTransport

    return SharedMemoryTransport(told.store, told.group_rank, told.group_size, told.timeout)


def _on_host(transport: Any, name: str, told: BackendOptions) -> backends.Backend:
    from rushlight.distributed._groups import detail
    from rushlight.distributed._groups.host_backend import HostBackend

    rank, size = told.group_rank, told.group_size
    made = HostBackend(transport, rank, size, name, told.timeout)
    if detail.get_debug_level() == detail.DebugLevel.DETAIL:
        made.checks = detail.Fingerprints(transport, rank, size, told.timeout)
    return made
