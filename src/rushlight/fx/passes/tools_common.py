"""Questions that passes ask of nodes, and the order of nodes."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Any

import rushlight
from rushlight.engine.native.records import dataclass
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, _get_qualified_name

__all__ = [
    "FxNetAccFusionsFinder",
    "get_acc_ops_name",
    "get_node_target",
    "is_node_output_tensor",
    "legalize_graph",
    "stable_topological_sort",
]

Tensors = tuple[Any, ...] | list[Any]
TensorOrTensors = Any
NodeList = list[Node]
NodeSet = set[Node]
Names = list[str]
CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


def get_acc_ops_name(k: Any) -> str:
    """The name of a function or class in messages."""
    if isinstance(k, str):
        return k
    if k.__module__ and "acc_ops" in k.__module__:
        return f"acc_ops.{k.__name__}"
    return _get_qualified_name(k)


def get_node_target(submodules: Mapping[str, Any], node: Node) -> str:
    """The name of what a node calls: of the module's class, of the function, or of the method."""
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError(
            "Expect op types of " + ", ".join(CALLABLE_NODE_OPS) + f", but found {node.op}"
        )
    if node.op == "call_module":
        module = submodules[node.target]
        kind = getattr(module, "_base_class_origin", type(module))
        return get_acc_ops_name(kind)
    if node.op == "call_function":
        function = node.target
        module_name = getattr(function, "__module__", None)
        if module_name and "acc_ops" in module_name:
            return f"acc_ops.{function.__name__}"
        return _get_qualified_name(function)
    return str(node.target)


def is_node_output_tensor(node: Node) -> bool:
    """Whether the value of a node is a tensor, as far as that was noted."""
    kind = node.meta.get("type", None)
    return kind is not None and issubclass(kind, rushlight.Tensor)


class FxNetAccFusionsFinder:
    """Finds the nodes between which values go that are no tensors: they must stay together.

    Args:
        module: the module
        acc_nodes: the nodes that are looked at
    """

    def __init__(self, module: GraphModule, acc_nodes: NodeSet) -> None:
        self.module = module
        self.nodes = list(module.graph.nodes)
        self.acc_nodes = acc_nodes

    @dataclass
    class FusionGroup:
        """Nodes that must stay together."""

        # The place of the first of them among all nodes.
        top_node_idx: int
        nodes: NodeSet
        inputs: NodeSet
        nodes_need_process: NodeSet

        def add_node(self, node: Node) -> None:
            """Take a node in."""
            if node in self.nodes:
                return
            self.nodes_need_process.add(node)
            self.nodes.add(node)
            self.inputs.discard(node)
            self.inputs.update(
                {
                    n
                    for n in node.all_input_nodes
                    if n.op in CALLABLE_NODE_OPS and n not in self.nodes
                }
            )

    def recursive_add_node(
        self,
        fusion_group: FusionGroup,
        inputs: NodeSet | NodeList,
        visited: NodeSet | None = None,
    ) -> bool:
        """Take in what lies between a group and its own inputs; whether there was something."""
        for node in inputs:
            if visited is not None:
                if node in visited:
                    continue
                visited.add(node)
            # What comes before the group's first node cannot depend on the group.
            if node in fusion_group.nodes:
                return True
            is_behind = self.nodes.index(node) >= fusion_group.top_node_idx
            if (
                node.op in CALLABLE_NODE_OPS
                and is_behind
                and self.recursive_add_node(fusion_group, node.all_input_nodes, visited)
            ):
                fusion_group.add_node(node)
                return True
        return False

    def __call__(self) -> dict[Node, NodeSet]:
        """The group of each node that is in one."""
        result: dict[Node, NodeSet] = {}
        for node in list(self.acc_nodes):
            if node in result or node.op not in CALLABLE_NODE_OPS:
                continue
            if "tensor_meta" in node.meta or node not in self.acc_nodes:
                continue
            group = self.FusionGroup(
                top_node_idx=self.nodes.index(node),
                nodes={node},
                inputs=set(node.all_input_nodes),
                nodes_need_process={node},
            )
            while group.nodes_need_process:
                current = group.nodes_need_process.pop()
                self.recursive_add_node(group, group.inputs, visited=set())
                if "tensor_meta" not in current.meta:
                    for user in current.users:
                        if user.op in CALLABLE_NODE_OPS and user not in group.nodes:
                            group.add_node(user)
                for used in current.all_input_nodes:
                    if used.op not in CALLABLE_NODE_OPS or "tensor_meta" in used.meta:
                        continue
                    if used not in group.nodes:
                        group.add_node(used)
                    group.top_node_idx = min(group.top_node_idx, self.nodes.index(used))
            if not group.nodes <= self.acc_nodes:
                self.acc_nodes -= group.nodes
            else:
                for member in group.nodes:
                    result[member] = group.nodes
        return result


def legalize_graph(gm: GraphModule) -> GraphModule:
    """Put the nodes in an order in which each comes behind its arguments."""
    return _sorted(gm, stable=False)


def stable_topological_sort(gm: GraphModule) -> GraphModule:
    """`legalize_graph` that moves no node without need."""
    return _sorted(gm, stable=True)


def _sorted(gm: GraphModule, stable: bool) -> GraphModule:
    nodes = list(gm.graph.nodes)
    place = {node: index for index, node in enumerate(nodes)}
    missing = {node: len(node.all_input_nodes) for node in nodes}

    def key(node: Node) -> tuple[int, int]:
        # Parameters come first, the output last, whatever their place was.
        return _RANKS.get(node.op, 2), place[node]

    ready = sorted((key(node), node) for node in nodes if not missing[node])
    made = Graph(tracer_cls=gm.graph._tracer_cls)
    copies: dict[Node, Node] = {}
    while ready:
        node = heapq.heappop(ready)[1] if stable else ready.pop(0)[1]
        copies[node] = made.node_copy(node, lambda n: copies[n])
        for user in node.users:
            missing[user] -= 1
            if missing[user] == 0:
                if stable:
                    heapq.heappush(ready, (key(user), user))
                else:
                    ready.append((key(user), user))
    if len(copies) < len(nodes):
        raise RuntimeError(
            f"Input graph has cycles, unable to add {[n for n in missing if missing[n] != 0]}"
        )
    made._codegen = gm.graph._codegen
    gm.graph = made
    return gm


_RANKS = {"placeholder": 0, "get_attr": 1, "output": 3}
