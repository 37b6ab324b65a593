"""What PyTorch has of groups of processes in compiled code, under that module's name."""

from __future__ import annotations

from rushlight.distributed._groups.backend import Backend
from rushlight.distributed._groups.detail import (
    DebugLevel,
    get_debug_level,
    set_debug_level,
    set_debug_level_from_env,
)
from rushlight.distributed._groups.fake import FakeBackend as FakeProcessGroup
from rushlight.distributed._groups.flight_recorder import recorder as _recorder
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
from rushlight.distributed._groups.reduce_op import ReduceOp
from rushlight.distributed._groups.reduce_op import premultiplied as _make_nccl_premul_sum
from rushlight.distributed._groups.work import FutureWork, Work
from rushlight.distributed._reducer import GradBucket, Reducer
from rushlight.distributed._stores.base import PrefixStore, Store
from rushlight.distributed._stores.file import FileStore
from rushlight.distributed._stores.table import HashStore
from rushlight.distributed._stores.tcp import TCPStore
from rushlight.distributed.constants import default_pg_timeout as _DEFAULT_PG_TIMEOUT
from rushlight.distributed.distributed_c10d import _resolve_process_group
from rushlight.futures import Future

__all__ = [
    "_DEFAULT_PG_TIMEOUT",
    "AllToAllOptions",
    "AllgatherOptions",
    "AllreduceCoalescedOptions",
    "AllreduceOptions",
    "Backend",
    "BarrierOptions",
    "BroadcastOptions",
    "DebugLevel",
    "FakeProcessGroup",
    "FileStore",
    "GatherOptions",
    "GradBucket",
    "HashStore",
    "OpType",
    "PrefixStore",
    "ProcessGroup",
    "ReduceOp",
    "ReduceOptions",
    "ReduceScatterOptions",
    "Reducer",
    "ScatterOptions",
    "Store",
    "TCPStore",
    "Work",
    "_create_work_from_future",
    "_dump_nccl_trace",
    "_dump_nccl_trace_json",
    "_make_nccl_premul_sum",
    "_reset_fr_recording_nccl",
    "_resolve_process_group",
    "get_debug_level",
    "set_debug_level",
    "set_debug_level_from_env",
]  # fmt: skip


def _create_work_from_future(future: Future[object]) -> Work:
    """Work that ends with a future."""
    return FutureWork(future)


def _dump_nccl_trace(
    includeCollectives: bool = True, includeStackTraces: bool = True, onlyActive: bool = False
) -> bytes:
    """What the flight recorder has of the last collectives on GPUs, as a pickle.

    Args:
        includeCollectives: whether the collectives are told, or the groups alone
        includeStackTraces: whether it is told who has asked for them
        onlyActive: whether those that have ended are left out
    """
    return _recorder.dump(includeCollectives, includeStackTraces, onlyActive)


def _dump_nccl_trace_json(includeCollectives: bool = True, onlyActive: bool = False) -> bytes:
    """The same as JSON, without who has asked.

    Args:
        includeCollectives: whether the collectives are told, or the groups alone
        onlyActive: whether those that have ended are left out
    """
    return _recorder.dump_json(includeCollectives, onlyActive)


def _reset_fr_recording_nccl() -> None:
    """Forget what the flight recorder has."""
    _recorder.reset()
