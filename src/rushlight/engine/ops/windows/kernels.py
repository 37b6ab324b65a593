"""Registers the operators of the family."""

from rushlight.engine.ops.windows import convolution, padding, pooling, rearranging

__all__ = ["convolution", "padding", "pooling", "rearranging"]
