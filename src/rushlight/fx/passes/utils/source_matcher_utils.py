"""The nodes that came from a function or module of the traced program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from rushlight.engine.native.records import dataclass
from rushlight.fx.graph import Graph
from rushlight.fx.node import Node

__all__ = ["SourcePartition", "check_subgraphs_connected", "get_source_partitions"]


@dataclass
class SourcePartition:
    """Nodes that came from one call."""

    nodes: list[Node]
    # What was called.
    source: Any
    input_nodes: list[Node] = field(default_factory=list)
    output_nodes: list[Node] = field(default_factory=list)
    params: list[Node] = field(default_factory=list)


def get_source_partitions(
    graph: Graph,
    wanted_sources: list[Any],
    filter_fn: Callable[[Node], bool] | None = None,
) -> dict[Any, list[SourcePartition]]:
    """The nodes that came from calls of some functions or modules, by these.

    Args:
        graph: the graph; its nodes have `meta["source_fn_stack"]` or `meta["torch_fn"]`
        wanted_sources: what was called
        filter_fn: says of nodes whether they count
    """
    found: dict[Any, dict[str, list[Node]]] = {}
    for node in graph.nodes:
        stack = node.meta.get("source_fn_stack", None)
        if stack is not None:
            call, source = stack[-1]
        elif "torch_fn" in node.meta:
            call, path = node.meta["torch_fn"]
            source = path.split(".")[1]
        else:
            continue
        if source in wanted_sources:
            found.setdefault(source, {}).setdefault(call, []).append(node)
    partitions = {
        source: [_partition(nodes, source) for nodes in calls.values()]
        for source, calls in found.items()
    }
    if filter_fn is None:
        return partitions
    kept = {
        source: [one for one in ones if all(map(filter_fn, one.nodes))]
        for source, ones in partitions.items()
    }
    return {source: ones for source, ones in kept.items() if ones}


def _partition(nodes: list[Node], source: Any) -> SourcePartition:
    inside = set(nodes)
    inputs: dict[Node, None] = {}
    outputs: dict[Node, None] = {}
    parameters: dict[Node, None] = {}
    for node in nodes:
        for used in node.all_input_nodes:
            if used in inside:
                continue
            if used.op == "get_attr":
                parameters[used] = None
            else:
                inputs[used] = None
        if node.op == "get_attr":
            parameters[node] = None
        if any(user not in inside for user in node.users):
            outputs[node] = None
    return SourcePartition(nodes, source, list(inputs), list(outputs), list(parameters))


def check_subgraphs_connected(subgraph1: SourcePartition, subgraph2: SourcePartition) -> bool:
    """Whether the second gets a value of the first."""
    given = set(subgraph1.nodes)
    return any(used in given for node in reversed(subgraph2.nodes) for used in node.all_input_nodes)
