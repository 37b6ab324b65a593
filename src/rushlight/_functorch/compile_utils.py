"""What passes over graphs of operators share."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.layout import strided
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator, OperatorPacket
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.dialect.common.cse_pass import CSEPass, get_CSE_banned_ops
from rushlight.nn import Module

__all__ = ["fx_graph_cse", "get_aten_target", "strip_overloads"]


def get_aten_target(node: Node) -> Any:
    """The packet of the operator that a node calls."""
    target = node.target
    return target.overloadpacket if isinstance(target, Operator) else target


def fx_graph_cse(fx_g: Graph) -> Graph:
    """A graph in which the same is computed only once, unless it is returned: results stay apart."""
    root = Module() if fx_g.owning_module is None else fx_g.owning_module
    (output,) = fx_g.find_nodes(op="output")
    returned = {id(x._storage_) for n in output.all_input_nodes if (x := _value_of(n)) is not None}
    found = _OnceWithin(returned)(GraphModule(root, fx_g))
    return found.graph_module.graph  # type: ignore[union-attr, no-any-return]


def _value_of(node: Node) -> Tensor | None:
    """The tensor that stands for a node's value, if it is one with a storage."""
    value = node.meta.get("val")
    return value if isinstance(value, Tensor) and value.layout is strided else None  # type: ignore[attr-defined]


class _OnceWithin(CSEPass):
    """Leaves alone what shares elements with what is returned.

    Args:
        returned: the storages of what is returned
    """

    def __init__(self, returned: set[int]) -> None:
        super().__init__(get_CSE_banned_ops())
        self.returned = returned

    def is_left_alone(self, node: Node) -> bool:
        value = _value_of(node)
        return (
            value is not None and id(value._storage_) in self.returned
        ) or super().is_left_alone(node)


def strip_overloads(gm: GraphModule) -> None:
    """Let a graph call packets in the place of overloads."""
    for node in gm.graph.nodes:
        if isinstance(node.target, Operator):
            packet: OperatorPacket = node.target.overloadpacket
            node.target = packet
    gm.recompile()
