"""How operators work on parts of tensors: a rule for each kind of operator."""

from __future__ import annotations

from rushlight.distributed.tensor._op_schema import Rule
from rushlight.distributed.tensor._ops import (
    dims,
    elementwise,
    lookups,
    losses,
    made_like,
    notation,
    rows,
    views,
)
from rushlight.engine.dispatch.operator import Operator

# Rules of programs, by the full name of the overload.
registered: dict[str, Rule] = {}

_KINDS = (notation, lookups, losses, rows, views, made_like, elementwise, dims)


def rule(op: Operator) -> Rule | None:
    """The rule of an operator: a program's own, or that of the first kind that knows it."""
    own = registered.get(op.full_name)
    if own is not None:
        return own
    for kind in _KINDS:
        found: Rule | None = kind.rule(op)
        if found is not None:
            return found
    return None
