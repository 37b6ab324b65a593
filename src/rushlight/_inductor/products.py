"""Products of matrices among the nodes of a graph."""

from __future__ import annotations

from rushlight._inductor.fusion import full_arguments, is_plain, spec_of, value_of
from rushlight._inductor.scalar_program import Call, Ref, request_of, stand_in
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops.kinds.planned import Request
from rushlight.engine.ops.kinds.products import Product
from rushlight.fx.node import Node


def request_by(node: Node) -> Request | None:
    """What a call of an operator on plain tensors asks for, where a rule says it."""
    op = node.target
    if node.op != "call_function" or not isinstance(op, Operator):
        return None
    if op.schema.kind != "functional" or op.schema.is_view:
        return None
    if not all(is_plain(value_of(x)) for x in node.all_input_nodes):
        return None
    stands = [
        stand_in(spec_of(value_of(x))) if isinstance(x, Node) else x for x in full_arguments(node)
    ]
    return request_of(op, stands)


def product_of(node: Node) -> Product | None:
    """The product that a node asks the host for, if it is one."""
    request = request_by(node)
    if not isinstance(request, Product) or value_of(node).device.type != "cpu":
        return None
    return request


def call_of(node: Node, inputs: list[Node]) -> Call:
    """A node as a call, of these inputs."""
    args = (Ref(inputs.index(x)) if isinstance(x, Node) else x for x in full_arguments(node))
    return Call(node.target, tuple(args))  # type: ignore[arg-type]
