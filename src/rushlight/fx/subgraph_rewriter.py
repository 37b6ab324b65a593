"""Putting one graph in the place of another."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.engine.native.records import dataclass
from rushlight.fx._symbolic_trace import symbolic_trace
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.utils.matcher_utils import InternalMatch, SubgraphMatcher
from rushlight.fx.passes.utils.matcher_with_name_node_map_utils import (
    SubgraphMatcherWithNameNodeMap,
)
from rushlight.nn.modules.module import Module

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]


class Match(NamedTuple):
    """A place where a pattern was found.

    Attributes:
        anchor: the node of the pattern that the search began at
        nodes_map: the graph's node for each of the pattern's
    """

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A place where a pattern was replaced.

    Attributes:
        anchor: the node of the pattern that the search began at
        nodes_map: the graph's node for each of the pattern's
        replacements: the nodes that came instead
    """

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


MatchFilter = Callable[[InternalMatch, Graph, Graph], bool]


def _found(module: Any, path: str) -> Any:
    """What a path in a module leads to, or None."""
    for part in path.split("."):
        module = getattr(module, part, None)
    return module


def _replace_attributes(gm: GraphModule, replacement: Any) -> None:
    """Give a module what the replacement uses and it does not have."""
    gm.delete_all_unused_submodules()
    if isinstance(replacement, GraphModule):
        replacement.graph.lint()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        new = _found(replacement, node.target)
        if _found(gm, node.target) is not None:
            continue
        if new is None:
            raise RuntimeError(
                f'Attempted to create a "{node.op}" node during subgraph rewriting with target '
                f"{node.target}, but the referenced attribute does not exist in the replacement "
                f"GraphModule"
            )
        if isinstance(new, Module):
            gm.add_submodule(node.target, copy.deepcopy(new))
        else:
            *inner, name = node.target.split(".")
            setattr(_found(gm, ".".join(inner)) if inner else gm, name, new)
    gm.graph.lint()


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Put a graph wherever another is found; where that was.

    Args:
        gm: the module whose graph is changed
        pattern: the function or module that is looked for; its parameters stand for any values
        replacement: the function or module that comes instead, with as many parameters
    """
    return [
        Match(anchor=one.anchor, nodes_map=one.nodes_map)
        for one in _replace_pattern(gm, pattern, replacement)
    ]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Any,
    replacement: Any = None,
    match_filters: list[MatchFilter] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    """`replace_pattern` where filters agree.

    Args:
        gm: the module whose graph is changed
        pattern: what is looked for
        replacement: what comes instead
        match_filters: say of a match whether it counts
        ignore_literals: whether arguments that are no nodes may differ
        replacement_callback: gives what comes instead for a match
        node_name_match: a part of names; nodes that have it match any node
    """
    return _replace_pattern(
        gm, pattern, replacement, match_filters, ignore_literals, replacement_callback,
        node_name_match,
    )  # fmt: skip


def _graph_of(program: Any) -> Graph:
    if isinstance(program, GraphModule):
        return program.graph
    return program if isinstance(program, Graph) else symbolic_trace(program).graph


def _matcher_of(pattern: Any, pattern_graph: Graph, ignore_literals: bool) -> SubgraphMatcher:
    if isinstance(pattern, GraphModule) and _names_nodes(pattern_graph):
        return SubgraphMatcherWithNameNodeMap(
            pattern, remove_overlapping_matches=True, ignore_literals=ignore_literals
        )
    return SubgraphMatcher(
        pattern_graph, remove_overlapping_matches=True, ignore_literals=ignore_literals
    )


def _names_nodes(graph: Graph) -> bool:
    """Whether the last value that a graph returns is a dictionary of names."""
    returned = graph.output_node().args[0]
    return isinstance(returned, tuple) and bool(returned) and isinstance(returned[-1], dict)


def _replace_pattern(
    gm: GraphModule,
    pattern: Any,
    replacement: Any = None,
    match_filters: list[MatchFilter] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    graph = gm.graph
    pattern_graph = _graph_of(pattern)
    matcher = _matcher_of(pattern, pattern_graph, ignore_literals)
    matches = [
        match
        for match in matcher.match(graph, node_name_match)
        if all(agrees(match, graph, pattern_graph) for agrees in match_filters or ())
    ]
    common: Graph | None = None
    if replacement_callback is None:
        if replacement is None:
            raise AssertionError(
                "Must provide either replacement GraphModule or replacement callback"
            )
        common = _graph_of(replacement)
    # What took the place of nodes that later matches speak of.
    changed: dict[Node, Node] = {}
    done = []
    for match in matches:
        made = common
        if made is None:
            if replacement_callback is None:
                raise AssertionError("Must provide a replacement callback")
            made = replacement_callback(match, graph, pattern_graph)
        done.append(_replace_one(graph, match, made, pattern_graph, changed))
    gm.recompile()
    if isinstance(replacement, Module):
        _replace_attributes(gm, replacement)
    return done


def _replace_one(
    graph: Graph,
    match: InternalMatch,
    replacement: Graph,
    pattern: Graph,
    changed: dict[Node, Node],
) -> ReplacedPatterns:
    """Put a graph where a match is."""
    parameters = [node for node in replacement.nodes if node.op == "placeholder"]
    if len(match.placeholder_nodes) != len(parameters):
        raise AssertionError(
            f"Expected {len(parameters)} placeholder nodes, got {len(match.placeholder_nodes)}"
        )
    known: dict[Node, Any] = {}
    for parameter, given in zip(parameters, match.placeholder_nodes):
        now = changed.get(given, given) if isinstance(given, Node) else given
        known[parameter] = now
        if now is not given:
            match.placeholder_nodes[match.placeholder_nodes.index(given)] = now
            for pattern_node, node in match.nodes_map.items():
                if node is given:
                    match.nodes_map[pattern_node] = now
    users = {user for node in match.returning_nodes for user in node.users}
    before = next((node for node in graph.nodes if node in users), None)
    if before is None or all(node.op == "placeholder" for node in match.anchors):
        raise AssertionError("The insert point can't be None")
    inputs = [value for value in known.values() if isinstance(value, Node)]
    with graph.inserting_before(_behind(inputs, before)):
        result = graph.graph_copy(replacement, known)
    returned = result if isinstance(result, tuple) else (result,)
    taken = {id(node) for node in match.placeholder_nodes}
    added = [node for node in known.values() if isinstance(node, Node) and id(node) not in taken]
    if len(match.returning_nodes) != len(returned):
        raise AssertionError(
            f"Expected {len(match.returning_nodes)} returning nodes, got {len(returned)}"
        )
    for old, new in zip(match.returning_nodes, returned):
        old.replace_all_uses_with(new)
        changed[old] = new
    for node in reversed(pattern.nodes):
        if node.op not in ("placeholder", "output"):
            graph.erase_node(match.nodes_map[node])
    return ReplacedPatterns(match.anchors[0], match.nodes_map, added)


def _behind(inputs: list[Node], before: Node) -> Node:
    """A place that all inputs are known at: before a node, or behind the last of them."""
    last = max(inputs, default=None)
    return last.next if last is not None and last >= before else before
