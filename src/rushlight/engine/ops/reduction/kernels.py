"""The reductions, scans and orderings, by subject."""

from rushlight.engine.ops.reduction import sums

__all__ = ["sums"]
