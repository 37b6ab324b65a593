"""NNPACK, which is not there."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager

from rushlight.backends._switches import changed

enabled = False


def is_available() -> bool:
    return False


def set_flags(_enabled: bool) -> tuple[bool]:
    """Set the switch; what it was."""
    before = enabled
    globals()["enabled"] = bool(_enabled)
    return (before,)


def flags(enabled: bool = False) -> AbstractContextManager[None]:
    """A block with another switch."""
    return changed(sys.modules[__name__], enabled=enabled)
