"""Back ends that run graphs as they are."""

from __future__ import annotations

from rushlight._capture.backends import aot_eager, eager

__all__ = ["aot_eager", "eager"]
