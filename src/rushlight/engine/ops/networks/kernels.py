"""Registers the operators of the family."""

from rushlight.engine.ops.networks import (
    alignment,
    antialias,
    fractional,
    grids,
    labels,
    neighbours,
)

__all__ = ["alignment", "antialias", "fractional", "grids", "labels", "neighbours"]
