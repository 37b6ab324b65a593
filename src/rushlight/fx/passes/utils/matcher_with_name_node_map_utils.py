"""Finding a graph in another, with names for some of the nodes."""

from __future__ import annotations

from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.utils.matcher_utils import InternalMatch, SubgraphMatcher

__all__ = ["SubgraphMatcherWithNameNodeMap"]


def _split_to_graph_and_name_node_map(gm: GraphModule) -> tuple[GraphModule, dict[str, Node]]:
    """A pattern without the dictionary of names that it returns last, and that dictionary."""
    names: dict[str, Node] = {}
    for node in gm.graph.nodes:
        if node.op == "output":
            returned = node.args[0]
            if not isinstance(returned, tuple) or len(returned) < 2:
                raise AssertionError(
                    "Expecting the pattern graph to return a tuple, of which the last is a "
                    "dictionary of names"
                )
            *values, last = returned
            if not isinstance(last, dict):
                raise AssertionError(
                    f"Expecting the last value that the pattern returns to be a dictionary of "
                    f"names, got {type(last)}"
                )
            names = dict(last)
            node.args = (tuple(values),)
            break
    gm.graph.lint()
    gm.recompile()
    return gm, names


class SubgraphMatcherWithNameNodeMap(SubgraphMatcher):
    """Finds a pattern whose last returned value gives names to nodes.

    Args:
        pattern_gm: the pattern
        match_output: whether it ends where the graph ends
        match_placeholder: whether its parameters are parameters of the graph
        remove_overlapping_matches: whether a node is in one match only
        ignore_literals: whether arguments that are no nodes may differ
    """

    def __init__(
        self,
        pattern_gm: GraphModule,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        pattern_gm, self.name_node_map = _split_to_graph_and_name_node_map(pattern_gm)
        super().__init__(
            pattern_gm.graph, match_output, match_placeholder, remove_overlapping_matches,
            ignore_literals,
        )  # fmt: skip

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """The places in a graph where the pattern is found."""
        found = super().match(graph, node_name_match)
        for match in found:
            match.name_node_map = {
                name: match.nodes_map[node] for name, node in self.name_node_map.items()
            }
        return found
