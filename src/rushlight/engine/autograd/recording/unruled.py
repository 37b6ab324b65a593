"""The rule that an operator is recorded by; where nothing says how it differentiates, one that raises."""

from __future__ import annotations

from typing import Any

from rushlight.engine.autograd import derivative_table, registry
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator


def rule_or_stand_in(op: Operator) -> Any:
    """The rule of an operator, or one whose steps raise when a gradient reaches them."""
    if derivative_table.is_declared_nondifferentiable(op):
        return None
    found = registry.rule_for(op)
    if found is not None:
        return found
    return Unruled(op)


class Unruled:
    """Records steps that no rule describes; differentiating them raises."""

    only_floating = True

    def __init__(self, op: Operator) -> None:
        self.op = op

    def users(self, name: str) -> list[int]:
        return []

    def make(self, result: Any, *args: Any) -> nodes.Node | None:
        edges = [metas.edge_of(t) for t in tensors_in(args)]
        if not any(edges):
            return None
        what = f"{self.op.namespace}::{self.op.packet_name}"
        node = nodes.NotImplementedNode(what, tuple(edges))
        outputs = result if type(result) in (tuple, list) else (result,)
        node.outputs = tuple(nodes.describe(r) for r in outputs if isinstance(r, Tensor))
        return node

    def record(self, result: Any, *args: Any) -> Any:
        outputs = result if type(result) in (tuple, list) else (result,)
        floats = [
            r for r in outputs
            if isinstance(r, Tensor) and r._dtype_.category >= dtypes.FLOATING
            and all(r is not a for a in args)
        ]  # fmt: skip
        node = self.make(result, *args) if floats else None
        if node is not None:
            for place, item in enumerate(floats):
                metas.set_edge(item, (node, place))
        return result


def tensors_in(values: Any) -> list[Tensor]:
    """The tensors among arguments, lists opened."""
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif type(value) in (list, tuple):
            found += tensors_in(value)
    return found
