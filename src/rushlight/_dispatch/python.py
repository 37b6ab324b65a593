"""Switches of a dispatcher in Python, which is the only one here: they are on already."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = [
    "enable_crossref_functionalize",
    "enable_pre_dispatch",
    "enable_python_dispatcher",
    "no_python_dispatcher",
    "suspend_functionalization",
]


@contextlib.contextmanager
def enable_python_dispatcher() -> Iterator[None]:
    """Within the block operators are found in Python, as they are anywhere else."""
    yield


no_python_dispatcher = enable_pre_dispatch = enable_python_dispatcher


@contextlib.contextmanager
def suspend_functionalization() -> Iterator[None]:
    """Within the block changes are made and not followed."""
    from rushlight._functions import functional_tensors
    from rushlight.engine.dispatch import layers

    layer = functional_tensors._layer()
    is_on = layers.top() is layer
    if is_on:
        functional_tensors._disable_functionalization()
    try:
        yield
    finally:
        if is_on:
            functional_tensors._enable_functionalization(reapply_views=not layer.removes_views)


# Functionalization calls the operators themselves: there are no second kernels to compare it with.
enable_crossref_functionalize = enable_python_dispatcher
