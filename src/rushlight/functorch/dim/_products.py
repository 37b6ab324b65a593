"""Products that are summed: a multiplication waits, and with a sum after it becomes a product of matrices."""

from __future__ import annotations

import math
from typing import Any

import rushlight as torch
from rushlight.functorch.dim._tensors import (
    Dim,
    Tensor,
    _Tensor,
    dims_of,
    has,
    place_of,
    positional,
)


def can_wait(left: Any, right: Any) -> bool:
    """Whether a product may turn out to be one of matrices."""
    return (
        isinstance(left, _Tensor)
        and isinstance(right, _Tensor)
        and not positional(left)
        and not positional(right)
        and left._get_tensor().dtype is right._get_tensor().dtype
        and left._get_tensor().dtype.is_floating_point
    )


def of_sum(args: Any, kwargs: Any, summed: list[Dim]) -> Any:
    """The sum of a product that still waits, over some dimensions; None if it must be multiplied out."""
    x = args[0]
    if len(args) + len(kwargs) != 2 or not isinstance(x, Tensor) or x._factors is None:
        return None
    left, right = x._factors
    for d in summed:
        place_of(x._get_levels(), d)
    return contracted(left, right, summed)


def contracted(left: _Tensor, right: _Tensor, summed: list[Dim]) -> Any:
    """The sum over dimensions of a product, as a product of (batches of) matrices."""
    left = _reduced(left, [d for d in summed if not has(dims_of(right), d)])
    right = _reduced(right, [d for d in summed if not has(dims_of(left), d)])
    own, other = dims_of(left), dims_of(right)
    inner = [d for d in summed if has(own, d) and has(other, d)]
    batch = [d for d in own if has(other, d) and not has(inner, d)]
    rows = [d for d in own if not has(other, d)]
    columns = [d for d in other if not has(own, d)]
    a = _matrices(left, batch, rows, inner)
    b = _matrices(right, batch, inner, columns)
    found = torch.bmm(a, b) if batch else torch.mm(a, b)
    dims = [*batch, *rows, *columns]
    return Tensor.from_positional(found.reshape([d.size for d in dims]), dims)


def _reduced(x: Any, dims: list[Dim]) -> Any:
    """A tensor summed over dimensions that the other factor lacks."""
    own = [d for d in dims if has(dims_of(x), d)]
    return x.sum(tuple(own)) if own else x


def _matrices(x: Any, batch: list[Dim], rows: list[Dim], columns: list[Dim]) -> torch.Tensor:
    """A tensor as matrices, one for each index of the batch."""
    if not dims_of(x):
        return x.reshape(1, 1)  # type: ignore[no-any-return]
    found = x.order(*batch, *rows, *columns)
    sizes = [math.prod(d.size for d in group) for group in (batch, rows, columns)]
    return found.reshape(sizes if batch else sizes[1:])  # type: ignore[no-any-return]
