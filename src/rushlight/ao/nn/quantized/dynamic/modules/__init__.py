"""Layers of real numbers with quantized weights."""

from rushlight.ao.nn.quantized.dynamic.modules.linear import Linear

__all__ = ["Linear"]
