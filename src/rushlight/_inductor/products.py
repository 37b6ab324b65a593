"""Products of matrices among the nodes of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
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
from rushlight._inductor.product_kernels import folds, loop_behind
from rushlight._inductor.scalar_program import Call, Ref, request_of, stand_in
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.native.ahead import compile_ahead
from rushlight.engine.ops.kinds.planned import Request, plan_of
from rushlight.engine.ops.kinds.products import Product
from rushlight.fx.graph import Graph
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


def plan_product_ahead(graph: Graph) -> None:
    """Have the code that products share by the time that the first of a graph is called.

    It takes as long to compile as that of ten other kernels.
    """
    for node in graph.nodes:
        product = product_of(node)
        if product is not None and all(type(n) is int for n in product.shape):
            compile_ahead(partial(plan_of, product))
            return


def call_of(node: Node, inputs: list[Node]) -> Call:
    """A node as a call, of these inputs."""
    args = (Ref(inputs.index(x)) if isinstance(x, Node) else x for x in full_arguments(node))
    return Call(node.target, tuple(args))  # type: ignore[arg-type]


# -- loops behind products --


class Joined(NamedTuple):
    """A group that has a product, or a convolution, before it.

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
        before = request_by(node)
        kind = loop_behind(before)
        if kind is None or value_of(node).device.type != "cpu" or not kind.is_possible(before):
            continue
        for view in (None, *filter(is_split, node.users)):
            group = _group_behind(fusion, node, view, before, found)
            if group is not None:
                for part in (node, *([] if view is None else [view])):
                    fusion.merge(group, fusion.group_of[part])
                found[group.number] = Joined(node, view)
                break
    return found


def is_split(node: Node) -> bool:
    """Whether a node is a view in which dimensions but the last one may be several; at most one size is a symbol."""
    op = node.target
    if not isinstance(op, Operator) or op.packet_name not in ("view", "_unsafe_view"):
        return False
    size, own = size_of(value_of(node)), size_of(value_of(node.all_input_nodes[0]))
    return len(own) == 2 and size[-1] == own[-1] and sum(type(n) is not int for n in size) <= 1


def _group_behind(
    fusion: Fusion, node: Node, view: Node | None, before: Any, taken: Mapping[int, Any]
) -> Group | None:
    """The group of pointwise calls that may run behind each part of what a request gives."""
    source = node if view is None else view
    parts = [fusion.group_of[x] for x in (node, view) if x is not None]
    for user in source.users:
        group = fusion.group_of.get(user)
        if group is None or group in parts or group.number in taken:
            continue
        is_map = group.dims is None and not group.has_reduction and group.calls == len(group.nodes)
        if not is_map or group.size != size_of(value_of(source)):
            continue
        if view is not None and node in group.inputs():
            continue
        if not any(fusion.is_between(part, group, parts) for part in parts) and _gains(
            group, source, before
        ):
            return group
    return None


def _gains(group: Group, source: Node, before: Any) -> bool:
    """Whether a group's loop is faster behind each part of what a request gives."""
    kind = loop_behind(before)
    assert kind is not None
    size = spec_of(value_of(source))[0]
    inputs = group.inputs()
    ins = [stand_in(spec_of(value_of(x))) for x in inputs]
    besides = [x for x, node in zip(ins, inputs) if node is not source]
    specs = [spec_of(value_of(n)) for n in group.results()]
    return kind.gains(before, size, besides) and folds(before, size, ins, specs)
