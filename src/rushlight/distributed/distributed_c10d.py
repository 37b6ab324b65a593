"""Groups of processes and their collectives, under the name of PyTorch's file."""

from __future__ import annotations

from typing import Any

from rushlight.distributed._groups.backends import Backend, BackendConfig, has_nccl
from rushlight.distributed._groups.calls import *  # noqa: F403
from rushlight.distributed._groups.calls import (  # noqa: F401
    P2POp,
    _all_gather_base,
    _coalescing_manager,
    _CoalescingManager,
    _reduce_scatter_base,
)
from rushlight.distributed._groups.detail import (
    DebugLevel,
    get_debug_level,
    set_debug_level,
    set_debug_level_from_env,
)
from rushlight.distributed._groups.membership import *  # noqa: F403
from rushlight.distributed._groups.objects import *  # noqa: F403
from rushlight.distributed._groups.objects import (  # noqa: F401
    _object_to_tensor,
    _tensor_to_object,
)
from rushlight.distributed._groups.options import (
    AllgatherOptions,
    AllreduceCoalescedOptions,
    AllreduceOptions,
    AllToAllOptions,
    BarrierOptions,
    BroadcastOptions,
    GatherOptions,
    OpType,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
)
from rushlight.distributed._groups.process_group import ProcessGroup
from rushlight.distributed._groups.reduce_op import ReduceOp, premultiplied
from rushlight.distributed._groups.work import Work
from rushlight.distributed._groups.world import GroupMember, group, world
from rushlight.distributed._stores.base import PrefixStore, Store
from rushlight.distributed._stores.file import FileStore
from rushlight.distributed._stores.table import HashStore
from rushlight.distributed._stores.tcp import TCPStore
from rushlight.distributed.constants import default_pg_nccl_timeout, default_pg_timeout
from rushlight.distributed.rendezvous import register_rendezvous_handler, rendezvous

_COLLECTIVES = [
    "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object",
    "all_gather_single", "all_reduce", "all_reduce_coalesced", "all_to_all", "all_to_all_single",
    "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list", "gather", "gather_object",
    "irecv", "isend", "monitored_barrier", "recv", "recv_object_list", "reduce", "reduce_scatter",
    "reduce_scatter_single", "reduce_scatter_tensor", "scatter", "scatter_object_list", "send",
    "send_object_list",
]  # fmt: skip
_GROUPS = [
    "destroy_process_group", "get_backend", "get_backend_config", "get_default_backend_for_device",
    "get_global_rank", "get_group_rank", "get_node_local_rank", "get_pg_count",
    "get_process_group_ranks", "get_rank", "get_world_size", "init_process_group",
    "is_backend_available", "is_gloo_available", "is_initialized", "is_mpi_available",
    "is_nccl_available", "is_torchelastic_launched", "is_ucc_available", "is_xccl_available",
    "new_group", "new_subgroups", "new_subgroups_by_enumeration", "split_group",
]  # fmt: skip
__all__ = [
    *_COLLECTIVES, *_GROUPS, "AllToAllOptions", "AllgatherOptions", "AllreduceCoalescedOptions",
    "AllreduceOptions", "Backend", "BackendConfig", "BarrierOptions", "BroadcastOptions", "DebugLevel",
    "FileStore", "GatherOptions", "GroupMember", "HashStore", "OpType", "P2POp", "PrefixStore",
    "ProcessGroup", "ReduceOp", "ReduceOptions", "ReduceScatterOptions", "ScatterOptions", "Store",
    "TCPStore", "Work", "default_pg_nccl_timeout", "default_pg_timeout", "get_debug_level", "group",
    "reduce_op", "register_rendezvous_handler", "rendezvous", "set_debug_level",
    "set_debug_level_from_env",
]  # fmt: skip

# Older names, and those that libraries know from inside.
reduce_op = ReduceOp
_world = world
_make_nccl_premul_sum = premultiplied


def is_available() -> bool:
    """Whether there are groups of processes."""
    return True


def is_gloo_available() -> bool:
    """Whether there is the backend ``gloo``: shared memory."""
    return True


def is_mpi_available() -> bool:
    """Whether there is the backend ``mpi``: whether mpi4py is installed."""
    from rushlight.distributed._groups import mpi

    return mpi.is_there()


def is_nccl_available() -> bool:
    """Whether there is the backend ``nccl``: whether there is a GPU, and NCCL is installed."""
    return has_nccl()


def is_ucc_available() -> bool:
    """There is no device that would need it."""
    return False


is_xccl_available = is_ucc_available


def is_backend_available(backend: str) -> bool:
    """Whether a backend can be used.

    Args:
        backend: its name
    """
    known = {"gloo": is_gloo_available, "mpi": is_mpi_available, "nccl": is_nccl_available,
             "ucc": is_ucc_available, "xccl": is_xccl_available}  # fmt: skip
    name = backend.lower()
    return known[name]() if name in known else name in Backend.backend_list


def is_torchelastic_launched() -> bool:
    """Whether `torch.distributed.run` has started this process."""
    import os

    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def _get_default_group() -> ProcessGroup:
    return world.member(None).group


def _get_default_store() -> Store:
    return world.member(None).group.get_group_store()


def _rank_not_in_group(group: Any) -> bool:
    return bool(group == GroupMember.NON_GROUP_MEMBER)


def _get_process_group_name(pg: ProcessGroup) -> str:
    return pg.group_name if pg in world.members else "None"


def _resolve_process_group(group_name: str) -> ProcessGroup:
    """The group of a name."""
    found = world.by_name.get(group_name)
    if found is None:
        raise ValueError(
            f"Could not resolve the process group registered under the name {group_name}"
        )
    return found


def _get_group_size_by_name(group_name: str) -> int:
    return _resolve_process_group(group_name).size()


def _get_object_coll_device(group: Any = None) -> str:
    return "cpu"


def _get_pg_default_device(group: Any = None) -> Any:
    import rushlight as torch

    return torch.device("cpu")
