"""The end of a store: the process that serves it leaves last."""

from __future__ import annotations

import contextlib
import time

from rushlight.distributed._stores.base import PrefixStore, Store
from rushlight.distributed._stores.tcp import TCPStore
from rushlight.engine.core.errors import DistNetworkError


def leave(store: Store, size: int, seconds: float) -> None:
    """Say that this process needs a store no more. The one that serves it stays until all have said so.

    Args:
        store: the store
        size: how many processes say that
        seconds: for how long it stays at most
    """
    served = store._underlying_non_prefix_store if isinstance(store, PrefixStore) else store
    if not isinstance(served, TCPStore) or size == 1:
        return
    # Once all have left, the server may go before its answer is here; then there is nothing left to lose.
    with contextlib.suppress(DistNetworkError):
        left = store.add("left", 1)
        # A store may serve groups that follow each other.
        all_left = -(-left // size) * size
        end = time.monotonic() + seconds
        while served._is_served_here and left < all_left and time.monotonic() < end:
            time.sleep(0.001)
            left = store.add("left", 0)
