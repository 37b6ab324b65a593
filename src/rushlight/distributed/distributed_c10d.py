"""Collective operations between processes, which are not there yet.

Programs import the names at their top and ask `is_available` before they use one.
"""

from __future__ import annotations

import enum
from datetime import timedelta
from typing import Any

from rushlight._names.absent import absent_class, absent_functions

_WHAT = "training in several processes"

_FUNCTIONS = [
    "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object",
    "all_reduce", "all_reduce_coalesced", "all_to_all", "all_to_all_single", "barrier",
    "batch_isend_irecv", "broadcast", "broadcast_object_list", "destroy_process_group", "gather",
    "gather_object", "get_backend", "get_backend_config", "get_global_rank", "get_group_rank",
    "get_node_local_rank", "get_process_group_ranks", "get_rank", "get_world_size",
    "init_process_group", "irecv", "isend", "monitored_barrier", "new_group", "new_subgroups",
    "new_subgroups_by_enumeration", "recv", "recv_object_list", "reduce", "reduce_scatter",
    "reduce_scatter_tensor", "scatter", "scatter_object_list", "send", "send_object_list",
    "split_group",
]  # fmt: skip
_CLASSES = [
    "Backend", "FileStore", "HashStore", "P2POp", "PrefixStore", "ProcessGroup", "Store",
    "TCPStore", "Work",
]  # fmt: skip

__all__ = [*_CLASSES, *_FUNCTIONS, "ReduceOp", "default_pg_timeout", "group"]

globals().update(absent_functions(__name__, _FUNCTIONS, _WHAT))
globals().update({name: absent_class(__name__, name, _WHAT) for name in _CLASSES})

default_pg_timeout = timedelta(minutes=30)


class ReduceOp(enum.Enum):
    """What a collective reduction computes; programs have members of it as default arguments."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8
    UNUSED = 9


class group:
    """Groups of processes by name."""

    # None means the group of all processes wherever a group is asked for.
    WORLD: Any = None
