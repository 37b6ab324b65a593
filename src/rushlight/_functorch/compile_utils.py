"""What passes over graphs of operators share."""

from __future__ import annotations

from typing import Any

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
    """A graph in which the same is computed only once."""
    root = Module() if fx_g.owning_module is None else fx_g.owning_module
    found = CSEPass(get_CSE_banned_ops())(GraphModule(root, fx_g))
    return found.graph_module.graph  # type: ignore[union-attr, no-any-return]


def strip_overloads(gm: GraphModule) -> None:
    """Let a graph call packets in the place of overloads."""
    for node in gm.graph.nodes:
        if isinstance(node.target, Operator):
            packet: OperatorPacket = node.target.overloadpacket
            node.target = packet
    gm.recompile()
