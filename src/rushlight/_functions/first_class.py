"""The method of plain tensors that binds their dimensions to first-class ones."""

from __future__ import annotations

from typing import Any


def index(self: Any, positions: Any, dims: Any) -> Any:
    """The tensor with some of its dimensions bound to first-class ones, or indexed.

    Args:
        self: the tensor
        positions: one or several dimensions; several with one index count as one
        dims: an index for each, such as a `functorch.dim.Dim`
    """
    from rushlight.functorch.dim import index as index_dims

    return index_dims(self, positions, dims)
