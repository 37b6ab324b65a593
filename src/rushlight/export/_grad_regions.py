"""Blocks that switch gradients on or off: in exported graphs each is a call with a graph of its own."""

from __future__ import annotations

import operator

from rushlight._C import _set_grad_enabled
from rushlight._higher_order_ops.wrap import wrap_with_set_grad_enabled
from rushlight.engine.core import state
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.nn import Module

__all__ = ["replace"]


def replace(module: GraphModule) -> dict[Node, Node]:
    """Let nodes that run with gradients switched otherwise be graphs of their own; what stands for them."""
    nodes = list(module.graph.nodes)
    if not any(node.target is _set_grad_enabled for node in nodes):
        return {}
    replaced: dict[Node, Node] = {}
    outside = state.thread.grad_enabled
    enabled = outside
    region: list[Node] = []
    number = 0
    for node in nodes:
        is_switch = node.target is _set_grad_enabled
        if (is_switch or node.op == "output") and region:
            number += 1
            replaced |= _outline(module, region, enabled, number)
            region = []
        if is_switch:
            enabled = bool(node.args[0])
            module.graph.erase_node(node)
        elif enabled is not outside and node.op not in ("placeholder", "output"):
            region.append(node)
    module.graph.lint()
    module.recompile()
    return replaced


def _outline(
    module: GraphModule, region: list[Node], enabled: bool, number: int
) -> dict[Node, Node]:
    """Put nodes into a graph of their own, and a call of it in their place."""
    inside = set(region)
    inputs = list(dict.fromkeys(a for n in region for a in n.all_input_nodes if a not in inside))
    fetched = [a for a in inputs if a.op == "get_attr"]
    inputs = [a for a in inputs if a.op != "get_attr"]
    outputs = [n for n in region if any(u not in inside for u in n.users)]
    if all(n.op == "get_attr" for n in region):
        return {}
    replaced: dict[Node, Node] = {}
    graph, known = Graph(), {}
    for node in inputs:
        made = known[node] = graph.placeholder(node.name)
        made.name = made.target = node.name
        made.meta = dict(node.meta)
    root = Module()
    for node in [*fetched, *region]:
        known[node] = graph.node_copy(node, lambda n: known[n])
        if node.op == "get_attr":
            setattr(root, node.target, getattr(module, node.target))
    graph.output(tuple(known[n] for n in outputs))
    name = f"submod_{number}"
    module.add_module(name, GraphModule(root, graph, name))
    last = region[-1]
    with module.graph.inserting_after(last):
        holder = module.graph.get_attr(name)
    with module.graph.inserting_after(holder):
        call = module.graph.call_function(
            wrap_with_set_grad_enabled, (enabled, holder, *inputs), {}
        )
    call.meta["val"] = tuple(n.meta.get("val") for n in outputs)
    for one in (holder, call):
        one.meta["nn_module_stack"] = last.meta.get("nn_module_stack", {})
    place = call
    for k, node in enumerate(outputs):
        with module.graph.inserting_after(place):
            place = module.graph.call_function(operator.getitem, (call, k))
        place.meta = dict(node.meta)
        replaced[node] = place
        node.replace_all_uses_with(place, lambda user: user not in inside)
    for node in reversed(region):
        module.graph.erase_node(node)
    return replaced
