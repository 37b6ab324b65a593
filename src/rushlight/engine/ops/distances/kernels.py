"""Distances and similarity, by subject."""

from rushlight.engine.ops.distances import all_pairs, vectors

__all__ = ["all_pairs", "vectors"]
