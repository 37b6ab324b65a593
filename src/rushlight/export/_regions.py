"""Blocks that switch gradients or autocast: in exported graphs each is a call with a graph of its own."""

from __future__ import annotations

import itertools
import operator
from typing import Any

from rushlight._C import _set_grad_enabled
from rushlight._higher_order_ops.wrap import wrap_with_autocast, wrap_with_set_grad_enabled
from rushlight.amp.autocast_mode import _enter_autocast, _exit_autocast
from rushlight.engine.core import state
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.nn import Module

__all__ = ["replace"]

# A block: the operator that calls a graph within it, and what it is told.
Block = tuple[Any, tuple[Any, ...]]
_SWITCHES = (_set_grad_enabled, _enter_autocast, _exit_autocast)


def replace(module: GraphModule) -> dict[Node, Node]:
    """Let nodes within blocks be graphs of their own; what stands for them."""
    nodes = list(module.graph.nodes)
    if not any(node.target in _SWITCHES for node in nodes):
        return {}
    replaced: dict[Node, Node] = {}
    numbers = itertools.count(1)
    outside = enabled = state.thread.grad_enabled
    entered: list[Block] = []
    region: list[Node] = []
    for node in nodes:
        is_switch = node.target in _SWITCHES
        if (is_switch or node.op == "output") and region:
            blocks = list(entered)
            if enabled is not outside:
                blocks.append((wrap_with_set_grad_enabled, (enabled,)))
            for block in reversed(blocks):
                region, stands = _outline(module, region, block, next(numbers))
                replaced = {old: stands.get(new, new) for old, new in replaced.items()} | stands
            region = []
        if node.target is _set_grad_enabled:
            enabled = bool(node.args[0])
        elif node.target is _enter_autocast:
            entered.append((wrap_with_autocast, node.args))
        elif node.target is _exit_autocast:
            entered.pop()
        elif (entered or enabled is not outside) and node.op not in ("placeholder", "output"):
            region.append(node)
    for node in reversed(nodes):
        if node.target in _SWITCHES:
            module.graph.erase_node(node)
    module.graph.lint()
    module.recompile()
    return replaced


def _outline(
    module: GraphModule, region: list[Node], block: Block, number: int
) -> tuple[list[Node], dict[Node, Node]]:
    """Put nodes into a graph of their own, and a call of it in their place; the new nodes, and what they stand for."""
    inside = set(region)
    inputs = list(dict.fromkeys(a for n in region for a in n.all_input_nodes if a not in inside))
    fetched = [a for a in inputs if a.op == "get_attr"]
    inputs = [a for a in inputs if a.op != "get_attr"]
    outputs = [n for n in region if any(u not in inside for u in n.users)]
    if all(n.op == "get_attr" for n in region):
        return region, {}
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
        call = module.graph.call_function(block[0], (*block[1], holder, *inputs), {})
    made_nodes = [holder, call]
    call.meta["val"] = tuple(n.meta.get("val") for n in outputs)
    for one in (holder, call):
        one.meta["nn_module_stack"] = last.meta.get("nn_module_stack", {})
    place = call
    for k, node in enumerate(outputs):
        with module.graph.inserting_after(place):
            place = module.graph.call_function(operator.getitem, (call, k))
        place.meta = dict(node.meta)
        replaced[node] = place
        made_nodes.append(place)
        node.replace_all_uses_with(place, lambda user: user not in inside)
    for node in reversed(region):
        module.graph.erase_node(node)
    return made_nodes, replaced
