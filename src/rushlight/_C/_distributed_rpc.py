"""What PyTorch has compiled of calls between processes."""

from rushlight.distributed.rpc.api import (
    _get_current_rpc_agent,
    _is_current_rpc_agent_set,
    _set_rpc_timeout,
    get_rpc_timeout,
)
from rushlight.distributed.rpc.options import RpcBackendOptions, WorkerInfo
from rushlight.distributed.rpc.rref import RRef as PyRRef

__all__ = [
    "PyRRef",
    "RpcBackendOptions",
    "WorkerInfo",
    "_get_current_rpc_agent",
    "_is_current_rpc_agent_set",
    "_set_rpc_timeout",
    "get_rpc_timeout",
]
