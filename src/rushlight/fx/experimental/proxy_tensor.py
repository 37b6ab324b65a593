"""Tracers that record what operators do."""

from __future__ import annotations

__all__ = ["get_proxy_mode"]


def get_proxy_mode() -> None:
    """The tracer that records now: none does."""
