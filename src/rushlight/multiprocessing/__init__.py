"""Python's `multiprocessing`, where tensors that are sent to another process share their memory."""

from __future__ import annotations

import multiprocessing
from multiprocessing import *  # noqa: F403
from multiprocessing import reducer

from rushlight.engine.core import storage as storages
from rushlight.multiprocessing.reductions import init_reductions
from rushlight.multiprocessing.spawn import (
    ENV_VAR_PARALLEL_START,
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

_OWN = [
    "ENV_VAR_PARALLEL_START", "ProcessContext", "ProcessException", "ProcessExitedException",
    "ProcessRaisedException", "SpawnContext", "get_all_sharing_strategies", "get_sharing_strategy",
    "init_reductions", "set_sharing_strategy", "spawn", "start_processes",
]  # fmt: skip
__all__ = [*multiprocessing.__all__, *_OWN]  # type: ignore[attr-defined]

_BY_DESCRIPTOR, _BY_NAME = "file_descriptor", "file_system"
_strategy = _BY_DESCRIPTOR


def get_all_sharing_strategies() -> set[str]:
    """The ways in which memory can be handed to another process."""
    return {_BY_DESCRIPTOR, _BY_NAME}


def get_sharing_strategy() -> str:
    """The way in which memory is handed to other processes."""
    return _strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Choose how memory that becomes shared from now on is handed to other processes.

    Args:
        new_strategy: ``"file_descriptor"``, for which the sender must live until the receiver has
            the tensor, and which keeps a descriptor open per storage; or ``"file_system"``
    """
    global _strategy
    known = get_all_sharing_strategies()
    if new_strategy not in known:
        raise AssertionError(
            f"invalid sharing strategy {new_strategy!r}, expected one of {sorted(known)}"
        )
    _strategy = new_strategy
    storages.share_by_name(new_strategy == _BY_NAME)


init_reductions()
