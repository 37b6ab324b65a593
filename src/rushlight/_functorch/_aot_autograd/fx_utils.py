"""Nodes of joint graphs with descriptors, by what they are."""

from __future__ import annotations

from typing import Any

from rushlight._functorch._aot_autograd.descriptors import (
    AOTInput,
    BufferAOTInput,
    DifferentiableAOTInput,
    DifferentiableAOTOutput,
    GradAOTOutput,
    ParamAOTInput,
    PlainAOTInput,
    PlainAOTOutput,
    SubclassGetAttrAOTInput,
    SubclassGetAttrAOTOutput,
    TangentAOTInput,
)
from rushlight.fx.graph import Graph
from rushlight.fx.node import Node

__all__ = [
    "get_all_input_and_grad_nodes",
    "get_all_output_and_tangent_nodes",
    "get_buffer_nodes",
    "get_named_buffer_nodes",
    "get_named_param_nodes",
    "get_param_and_grad_nodes",
    "get_param_nodes",
    "get_plain_input_and_grad_nodes",
    "get_plain_output_and_tangent_nodes",
]


def _inputs(g: Graph) -> list[tuple[Node, AOTInput]]:
    return [(node, node.meta["desc"]) for node in g.find_nodes(op="placeholder")]


def _outputs(g: Graph) -> list[tuple[Any, Any]]:
    (node,) = g.find_nodes(op="output")
    if "desc" not in node.meta:
        raise AssertionError(f"'desc' not in n.meta for {node}: {node.meta}")
    return list(zip(node.args[0], node.meta["desc"], strict=True))


def _refuse_parts(node: Any, desc: Any) -> None:
    if isinstance(desc, (SubclassGetAttrAOTInput, SubclassGetAttrAOTOutput)):
        raise RuntimeError(
            f"{node} is a part of a tensor of a class ({desc.expr()}): parts of inputs and of gradients do not "
            "always belong together"
        )


def get_all_input_and_grad_nodes(
    g: Graph,
) -> dict[DifferentiableAOTInput, tuple[Node, Node | None]]:
    """The nodes of all inputs, and of their gradients where these are outputs."""
    grads: dict[Any, Any] = {}
    for node, desc in _outputs(g):
        _refuse_parts(node, desc)
        if isinstance(desc, GradAOTOutput):
            grads[desc.grad_of] = node
    for node, given in _inputs(g):
        _refuse_parts(node, given)
    return {
        desc: (node, grads.get(desc))
        for node, desc in _inputs(g)
        if isinstance(desc, DifferentiableAOTInput)
    }


def get_all_output_and_tangent_nodes(
    g: Graph,
) -> dict[DifferentiableAOTOutput, tuple[Node, Node | None]]:
    """The nodes of all outputs, and of their gradients where these are inputs."""
    tangents = {}
    for node, desc in _inputs(g):
        _refuse_parts(node, desc)
        if isinstance(desc, TangentAOTInput):
            tangents[desc.output] = node
    for node, made in _outputs(g):
        _refuse_parts(node, made)
    return {
        desc: (node, tangents.get(desc))
        for node, desc in _outputs(g)
        if isinstance(desc, DifferentiableAOTOutput)
    }


def get_param_and_grad_nodes(g: Graph) -> dict[ParamAOTInput, tuple[Node, Node | None]]:
    """The nodes of parameters and of their gradients."""
    found = get_all_input_and_grad_nodes(g)
    return {desc: nodes for desc, nodes in found.items() if isinstance(desc, ParamAOTInput)}


def get_plain_input_and_grad_nodes(g: Graph) -> dict[PlainAOTInput, tuple[Node, Node | None]]:
    """The nodes of arguments and of their gradients."""
    found = get_all_input_and_grad_nodes(g)
    return {desc: nodes for desc, nodes in found.items() if isinstance(desc, PlainAOTInput)}


def get_plain_output_and_tangent_nodes(g: Graph) -> dict[PlainAOTOutput, tuple[Node, Node | None]]:
    """The nodes of results and of their gradients."""
    found = get_all_output_and_tangent_nodes(g)
    return {desc: nodes for desc, nodes in found.items() if isinstance(desc, PlainAOTOutput)}


def _named(g: Graph, kind: type) -> dict[str, Node]:
    found = {}
    for node, desc in _inputs(g):
        if isinstance(desc, SubclassGetAttrAOTInput) and (desc.is_param() or desc.is_buffer()):
            raise RuntimeError(f"{node} is only a part of what it is named after: {desc.expr()}")
        if isinstance(desc, kind):
            found[desc.target] = node  # type: ignore[attr-defined]
    return found


def get_named_param_nodes(graph: Graph) -> dict[str, Node]:
    """The nodes of parameters by their names."""
    return _named(graph, ParamAOTInput)


def get_named_buffer_nodes(graph: Graph) -> dict[str, Node]:
    """The nodes of buffers by their names."""
    return _named(graph, BufferAOTInput)


def get_param_nodes(graph: Graph) -> list[Node]:
    """The nodes of parameters, and of parts of such."""
    return [node for node, desc in _inputs(graph) if desc.is_param()]


def get_buffer_nodes(graph: Graph) -> list[Node]:
    """The nodes of buffers, and of parts of such."""
    return [node for node, desc in _inputs(graph) if desc.is_buffer()]
