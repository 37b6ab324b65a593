"""Finding a graph in another."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import field
from typing import Any

import rushlight
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.native.records import dataclass
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import _get_attr
from rushlight.fx.node import Node

__all__ = ["InternalMatch", "SubgraphMatcher"]


@dataclass
class InternalMatch:
    """Where a pattern is found.

    Attributes:
        anchors: the nodes of the pattern that the search began at
        nodes_map: the graph's node for each of the pattern's
        placeholder_nodes: what comes into it
        returning_nodes: what it returns
        name_node_map: the graph's nodes by names that the pattern gives them
    """

    anchors: list[Node]
    nodes_map: dict[Node, Any] = field(default_factory=dict)
    placeholder_nodes: list[Any] = field(default_factory=list)
    returning_nodes: list[Any] = field(default_factory=list)
    name_node_map: dict[str, Any] = field(default_factory=dict)

    def __copy__(self) -> InternalMatch:
        return InternalMatch(
            self.anchors,
            self.nodes_map.copy(),
            self.placeholder_nodes.copy(),
            self.returning_nodes.copy(),
        )


class SubgraphMatcher:
    """Finds a pattern in graphs.

    Args:
        pattern: the pattern
        match_output: whether it ends where the graph ends
        match_placeholder: whether its parameters are parameters of the graph
        remove_overlapping_matches: whether a node is in one match only
        ignore_literals: whether arguments that are no nodes may differ
    """

    def __init__(
        self,
        pattern: Graph,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        self.pattern = pattern
        self.match_output = match_output
        self.match_placeholder = match_placeholder
        self.remove_overlapping_matches = remove_overlapping_matches
        self.ignore_literals = ignore_literals
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        for node in pattern.nodes:
            if node.op != "output" and not node.is_impure() and not node.users:
                raise AssertionError(
                    "SubgraphMatcher cannot be initialized with an pattern with dead code"
                )
        self.pattern_placeholder_nodes = [n for n in pattern.nodes if n.op == "placeholder"]
        output = next(iter(reversed(pattern.nodes)))
        self.pattern_returning_nodes = output.all_input_nodes
        # What is used within the pattern too is reached from there.
        self.pattern_anchors: list[Node] = (
            [output] if match_output else [n for n in output.all_input_nodes if len(n.users) == 1]
        )

    # -- single nodes --

    def _match_attributes(self, pn: Node, gn: Node) -> bool:
        """Whether two fetched attributes are of a kind."""
        if pn.graph.owning_module is None or gn.graph.owning_module is None:
            raise AssertionError("both graphs need modules to compare attributes")
        mine = _get_attr(pn.graph.owning_module, pn.target)
        theirs = _get_attr(gn.graph.owning_module, gn.target)
        if type(mine) is not type(theirs):
            return False
        if isinstance(mine, rushlight.Tensor):
            return isinstance(theirs, rushlight.Tensor)
        raise RuntimeError(f"Unsupported type {mine} when matching attributes")

    def _nodes_are_equal(self, pn: Node, gn: Node, node_name_match: str = "") -> bool:
        """Whether two nodes do the same, whatever their arguments."""
        if not self.match_placeholder and pn.op == "placeholder":
            return True
        if node_name_match and node_name_match in gn.name:
            return True
        if pn.op != gn.op:
            return False
        if pn.op in ("placeholder", "output"):
            return True
        if pn.op == "get_attr":
            return self._match_attributes(pn, gn)
        return bool(pn.target == gn.target)

    def _match_literals(self, pn: Any, gn: Any, match: InternalMatch) -> bool:
        """Whether two arguments are the same, of which at most one is a node."""
        if isinstance(pn, Node) and isinstance(gn, Node):
            raise AssertionError("pn and gn cannot both be Node")
        if isinstance(pn, Node):
            if pn.op != "placeholder":
                return False
            # A parameter of the pattern stands for any value.
            if pn in match.nodes_map:
                return bool(match.nodes_map[pn] == gn)
            match.nodes_map[pn] = gn
            return True
        if isinstance(gn, Node):
            return False
        return type(gn) is type(pn) and bool(gn == pn)

    def _match_nodes(
        self, pn: Node, gn: Node, match: InternalMatch, node_name_match: str = ""
    ) -> bool:
        """Whether what leads to two nodes is the same; the match has it all then."""
        if pn in match.nodes_map:
            return bool(match.nodes_map[pn] == gn)
        if any(gn is known for known in match.nodes_map.values()):
            # It has another place in the pattern.
            return False
        if not self._nodes_are_equal(pn, gn, node_name_match):
            return False
        before = copy.copy(match)
        match.nodes_map[pn] = gn
        if pn.op == "placeholder":
            return True
        mine, theirs = _arguments_of(pn, gn)
        if mine is not None and self._match_arguments(mine, theirs, match, node_name_match):
            return True
        match.nodes_map = before.nodes_map
        return False

    def _match_arguments(
        self, mine: Any, theirs: Any, match: InternalMatch, node_name_match: str
    ) -> bool:
        if len(mine) != len(theirs):
            return False
        for one, other in zip(mine, theirs):
            if isinstance(one, Node) and isinstance(other, Node):
                same = self._match_nodes(one, other, match, node_name_match)
            elif isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
                same = self._match_arguments(one, other, match, node_name_match)
            else:
                same = self._match_literals(one, other, match) or self.ignore_literals
            if not same:
                return False
        return True

    # -- matches --

    def _is_contained(self, nodes_map: dict[Node, Any]) -> bool:
        """Whether nobody outside uses a value that the pattern does not return."""
        inside = {gn: pn for pn, gn in nodes_map.items() if pn.op != "placeholder"}
        for gn, pn in inside.items():
            if pn in self.pattern_returning_nodes:
                continue
            if any(user not in inside for user in gn.users):
                return False
        return True

    def _remove_overlapping_matches(self, matches: list[InternalMatch]) -> list[InternalMatch]:
        taken: set[Node] = set()
        kept = []
        for match in matches:
            own = [
                gn for pn, gn in match.nodes_map.items() if pn.op not in ("placeholder", "output")
            ]
            if not any(gn in taken for gn in own):
                kept.append(match)
                taken.update(own)
        return kept

    def _find(
        self, index: int, match: InternalMatch, candidates: list[list[Node]], name: str
    ) -> Iterator[InternalMatch]:
        """The matches in which the anchors from an index on are placed, too."""
        if index == len(self.pattern_anchors):
            found = copy.copy(match)
            found.placeholder_nodes = [found.nodes_map[n] for n in self.pattern_placeholder_nodes]
            found.returning_nodes = [found.nodes_map[n] for n in self.pattern_returning_nodes]
            yield found
            return
        for node in candidates[index]:
            tried = copy.copy(match)
            if self._match_nodes(self.pattern_anchors[index], node, tried, name):
                yield from self._find(index + 1, tried, candidates, name)

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """The places in a graph where the pattern is found.

        Args:
            graph: the graph
            node_name_match: a part of names; nodes that have it match any node
        """
        candidates = [
            [gn for gn in graph.nodes if self._nodes_are_equal(anchor, gn, node_name_match)]
            for anchor in self.pattern_anchors
        ]
        start = InternalMatch(anchors=self.pattern_anchors)
        found = [
            match
            for match in self._find(0, start, candidates, node_name_match)
            if self._is_contained(match.nodes_map) and _takes_nodes(match)
        ]
        return self._remove_overlapping_matches(found) if self.remove_overlapping_matches else found


def _takes_nodes(match: InternalMatch) -> bool:
    """Whether the pattern's parameters stand for values that come from nodes with values."""
    return not any(isinstance(n, Node) and n.op == "output" for n in match.placeholder_nodes)


def _arguments_of(pn: Node, gn: Node) -> tuple[Any, Any]:
    """The arguments of two nodes in the same order; None if they were given differently."""
    if isinstance(pn.target, Operator) and pn.target == gn.target:
        names = [argument.name for argument in pn.target.schema.arguments]
        return _by_schema(pn, names), _by_schema(gn, names)
    if len(pn.args) == len(gn.args) and set(pn.kwargs) == set(gn.kwargs):
        names = list(pn.kwargs)
        mine = [*pn.args, *(pn.kwargs[name] for name in names)]
        return mine, [*gn.args, *(gn.kwargs[name] for name in names)]
    return None, None


def _by_schema(node: Node, names: list[str]) -> list[Any]:
    """The arguments of a call of an operator, in its order, with its defaults."""
    arguments = node.target.schema.arguments
    given = dict(zip(names, node.args)) | dict(node.kwargs)
    return [given.get(argument.name, argument.default) for argument in arguments]
