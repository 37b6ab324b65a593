"""The reductions, scans and orderings, by subject."""

from rushlight.engine.ops.reduction import extremes, norms, scans, spreads, sums

__all__ = ["extremes", "norms", "scans", "spreads", "sums"]
