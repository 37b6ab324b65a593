"""The operators of linear algebra, by subject."""

from rushlight.engine.ops.linalg import determinants, factors, functions, solvers, spectra

__all__ = ["determinants", "factors", "functions", "solvers", "spectra"]
