"""Graphs that become modules of their own."""

from __future__ import annotations

from typing import Any

from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule, _copy_attr
from rushlight.nn.modules.module import Module

__all__ = ["HolderModule", "compare_graphs", "lift_subgraph_as_module"]


class HolderModule(Module):
    """Holds what a graph uses."""

    def __init__(self, d: dict[str, Any]) -> None:
        super().__init__()
        for name, value in d.items():
            self.add_module(name, value)


def lift_subgraph_as_module(
    gm: GraphModule,
    subgraph: Graph,
    comp_name: str = "",
    class_name: str = "GraphModule",
) -> tuple[GraphModule, dict[str, str]]:
    """A module of a part of a graph, and where what it uses was.

    Args:
        gm: the module of the whole graph
        subgraph: the part
        comp_name: the path at which the part's module will be
        class_name: what its class is called
    """
    holder = HolderModule({})
    moved: dict[str, str] = {}
    for node in subgraph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        target = node.target
        if not isinstance(target, str):
            raise AssertionError(f"Expected str target, got {type(target)}")
        _copy_attr(gm, holder, target)
        moved[f"{comp_name}.{target}" if comp_name else target] = target
    return GraphModule(holder, subgraph, class_name), moved


def compare_graphs(left: Graph, right: Graph) -> bool:
    """Whether two graphs do the same in the same order."""
    from rushlight.fx.passes.utils.matcher_utils import SubgraphMatcher

    matcher = SubgraphMatcher(left, match_output=True, match_placeholder=True)
    return len(matcher.match(right)) > 0
