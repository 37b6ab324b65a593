"""The quantized family: importing it registers all of its files.

Kernels for operators of other families are here too: without a quantized tensor none of them is
needed, and only this family makes one.
"""

from __future__ import annotations

from rushlight.engine.ops.quantized import (
    elements,
    embeddings,
    fake,
    functions,
    layers,
    making,
    pools,
    products,
    shapes,
)

__all__ = [
    "elements",
    "embeddings",
    "fake",
    "functions",
    "layers",
    "making",
    "pools",
    "products",
    "shapes",
]
