"""The operators of matrices, by subject."""

from rushlight.engine.ops.matrix import batched, composites, einsum, products, result_types, scaled

__all__ = ["batched", "composites", "einsum", "products", "result_types", "scaled"]
