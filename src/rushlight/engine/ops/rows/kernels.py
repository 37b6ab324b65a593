"""The row operators, by subject."""

from rushlight.engine.ops.rows import batch, distances, norms, softmax

__all__ = ["batch", "distances", "norms", "softmax"]
