"""Losses over classes that lie in parts on devices."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = ["loss_parallel"]


@contextlib.contextmanager
def loss_parallel() -> Iterator[None]:
    """Compute cross entropy where classes are sharded, without gathering them.

    Programs write it around `cross_entropy` and its backward pass. Here the softmax and the loss over sharded classes
    are always computed so (`_ops/rows.py`): devices exchange a maximum and a sum for each row.
    """
    yield
