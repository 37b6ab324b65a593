"""A mark that PyTorch's own modules put on functions that its compiler leaves alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _disable_dynamo(fn: Callable[..., Any] | None = None, recursive: bool = True) -> Any:
    """The function, marked; without one, what marks functions."""
    from rushlight.compiler import disable

    return disable(fn, recursive)
