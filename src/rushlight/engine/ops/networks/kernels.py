"""Registers the operators of the family."""

from rushlight.engine.ops.networks import alignment, fractional, grids, labels

__all__ = ["alignment", "fractional", "grids", "labels"]
