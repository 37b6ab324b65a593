"""Taking a module apart by tags of its nodes."""

from __future__ import annotations

import functools
from dataclasses import field
from typing import Any

from rushlight.engine.native.records import dataclass
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, map_arg
from rushlight.fx.passes.tools_common import NodeList, is_node_output_tensor
from rushlight.fx.passes.utils.common import HolderModule, lift_subgraph_as_module

__all__ = [
    "Component",
    "getattr_recursive",
    "move_non_tensor_nodes_on_boundary",
    "setattr_recursive",
    "split_by_tags",
]


def getattr_recursive(obj: Any, name: str) -> Any:
    """What a path leads to, of which numbers are indices of lists; None if it leads nowhere."""
    for part in name.split("."):
        if isinstance(obj, list):
            obj = obj[int(part)]
        elif hasattr(obj, part):
            obj = getattr(obj, part)
        else:
            return None
    return obj


def setattr_recursive(obj: Any, attr: str, value: Any) -> None:
    """Set what a path leads to."""
    *inner, name = attr.split(".")
    for part in inner:
        obj = getattr(obj, part)
    setattr(obj, name, value)


@dataclass
class Component:
    """A submodule in the making."""

    graph: Graph
    order: int
    name: str
    # Its parameters, and the nodes that they are given.
    input_placeholders: list[Node] = field(default_factory=list)
    orig_inputs: list[Node] = field(default_factory=list)
    # The nodes whose values it returns.
    orig_outputs: list[Node] = field(default_factory=list)
    # Its nodes for nodes that fetch attributes.
    getattr_maps: dict[Node, Node] = field(default_factory=dict)
    constructor_args: list[str] = field(default_factory=list)
    gm: GraphModule | None = None


def split_by_tags(
    gm: GraphModule,
    tags: list[str],
    return_fqn_mapping: bool = False,
    return_tuple: bool = False,
    GraphModuleCls: type[GraphModule] = GraphModule,
) -> Any:
    """A module that calls a submodule for each tag, in the order given.

    Args:
        gm: the module; its calls have an attribute `tag`
        tags: the tags
        return_fqn_mapping: whether to give where what submodules use was
        return_tuple: whether a submodule with one result returns a tuple too
        GraphModuleCls: the class of the new module
    """
    components = {tag: Component(Graph(), order, f"{tag}") for order, tag in enumerate(tags)}
    if len(components) != len(tags):
        raise AssertionError("Tags must be unique")
    component_of: dict[Node, Component] = {}
    copies: dict[Node, Node] = {}
    main = Graph()
    main_nodes: dict[Node, Node] = {}
    output: Node | None = None
    for node in gm.graph.nodes:
        if node.op == "output":
            if output is not None:
                raise RuntimeError("Multiple output nodes in graph!")
            output = node
        elif node.op == "placeholder":
            main_nodes[node] = main.placeholder(node.name, type_expr=node.type)
            main_nodes[node].meta = node.meta.copy()
        elif node.op != "get_attr":
            if not hasattr(node, "tag"):
                raise AssertionError(f"Node does not have tag: {node.format_node()}")
            component = components[node.tag]
            _check_order(node, component, component_of)
            here = functools.partial(
                _inside, component=component, component_of=component_of, copies=copies
            )
            copies[node] = component.graph.node_copy(node, here)
            component_of[node] = component
    if output is None:
        raise RuntimeError("Graph had no output node!")
    for node in output.all_input_nodes:
        if node.op == "get_attr":
            raise RuntimeError("split_by_tags: an attribute is returned as it is")
        if node in component_of and node not in component_of[node].orig_outputs:
            component_of[node].orig_outputs.append(node)
    holder = HolderModule({})
    moved: dict[str, str] = {}
    for tag in tags:
        moved |= _call_component(
            gm, components[tag], copies, main, main_nodes, holder, return_tuple
        )
    made = main.output(map_arg(output.args[0], lambda n: main_nodes[n]))
    made.meta = output.meta.copy()
    module = GraphModuleCls(holder, main)
    return (module, moved) if return_fqn_mapping else module


def _check_order(node: Node, component: Component, component_of: dict[Node, Component]) -> None:
    orders = [component_of[n].order for n in node.all_input_nodes if n in component_of]
    if orders and component.order < max(orders):
        raise AssertionError(
            f"Component {component.name} order must be >= max of its upstream components, got "
            f"{component.order} < {max(orders)}"
        )


def _inside(
    node: Node,
    component: Component,
    component_of: dict[Node, Component],
    copies: dict[Node, Node],
) -> Node:
    """A component's node for one of the whole graph: a copy, or a parameter."""
    if node.op == "get_attr":
        if node not in component.getattr_maps:
            component.getattr_maps[node] = component.graph.get_attr(
                node.target, type_expr=node.type
            )
        return component.getattr_maps[node]
    home = component_of.get(node)
    if home is component:
        return copies[node]
    if home is not None and node not in home.orig_outputs:
        home.orig_outputs.append(node)
    if node not in component.orig_inputs:
        component.orig_inputs.append(node)
        made = component.graph.placeholder(node.name, type_expr=node.type)
        made.meta = node.meta.copy()
        component.input_placeholders.append(made)
    return component.input_placeholders[component.orig_inputs.index(node)]


def _call_component(
    gm: GraphModule,
    component: Component,
    copies: dict[Node, Node],
    main: Graph,
    main_nodes: dict[Node, Node],
    holder: Any,
    return_tuple: bool,
) -> dict[str, str]:
    """Let the new graph call a component; where what it uses was."""
    values = tuple(copies[node] for node in component.orig_outputs)
    several = return_tuple or len(values) != 1
    component.graph.output(values if several else values[0])
    component.gm, moved = lift_subgraph_as_module(gm, component.graph, component.name)
    call = main.call_module(
        component.name, tuple(main_nodes[node] for node in component.orig_inputs)
    )
    if several:
        from rushlight.fx.proxy import Proxy

        proxy = Proxy(call)
        for index, node in enumerate(component.orig_outputs):
            main_nodes[node] = proxy[index].node  # type: ignore[index]
            main_nodes[node].meta = node.meta.copy()
    else:
        main_nodes[component.orig_outputs[0]] = call
        call.meta = component.orig_outputs[0].meta.copy()
    setattr(holder, component.name, component.gm)
    return moved


def move_non_tensor_nodes_on_boundary(subgraphs: list[Any]) -> None:
    """Let nodes at the end of a part whose values are no tensors belong to the part that uses them."""
    home = {node: index for index, subgraph in enumerate(subgraphs) for node in subgraph.nodes}
    for index, subgraph in enumerate(subgraphs):
        if not subgraph.is_acc:
            continue
        moved: NodeList = []
        for node in reversed(subgraph.nodes):
            users = [user for user in node.users if user in home]
            outside = {home[user] for user in users}
            if is_node_output_tensor(node) or not users or index in outside:
                continue
            if len(outside) == 1:
                target = subgraphs[outside.pop()]
                target.nodes.insert(0, node)
                home[node] = subgraphs.index(target)
                moved.append(node)
        subgraph.nodes = [node for node in subgraph.nodes if node not in moved]
