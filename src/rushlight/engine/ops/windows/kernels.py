"""Convolution and pooling, by subject."""

from rushlight.engine.ops.windows import adaptive_pooling, convolution, fractional_pooling, pooling

__all__ = ["adaptive_pooling", "convolution", "fractional_pooling", "pooling"]
