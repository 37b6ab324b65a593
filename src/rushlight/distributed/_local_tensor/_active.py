"""Which ranks this thread simulates, and the one that it stands for just now."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rushlight.distributed._local_tensor._mode import LocalTensorMode

__all__ = ["enabled_local_tensor_mode", "local_tensor_mode", "simulated_rank", "standing_for"]


class _Thread(threading.local):
    def __init__(self) -> None:
        self.modes: list[LocalTensorMode] = []
        self.rank: int | None = None


thread = _Thread()


def local_tensor_mode() -> LocalTensorMode | None:
    """The innermost `LocalTensorMode` of this thread."""
    return thread.modes[-1] if thread.modes else None


def enabled_local_tensor_mode() -> LocalTensorMode | None:
    """The innermost `LocalTensorMode` of this thread, unless it is disabled."""
    mode = local_tensor_mode()
    return mode if mode is not None and not mode._disable else None


def simulated_rank() -> int | None:
    """The rank that a function is called for, while functions are called for each rank."""
    return thread.rank


@contextlib.contextmanager
def standing_for(rank: int | None) -> Iterator[None]:
    """Within the block this thread stands for one rank."""
    before, thread.rank = thread.rank, rank
    try:
        yield
    finally:
        thread.rank = before
