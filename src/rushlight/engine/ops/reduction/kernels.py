"""The reductions, scans and orderings, by subject."""

from rushlight.engine.ops.reduction import (
    differences,
    extremes,
    norms,
    orders,
    quantiles,
    scans,
    spreads,
    sums,
)

__all__ = [
    "differences",
    "extremes",
    "norms",
    "orders",
    "quantiles",
    "scans",
    "spreads",
    "sums",
]
