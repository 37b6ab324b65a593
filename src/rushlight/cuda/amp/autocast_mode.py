"""Blocks of half precision on CUDA devices."""

from rushlight.cuda.amp import autocast, custom_bwd, custom_fwd

__all__ = ["autocast", "custom_bwd", "custom_fwd"]
