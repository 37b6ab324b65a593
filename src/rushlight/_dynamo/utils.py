"""What packages ask about the compiler."""

from __future__ import annotations

from typing import Any

from rushlight._guards import detect_fake_mode

__all__ = ["detect_fake_mode", "is_compile_supported"]


def is_compile_supported(device_type: Any) -> bool:
    """Whether functions on a device can be compiled as a whole: none can yet."""
    return False
