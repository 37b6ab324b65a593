"""The nested family: importing it registers its kernels, and how all other operators treat nested tensors."""

from __future__ import annotations

from rushlight.engine.ops.nested import making, padding

__all__ = ["making", "padding"]
