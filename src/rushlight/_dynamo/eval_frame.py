"""Where libraries look for the class of compiled modules."""

from __future__ import annotations

__all__ = ["OptimizedModule", "is_dynamo_supported"]


class OptimizedModule:
    """The class of modules that PyTorch's compiler gives; here none is of it."""


def is_dynamo_supported() -> bool:
    """Whether functions can be compiled as a whole: none can yet."""
    return False
