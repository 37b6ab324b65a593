"""Convolution and pooling, by subject."""

from rushlight.engine.ops.windows import (
    adaptive_pooling,
    convolution,
    epilogues,
    fractional_pooling,
    pooling,
)

__all__ = ["adaptive_pooling", "convolution", "epilogues", "fractional_pooling", "pooling"]
