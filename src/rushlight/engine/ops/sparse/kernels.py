"""The sparse family: importing it registers all of its files.

Kernels for operators of other families are here too: without a sparse tensor none of them is needed,
and only this family makes one.
"""

from __future__ import annotations

from rushlight.engine.ops.sparse import (
    access,
    arithmetic,
    between,
    compressed,
    conversion,
    groups,
    lookups,
    making,
    making_compressed,
    products,
    shapes,
    sums,
    triangles,
    unary,
    written,
)

__all__ = [
    "access", "arithmetic", "between", "compressed", "conversion", "groups", "lookups", "making",
    "making_compressed", "products", "shapes", "sums", "triangles", "unary", "written",
]  # fmt: skip
