"""What the gradient formulas of nested tensors call."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import nested as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import nested
from rushlight.engine.core.nested import Blocks


def with_values(grad: Any, parts: Any) -> Any:
    """The gradient of a nested tensor's values as a nested tensor of the same form."""
    if isinstance(parts, Blocks):
        return calls._nested_view_from_buffer(
            grad.contiguous(), parts.sizes, parts.strides, parts.offsets
        )
    bounds = (parts.cache.get("min_seqlen"), parts.cache.get("max_seqlen"))
    return calls._nested_view_from_jagged(
        grad, parts.offsets, parts.offsets, parts.lengths, parts.ragged, *bounds
    )


def element(buffer: Any, places: nested.Geometry, k: int) -> Any:
    """One element in a buffer."""
    offset = buffer._offset_ + places.offsets[k]
    return views.as_strided(buffer, places.sizes[k], places.strides[k], offset)


def into_buffer(grad: Any, count: int, nested_size: Any, strides: Any, offsets: Any) -> Any:
    """The gradient of a buffer of which each element had a part."""
    parts = nested.parts_of(grad)
    given = calls._nested_get_values(grad)
    own = nested.Geometry(
        [tuple(row) for row in nested_size.tolist()],
        [tuple(row) for row in strides.tolist()],
        offsets.tolist(),
    )
    if parts.known.is_dense and own.is_dense and own.count == count:
        return given
    made = given.new_zeros((count,))
    here = parts.known
    for k in range(len(own.sizes)):
        source = element(given, here, k)
        element(made, own, k).add_(source)
    return made
