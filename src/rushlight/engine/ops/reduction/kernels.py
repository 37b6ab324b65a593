"""The reductions, scans and orderings, by subject."""

from rushlight.engine.ops.reduction import (
    differences,
    extremes,
    hashes,
    matrix_norms,
    medians,
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
    "hashes",
    "matrix_norms",
    "medians",
    "norms",
    "orders",
    "quantiles",
    "scans",
    "spreads",
    "sums",
]
