"""Calls of functions in other processes, which are not there yet."""

from __future__ import annotations

from rushlight._names.absent import absent_functions

_NAMES = ["init_rpc", "remote", "rpc_async", "rpc_sync", "shutdown"]
globals().update(absent_functions(__name__, _NAMES, "calls between processes"))


def is_available() -> bool:
    """Whether there are such calls."""
    return False
