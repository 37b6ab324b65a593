"""Where libraries look for the class of compiled modules."""

from __future__ import annotations

__all__ = ["OptimizedModule"]


class OptimizedModule:
    """The class of modules that PyTorch's compiler gives; here none is of it."""
