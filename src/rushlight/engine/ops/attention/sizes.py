"""Which operands the kernel of attention takes; asked before anything of it is loaded."""

from __future__ import annotations

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import FLOATING
from rushlight.engine.core.tensor import Tensor


def fits(query: Tensor, key: Tensor, value: Tensor) -> bool:
    """Whether the kernel takes operands of these sizes and this type."""
    shapes = [t._size_ for t in (query, key, value)]
    if any(len(s) != 4 or 0 in s for s in shapes):
        return False
    (batch, heads, _, width), (_, shared, length, _), _ = shapes
    return (
        query._dtype_.category == FLOATING
        and query._dtype_ not in dtypes.FLOAT8
        and shapes[1] == (batch, shared, length, width)
        and shapes[2][:3] == (batch, shared, length)
        and heads % shared == 0
    )
