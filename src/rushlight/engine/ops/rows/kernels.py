"""The row operators, by subject."""

from rushlight.engine.ops.rows import batch, distances, normalised, norms, softmax

__all__ = ["batch", "distances", "normalised", "norms", "softmax"]
