"""Nested tensors joined with others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import nested
from rushlight.engine.core.nested import is_nested
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.transforms.nested import shapes, words
from rushlight.engine.transforms.nested.words import blocks, jagged, like, rank, regular, values_of


@jagged("cat")
def cat(op: Any, tensors: Sequence[Tensor], dim: int) -> Any:
    first = words.nested_in(tensors)
    given = [x if is_nested(x) else shapes.expand_as(None, x, first) for x in tensors]
    place = regular(first, dim, "cat")
    return like(given[0], op.call([values_of(x) for x in given], place))


@jagged("stack")
def stack(op: Any, tensors: Sequence[Tensor], dim: int) -> Any:
    first = tensors[0]
    for x in tensors:
        if not is_nested(x):
            raise RuntimeError("stack(): expected all nested tensors inputs")
        if rank(x) != rank(first):
            raise RuntimeError("stack(): expected all nested tensors to have the same dim")
        if not words.has_same_lengths(x, first._size_):
            raise RuntimeError(
                "stack(): expected all nested tensors to have the same nested structure"
            )
    place = regular(first, dim, "stack", 1)
    ragged = nested.parts_of(first).ragged
    made = op.call([values_of(x) for x in tensors], place)
    return like(first, made, ragged + (place <= ragged - 1))


@blocks("cat")
def cat_blocks(op: Any, tensors: Sequence[Tensor], dim: int) -> Any:
    if not all(is_nested(x) for x in tensors):
        raise RuntimeError("Expected each tensor in given list to be nested.")
    if words.wrapped(dim, tensors[0]) != 0:
        parted = [words.elements(x) for x in tensors]
        return words.of_elements(
            [op.call(list(row), dim - 1 if dim > 0 else dim) for row in zip(*parted)]
        )
    return words.of_elements([e for x in tensors for e in words.elements(x)])
