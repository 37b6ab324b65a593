"""Sizes of values, and other targets for nodes."""

from __future__ import annotations

from typing import Any, NamedTuple

from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, map_arg
from rushlight.fx.passes.shape_prop import ShapeProp, TensorMetadata

__all__ = [
    "get_size_of_all_nodes",
    "get_size_of_node",
    "get_tensor_meta",
    "replace_target_nodes_with",
    "size_bytes",
]


class size_bytes(NamedTuple):
    """The bytes of a node's value, and of that with the parameters that it uses."""

    output_size: int
    total_size: int


def replace_target_nodes_with(
    fx_module: GraphModule, old_op: str, old_target: Any, new_op: str, new_target: Any
) -> None:
    """Let all nodes of a kind and target have others."""
    made = Graph()
    copies: dict[Node, Node] = {}
    for node in fx_module.graph.nodes:
        if node.op == old_op and node.target == old_target:
            args = map_arg(node.args, lambda n: copies[n])
            kwargs = map_arg(node.kwargs, lambda n: copies[n])
            if not isinstance(args, tuple):
                raise AssertionError(f"Expected tuple, got {type(args)}")
            if not isinstance(kwargs, dict):
                raise AssertionError(f"Expected dict, got {type(kwargs)}")
            copies[node] = made.create_node(new_op, new_target, args, kwargs, node.name)
        else:
            copies[node] = made.node_copy(node, lambda n: copies[n])
    fx_module.graph = made


def get_size_of_all_nodes(fx_module: GraphModule, args: list[Any] | None = None) -> None:
    """Give each node an attribute `size_bytes`.

    Args:
        fx_module: the module
        args: arguments to run it with first, if nothing was noted of its values
    """
    if args is not None:
        ShapeProp(fx_module).propagate(*args)
    for node in fx_module.graph.nodes:
        if node.op == "output":
            break
        node.size_bytes = get_size_of_node(fx_module, node)


def get_tensor_meta(node: Node) -> Any:
    """What is known of a node's value."""
    found = node.meta.get("tensor_meta")
    if not found:
        raise RuntimeError(
            f"Node {node} has no tensor metadata associated with it! Check that shape propagation "
            f"has run."
        )
    return found


def get_size_of_node(fx_module: GraphModule, node: Node) -> size_bytes:
    """The bytes of a node's value, and of that with the parameters that it uses."""
    total = 0
    if node.op == "call_module":
        submodules = dict(fx_module.named_modules())
        for _, parameter in submodules[node.target].named_parameters():
            total += parameter.numel() * parameter.element_size()
    output = 0

    def add(meta: Any) -> Any:
        nonlocal output
        if isinstance(meta, TensorMetadata):
            output += meta.shape.numel() * meta.dtype.itemsize
        return meta

    found = get_tensor_meta(node)
    if isinstance(found, TensorMetadata):
        add(found)
    else:
        _each(found, add)
    return size_bytes(output, total + output)


def _each(value: Any, function: Any) -> None:
    if isinstance(value, TensorMetadata):
        function(value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _each(item, function)
    elif isinstance(value, dict):
        _each(list(value.values()), function)
