"""Parts of a device's processors, which cannot be had."""

from rushlight.cuda import GreenContext

__all__ = ["GreenContext"]
