"""The last way to process a call in `vmap`: one call for each element, and the results stacked."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import joining, view
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.source import program_level
from rushlight.engine.ops.batching import Rule


class Settings:
    """What programs may choose: whether there is a loop at all, and whether it warns."""

    enabled = True
    warns = True


def note(op: Operator) -> None:
    """Say that an operator goes through the batch for want of a rule; tests listen."""


def rule(op: Operator, warns: bool = True) -> Rule:
    """The rule that goes through the batch.

    Args:
        op: the operator
        warns: whether this is a lack, and programs are told of it
    """

    def run(size: int, values: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, Any]:
        if not Settings.enabled:
            raise RuntimeError(
                f"You've explicitly disabled vmap fallback and {op.full_name} has no batching rule"
            )
        if warns and Settings.warns:
            warnings.warn(
                "There is a performance drop because we have not yet implemented the batching rule for "
                f"{op.full_name}. Please file us an issue on GitHub so that we can prioritize its "
                "implementation.",
                UserWarning,
                stacklevel=program_level(),
            )
        if warns:
            note(op)
        if not size:
            raise RuntimeError(
                f"Batching rule not implemented for {op.full_name}. The fallback path does not support "
                "vmap over dims of size 0."
            )
        made = [op.call(*(element(v, d, k) for v, d in zip(values, dims))) for k in range(size)]
        if op.schema.mutated:
            return stacked_if_new(op, made)
        return stacked(made), 0

    return run


def stacked_if_new(op: Operator, made: list[Any]) -> tuple[Any, Any]:
    """The results of an operator that writes: what is not an argument again is stacked."""
    returns = op.schema.returns
    if len(returns) < 2:
        return (None, None) if not returns or returns[0].type.aliases else (stacked(made), 0)
    several = [
        None if one.type.aliases else stacked([row[place] for row in made])
        for place, one in enumerate(returns)
    ]
    return tuple(several), [None if item is None else 0 for item in several]


def element(value: Any, dim: Any, place: int) -> Any:
    """What one call gets of a value."""
    if isinstance(dim, (list, tuple)):
        return [element(one, d, place) for one, d in zip(value, dim)]
    return value if dim is None else view.select_int(value, dim, place)


def stacked(made: list[Any]) -> Any:
    """The results of all calls, item by item."""
    first = made[0]
    if isinstance(first, Tensor):
        return joining.stack(made, 0)
    if isinstance(first, (tuple, list)):
        items = [stacked([one[k] for one in made]) for k in range(len(first))]
        if type(first) in (tuple, list):
            return type(first)(items)
        return type(first)(*items)
    return first
