"""Signal processing: windows."""

from rushlight.signal import windows

__all__ = ["windows"]
