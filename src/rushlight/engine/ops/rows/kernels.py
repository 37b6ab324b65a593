"""The row operators, by subject."""

from rushlight.engine.ops.rows import norms, softmax

__all__ = ["norms", "softmax"]
