"""Errors that several families raise."""

from __future__ import annotations

from rushlight.engine.core.dtype import dtype
from rushlight.engine.loops.promotion import title


def not_implemented(kernel: str, kind: dtype) -> NotImplementedError:
    """PyTorch's way of saying that a kernel has no version for a type."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{title(kind)}'")
