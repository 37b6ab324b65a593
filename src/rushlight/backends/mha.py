"""The fast path of attention layers in inference, which has a switch only."""

from __future__ import annotations

_fast = True


def get_fastpath_enabled() -> bool:
    """How the switch was set last; the layers do not ask."""
    return _fast


def set_fastpath_enabled(value: bool) -> None:
    """Set the switch, which is kept and changes nothing."""
    globals()["_fast"] = bool(value)
