"""Sorting and what follows from order, by subject."""

from rushlight.engine.ops.sorting import medians, quantiles, sort

__all__ = ["medians", "quantiles", "sort"]
