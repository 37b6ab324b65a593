"""The operators of matrices, by subject."""

from rushlight.engine.ops.matrix import composites, distances, einsum, products

__all__ = ["composites", "distances", "einsum", "products"]
