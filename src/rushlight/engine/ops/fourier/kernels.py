"""The operators of Fourier transforms and windows."""

from rushlight.engine.ops.fourier import short_time, transforms, windows

__all__ = ["short_time", "transforms", "windows"]
