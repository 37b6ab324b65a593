"""What packages ask about the compiler."""

from __future__ import annotations

from typing import Any

__all__ = ["is_compile_supported"]


def is_compile_supported(device_type: Any) -> bool:
    """Whether functions on a device can be compiled as a whole: none can yet."""
    return False
