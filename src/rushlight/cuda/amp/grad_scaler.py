"""Scaled gradients on CUDA devices."""

from rushlight.cuda.amp import GradScaler

__all__ = ["GradScaler"]
