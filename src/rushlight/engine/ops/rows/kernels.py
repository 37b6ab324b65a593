"""The row operators, by subject."""

from rushlight.engine.ops.rows import batch, normalised, norms, softmax

__all__ = ["batch", "normalised", "norms", "softmax"]
