"""What the gradient formulas of nested tensors call."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import nested as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import nested
from rushlight.engine.core.nested import Blocks, Geometry
from rushlight.engine.ops.nested import making, places


def with_values(grad: Any, parts: Any) -> Any:
    """The gradient of a nested tensor's values as a nested tensor of the same form."""
    if isinstance(parts, Blocks):
        return making.blocks(grad.contiguous(), parts.known)
    bounds = (parts.cache.get("min_seqlen"), parts.cache.get("max_seqlen"))
    return calls._nested_view_from_jagged(
        grad, parts.offsets, parts.offsets, parts.lengths, parts.ragged, *bounds
    )


def element(buffer: Any, known: Geometry, k: int) -> Any:
    """One element in a buffer."""
    offset = buffer._offset_ + known.offsets[k]
    return views.as_strided(buffer, known.sizes[k], known.strides[k], offset)


def into_buffer(grad: Any, count: int, own: Geometry) -> Any:
    """The gradient of a buffer of which each element had a part."""
    here, given = nested.parts_of(grad).known, calls._nested_get_values(grad)
    if here.is_dense and own.is_dense and own.count == count:
        return given
    made = given.new_zeros((count,))
    for k in range(len(own.sizes)):
        element(made, own, k).add_(element(given, here, k))
    return made


def into_places(grad: Any, count: int, *where: Any) -> Any:
    """The same, where tensors tell the places."""
    return into_buffer(grad, count, places.geometry_of(*where))
