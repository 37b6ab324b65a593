"""Tensors that are not distributed, in calls with others that are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from rushlight.distributed.tensor._api import DTensor

__all__ = ["implicit_replication"]


@contextlib.contextmanager
def implicit_replication() -> Iterator[None]:
    """Let tensors that are not distributed count as being the same on all devices."""
    dispatcher = DTensor._op_dispatcher
    before = dispatcher._allow_implicit_replication
    dispatcher._allow_implicit_replication = True
    try:
        yield
    finally:
        dispatcher._allow_implicit_replication = before
