"""Batches of no element.

What one element would give is not always to be seen on an empty batch: rules join dimensions, and nothing times
something tells no more how much something was. So a rule is asked for a batch of one, all zeros, and none of it is
taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import creation, joining, view
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.batching import Rule


def run(rule: Rule, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
    """What a rule gives for a batch of no element."""
    result, places = rule(1, [one_of(v, d) for v, d in zip(values, dims)], dims)
    return none_of(result, places), places


def one_of(value: Any, dim: Any) -> Any:
    """A batch of one in place of a batch of none; gradients find the way to the latter."""
    if isinstance(dim, (list, tuple)):
        return [one_of(one, d) for one, d in zip(value, dim)]
    if dim is None:
        return value
    size = [*value._size_]
    size[dim] = 1
    return joining.cat([value, creation.new_zeros(value, size)], dim)


def none_of(result: Any, place: Any) -> Any:
    """A result for no element in place of one for one."""
    if isinstance(result, Tensor):
        return result if place is None else view.narrow(result, place, 0, 0)
    if not isinstance(result, (list, tuple)):
        return result
    places = place if isinstance(place, (list, tuple)) else [place] * len(result)
    items = [none_of(one, d) for one, d in zip(result, places)]
    return type(result)(items) if type(result) in (list, tuple) else type(result)(*items)
