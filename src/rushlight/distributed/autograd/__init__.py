"""Gradients through calls of functions in other processes (`contexts`)."""

from __future__ import annotations

from rushlight.distributed.autograd.contexts import Context as DistAutogradContext
from rushlight.distributed.autograd.contexts import backward, context, get_gradients

__all__ = ["DistAutogradContext", "backward", "context", "get_gradients", "is_available"]


def is_available() -> bool:
    """Whether there are such gradients."""
    return True
