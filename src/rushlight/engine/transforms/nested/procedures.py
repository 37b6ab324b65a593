"""How operators treat nested tensors.

In this order: by a rule of their own, by what they are (`derived.py`), by running what they are made of.
Everything else is refused.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import nested
from rushlight.engine.core.nested import Jagged
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.transforms.nested import (
    attention,
    copying,
    derived,
    joins,
    padding,
    products,
    rows,
    shapes,
)
from rushlight.engine.transforms.nested.words import (
    Rule,
    for_blocks,
    for_jagged,
    nested_in,
    refuse,
)

__all__ = [
    "attention", "copying", "joins", "padding", "procedure", "products", "rows", "shapes",
]  # fmt: skip


def procedure(op: Operator) -> Rule:
    """How a call of the operator is processed."""
    if op.composite is None and not op.schema.tensors:
        return refuse(op)
    rest = op.composite or _of_facts(op) or refuse(op)
    jagged = _bound(op, for_jagged) or derived.for_jagged(op) or rest
    blocks = _bound(op, for_blocks) or derived.for_blocks(op) or rest

    def run(*values: Any) -> Any:
        first = nested_in(values)
        kind = jagged if isinstance(nested.parts_of(first), Jagged) else blocks
        return kind(*values)

    return run


def _of_facts(op: Operator) -> Rule | None:
    """What only looks at types and sizes finds them on nested tensors."""
    if op.schema.mutated or any(r.type.leaf == "Tensor" for r in op.schema.returns):
        return None
    return op.explicit


def _bound(op: Operator, table: dict[str, Rule]) -> Rule | None:
    rule = table.get(op.full_name)
    return None if rule is None else lambda *values: rule(op, *values)
