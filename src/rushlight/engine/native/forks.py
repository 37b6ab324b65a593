"""Locks and processes that fork: a child must not inherit a lock from a thread that does not exist there."""

from __future__ import annotations

import os
from typing import Any


def hold_over_fork(lock: Any) -> None:
    """Have a lock while the process forks: what it guards is whole in the child.

    Locks that are taken while others are held must be told of first: the last that was told is taken first.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
        )
