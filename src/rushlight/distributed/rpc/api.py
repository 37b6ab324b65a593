"""Calls of functions in other processes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from rushlight.distributed import PrefixStore
from rushlight.distributed.autograd.contexts import ask
from rushlight.distributed.rendezvous import rendezvous
from rushlight.distributed.rpc.agent import Agent
from rushlight.distributed.rpc.options import (
    BackendType,
    RpcBackendOptions,
    TensorPipeRpcBackendOptions,
    WorkerInfo,
)
from rushlight.distributed.rpc.requests import Call, agent, process
from rushlight.distributed.rpc.rref import UNSET, RRef, made_by

# Seconds that mean those of `init_rpc`.
UNSET_RPC_TIMEOUT = UNSET

__all__ = [
    "get_worker_info",
    "init_rpc",
    "remote",
    "rpc_async",
    "rpc_sync",
    "shutdown",
]


def init_rpc(
    name: str,
    backend: BackendType | None = None,
    rank: int = -1,
    world_size: int | None = None,
    rpc_backend_options: RpcBackendOptions | None = None,
) -> None:
    """Take part in calls between processes; returns when all processes do.

    Args:
        name: of this process, which no other has
        backend: accepted; there is one
        rank: of this process
        world_size: how many there are
        rpc_backend_options: how calls are made
    """
    if process.agent is not None:
        raise RuntimeError("RPC is already initialized")
    options = rpc_backend_options or TensorPipeRpcBackendOptions()
    found = rendezvous(
        options.init_method, rank=rank, world_size=-1 if world_size is None else world_size
    )
    store, rank, size = next(iter(found))
    process.owned.clear()
    process.agent = Agent(PrefixStore("rpc", store), name, rank, size, options)
    process.agent.start()


def shutdown(graceful: bool = True, timeout: float = 0) -> None:
    """Take no part any more.

    Args:
        graceful: wait until no process calls or answers any more
        timeout: for so many seconds; 0 for as long as it takes
    """
    carrier = process.agent
    if carrier is None:
        return
    try:
        if graceful:
            carrier.wait_for_all(timeout)
    finally:
        carrier.close()
        process.agent = None
        process.owned.clear()


Function = TypeVar("Function", bound=Callable[..., Any])


def _require_initialized(func: Function) -> Function:
    """A function that raises while this process takes no part."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        agent()
        return func(*args, **kwargs)

    return wrapper  # type: ignore[return-value]


@_require_initialized
def _all_gather(
    obj: Any, worker_names: set[str] | None = None, timeout: float = UNSET
) -> dict[str, Any]:
    """What processes have, by their names; all of them call this.

    Args:
        obj: of this process
        worker_names: which; all by default
        timeout: seconds
    """
    carrier = agent()
    names = sorted(worker_names or carrier.workers)
    assert carrier.info.name in names, f"{carrier.info.name} is not in {names}"
    return carrier.gather(obj, names, carrier.timeout if timeout == UNSET else timeout)


def _barrier(worker_names: set[str]) -> None:
    """Wait for processes."""
    _all_gather(None, worker_names)


def get_worker_info(worker_name: str | None = None) -> WorkerInfo:
    """A process by its name; this one by default.

    Args:
        worker_name: of which
    """
    return agent().info if worker_name is None else agent().worker(worker_name)


def _is_current_rpc_agent_set() -> bool:
    return process.agent is not None


def _get_current_rpc_agent() -> Agent:
    return agent()


def _set_rpc_timeout(timeout: float) -> None:
    agent().timeout = timeout


def get_rpc_timeout() -> float:
    """After how many seconds calls fail."""
    return agent().timeout


def rpc_async(
    to: str | int | WorkerInfo,
    func: Callable[..., Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    timeout: float = UNSET,
) -> Any:
    """Call a function in another process, and go on.

    Args:
        to: the process
        func: a function that is known there by its name
        args: copies of these
        kwargs: copies of these
        timeout: seconds until the call has failed; 0 for never

    Returns:
        a future of what the function gives
    """
    return _asked(to, func, args, kwargs, timeout)


def _asked(to: Any, func: Any, args: Any, kwargs: Any, timeout: float, waits: bool = False) -> Any:
    """A future of what a function gives in another process."""
    carrier = agent()
    if not callable(func):
        raise TypeError(f"function should be callable, got {type(func).__name__}")
    seconds = carrier.timeout if timeout == UNSET else timeout
    return ask(carrier.worker(to), _call(func, args, kwargs), seconds, waits)


def _call(func: Any, args: Any, kwargs: Any) -> Call:
    return Call(func, tuple(args) if args else (), dict(kwargs) if kwargs else {})


def rpc_sync(
    to: str | int | WorkerInfo,
    func: Callable[..., Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    timeout: float = UNSET,
) -> Any:
    """Call a function in another process, and wait for what it gives.

    Args:
        to: the process
        func: a function that is known there by its name
        args: copies of these
        kwargs: copies of these
        timeout: seconds until the call has failed; 0 for never
    """
    return _asked(to, func, args, kwargs, timeout, waits=True).wait()


def remote(
    to: str | int | WorkerInfo,
    func: Callable[..., Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    timeout: float = UNSET,
) -> RRef:
    """Call a function in another process, and leave what it gives there.

    Args:
        to: the process
        func: a function, or a class to make an object of
        args: copies of these
        kwargs: copies of these
        timeout: seconds until the call has failed; 0 for never

    Returns:
        a reference to what the function gives
    """
    carrier = agent()
    seconds = carrier.timeout if timeout == UNSET else timeout
    return made_by(to, _call(func, args, kwargs), seconds)
