"""The fast path of attention layers in inference, which has a switch only."""

from __future__ import annotations

_fast = True


def get_fastpath_enabled() -> bool:
    return _fast


def set_fastpath_enabled(value: bool) -> None:
    globals()["_fast"] = bool(value)
