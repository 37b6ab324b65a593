"""Products of matrices among the nodes of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from rushlight._inductor import config
from rushlight._inductor.fusion import (
    Fusion,
    Group,
    full_arguments,
    is_plain,
    size_of,
    spec_of,
    value_of,
)
from rushlight._inductor.product_kernels import folds
from rushlight._inductor.scalar_program import Call, Ref, request_of, stand_in
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops.kinds.epilogues import gains, may_have_epilogue
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


# -- loops behind products --


class Joined(NamedTuple):
    """A group that has a product before it.

    Args:
        product: the node
        view: the view of its result that the group's other nodes read, if they do not read it as it is
    """

    product: Node
    view: Node | None


def join_products(fusion: Fusion) -> dict[int, Joined]:
    """Let products be in the groups of the loops behind them, where these gain by it; by the groups' numbers."""
    found: dict[int, Joined] = {}
    if not config.epilogue_fusion:
        return found
    for node in fusion.graph.nodes:
        product = product_of(node)
        if product is None or not may_have_epilogue(product):
            continue
        for source in (node, *(user for user in node.users if _splits_rows(user, product))):
            view = None if source is node else source
            group = _group_behind(fusion, source, view, product, found)
            if group is None:
                continue
            for part in (node, *([] if view is None else [view])):
                fusion.merge(group, fusion.group_of[part])
            found[group.number] = Joined(node, view)
            break
    return found


def _splits_rows(node: Node, product: Product) -> bool:
    """Whether a node is a view of a product in which rows are several dimensions."""
    op = node.target
    if not isinstance(op, Operator) or op.packet_name not in ("view", "_unsafe_view"):
        return False
    size = size_of(value_of(node))
    open_ = sum(type(n) is not int for n in size)
    return len(product.result) == 2 and size[-1] == product.shape[1] and open_ <= 1


def _group_behind(
    fusion: Fusion, source: Node, view: Node | None, product: Product, taken: Mapping[int, Any]
) -> Group | None:
    """The group of pointwise calls that may run behind each block of a product."""
    own = {id(fusion.group_of[x]) for x in (source, *source.all_input_nodes[:1])}
    size = spec_of(value_of(source))[0]
    for user in source.users:
        group = fusion.group_of.get(user)
        if group is None or id(group) in own or group.number in taken:
            continue
        if group.dims is not None or group.has_reduction or group.calls != len(group.nodes):
            continue
        inputs = group.inputs()
        if group.size != size_of(value_of(source)) or (view and view.all_input_nodes[0] in inputs):
            continue
        parts = [fusion.group_of[source]]
        if view is not None:
            parts.append(fusion.group_of[view.all_input_nodes[0]])
        if any(fusion.is_between(part, group, parts) for part in parts):
            continue
        specs = [spec_of(value_of(n)) for n in group.results()]
        ins = [stand_in(spec_of(value_of(x))) for x in inputs]
        besides = [x for x, node in zip(ins, inputs) if node is not source]
        if gains(product, size, besides) and folds(product, size, ins, specs):
            return group
    return None
