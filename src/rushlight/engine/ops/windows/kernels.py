"""Registers the operators of the family."""

from rushlight.engine.ops.windows import adaptive, convolution, padding, pooling, rearranging

__all__ = ["adaptive", "convolution", "padding", "pooling", "rearranging"]
