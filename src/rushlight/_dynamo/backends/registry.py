"""Back ends by their names."""

from __future__ import annotations

from rushlight._capture.backends import lookup as lookup_backend
from rushlight._capture.backends import register_backend
from rushlight.compiler import list_backends

__all__ = ["list_backends", "lookup_backend", "register_backend"]
