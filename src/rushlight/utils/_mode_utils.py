"""What dispatch modes and tensor subclasses are written with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight._state.dispatch_keys import DisableTorchDispatch as no_dispatch

__all__ = ["all_same_mode", "no_dispatch"]


def all_same_mode(modes: Sequence[Any]) -> bool:
    """Whether all modes equal the first."""
    return all(mode == modes[0] for mode in modes)
