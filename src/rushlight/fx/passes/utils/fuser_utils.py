"""Putting nodes of a graph into submodules."""

from __future__ import annotations

import copy
import operator
from queue import SimpleQueue
from typing import Any

from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.tools_common import NodeList, stable_topological_sort
from rushlight.fx.passes.utils.common import lift_subgraph_as_module

__all__ = [
    "erase_nodes",
    "fuse_as_graphmodule",
    "fuse_by_partitions",
    "insert_subgm",
    "topo_sort",
    "validate_partition",
]


def topo_sort(nodes: NodeList) -> NodeList:
    """The nodes so that each comes behind those of them that it uses."""
    inside = set(nodes)
    missing = {node: sum(n in inside for n in node.all_input_nodes) for node in nodes}
    ready: SimpleQueue[Node] = SimpleQueue()
    for node in nodes:
        if missing[node] == 0:
            ready.put(node)
    ordered: NodeList = []
    while not ready.empty():
        node = ready.get()
        ordered.append(node)
        for user in node.users:
            if user in missing:
                missing[user] -= 1
                if missing[user] == 0:
                    ready.put(user)
    if len(ordered) != len(nodes):
        raise AssertionError("topological sorted nodes doesn't have same length as input nodes")
    return ordered


def validate_partition(partition: NodeList) -> bool:
    """Whether nodes can be one: nothing leads out of them and back in."""
    inside = set(partition)
    outside = [user for node in partition for user in node.users if user not in inside]
    seen: set[Node] = set()
    while outside:
        node = outside.pop()
        if node in seen:
            continue
        seen.add(node)
        if node in inside:
            return False
        outside.extend(node.users)
    return True


def fuse_as_graphmodule(
    gm: GraphModule,
    nodes: NodeList,
    module_name: str,
    partition_lookup_table: dict[Node, int | None] | None = None,
    *,
    always_return_tuple: bool = False,
) -> tuple[GraphModule, tuple[Node, ...], tuple[Node, ...]]:
    """A module of some nodes, the nodes whose values it gets, and those that it stands for.

    Args:
        gm: the module that they are of
        nodes: the nodes in order
        module_name: what the class of the new module is called
        partition_lookup_table: the same nodes
        always_return_tuple: whether it returns a tuple if there is one result, too
    """
    for node in nodes:
        if node.graph.owning_module is not gm:
            raise AssertionError(
                f"{node} doesn't belong to passed in graph module {gm._get_name()}"
            )
        if node._erased:
            raise AssertionError(f"{node} has been removed from owning graph")
    if not validate_partition(nodes):
        raise AssertionError("Invalid partition, found dependency cycles")
    inside = set(nodes) if partition_lookup_table is None else set(partition_lookup_table)
    graph = Graph()
    inputs: dict[Node, Node] = {}
    copies: dict[Node, Node] = {}

    def here(node: Node) -> Node:
        """The new graph's node for one of the other."""
        if node in copies:
            return copies[node]
        if node not in inputs:
            made = graph.placeholder(node.name, type_expr=node.type)
            made.meta = copy.copy(node.meta)
            inputs[node] = made
        return inputs[node]

    for node in nodes:
        copies[node] = graph.node_copy(node, here)
    outputs = {
        node: copies[node] for node in nodes if any(user not in inside for user in node.users)
    }
    results = tuple(outputs.values())
    graph.output(results[0] if len(results) == 1 and not always_return_tuple else results)
    graph.lint()
    made, _ = lift_subgraph_as_module(gm, graph, comp_name="", class_name=module_name)
    return made, tuple(inputs), tuple(outputs)


def insert_subgm(
    gm: GraphModule,
    sub_gm: GraphModule,
    orig_inputs: tuple[Node, ...],
    orig_outputs: tuple[Node, ...],
    insertion_point: Node | None = None,
) -> GraphModule:
    """Let a graph call a module of some of its nodes in their place.

    Args:
        gm: the module of the graph
        sub_gm: the module of the nodes
        orig_inputs: the nodes whose values it gets
        orig_outputs: the nodes that it stands for
        insertion_point: the node behind which the call comes; the last of `orig_outputs` if None
    """
    name = sub_gm.__class__.__name__
    gm.add_submodule(name, sub_gm)
    place = max(orig_outputs) if insertion_point is None else insertion_point
    with gm.graph.inserting_after(place):
        call = gm.graph.call_module(name, args=orig_inputs, kwargs=None)
    returned = sub_gm.graph.output_node().args[0]
    if len(orig_outputs) == 1 and not isinstance(returned, tuple):
        orig_outputs[0].replace_all_uses_with(call, propagate_meta=True)
        return gm
    last = call
    for index, old in enumerate(orig_outputs):
        with gm.graph.inserting_after(last):
            last = gm.graph.call_function(operator.getitem, (call, index))
        old.replace_all_uses_with(last, propagate_meta=True)
    call.meta["val"] = tuple(node.meta.get("val", None) for node in orig_outputs)
    return gm


def erase_nodes(gm: GraphModule, nodes: NodeList) -> None:
    """Erase nodes that use each other, the last first."""
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def fuse_by_partitions(
    gm: GraphModule,
    partitions: list[Any],
    prefix: str = "fused_",
    always_return_tuple: bool = False,
) -> GraphModule:
    """Put groups of nodes into submodules.

    Args:
        gm: the module, which is changed
        partitions: the groups
        prefix: what the submodules' names begin with
        always_return_tuple: whether they return a tuple if there is one result, too
    """
    for index, partition in enumerate(partitions):
        ordered = topo_sort(list(partition))
        made, inputs, outputs = fuse_as_graphmodule(
            gm, ordered, f"{prefix}{index}", always_return_tuple=always_return_tuple
        )
        # Behind the last of the nodes; the order is put right at the end.
        insert_subgm(gm, made, inputs, outputs, insertion_point=max(ordered))
        erase_nodes(gm, ordered)
    return stable_topological_sort(gm)
