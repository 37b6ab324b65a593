"""The reductions and scans, by subject."""

from rushlight.engine.ops.reduction import (
    covariance,
    diff_and_trapezoid,
    extremes,
    hash_tensor,
    matrix_norms,
    norms,
    numerical_gradient,
    scans,
    sums,
    variance,
)

__all__ = [
    "covariance",
    "diff_and_trapezoid",
    "extremes",
    "hash_tensor",
    "matrix_norms",
    "norms",
    "numerical_gradient",
    "scans",
    "sums",
    "variance",
]
