"""Registers the operators of the family."""

from rushlight.engine.ops.networks import alignment, antialias, fractional, grids, labels

__all__ = ["alignment", "antialias", "fractional", "grids", "labels"]
