"""Searching, counting and distinct elements, by subject."""

from rushlight.engine.ops.searching import histograms, searchsorted, uniques

__all__ = ["histograms", "searchsorted", "uniques"]
