"""Activations of products on a GPU, as the one call of which a library makes both at once.

    relu(addmm(bias, a, b))   becomes   _addmm_activation(bias, a, b)

and `gelu(approximate="tanh")` likewise, also behind a view that gives rows their dimensions back. Nobody else may
read the product.
"""

from __future__ import annotations

from typing import Any

from rushlight._inductor.fusion import is_plain, size_of, value_of
from rushlight._inductor.products import is_split
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import Operator
from rushlight.fx.graph import Graph
from rushlight.fx.node import Node

_KINDS = (dtypes.float32, dtypes.float16, dtypes.bfloat16)


def join_activations(graph: Graph) -> int:
    """Let products of a graph make their activations; how many do."""
    count = 0
    for node in list(graph.nodes):
        if _calls(node, "addmm") and _is_on_device(value_of(node)):
            last = _only_user(node)
            source = node
            if last is not None and is_split(last):
                source, last = last, _only_user(last)
            if last is not None and _is_activation(last) and _is_alike(last, source):
                _join(graph, node, source, last)
                count += 1
    return count


def _calls(node: Node, name: str) -> bool:
    op = node.target
    return node.op == "call_function" and isinstance(op, Operator) and op.packet_name == name


def _is_on_device(value: Any) -> bool:
    return is_plain(value) and value.device.type == "cuda" and value._dtype_ in _KINDS


def _only_user(node: Node) -> Node | None:
    return next(iter(node.users)) if len(node.users) == 1 else None


def _is_activation(node: Node) -> bool:
    return _calls(node, "relu") or (_calls(node, "gelu") and node.kwargs == {"approximate": "tanh"})


def _is_alike(node: Node, source: Node) -> bool:
    """Whether a node gives a tensor like the one that it is of."""
    made, given = value_of(node), value_of(source)
    return bool(
        is_plain(made)
        and made._dtype_ is given._dtype_
        and size_of(made) == size_of(given)
        and [*map(str, made._stride_)] == [*map(str, given._stride_)]
    )


def _join(graph: Graph, product: Node, source: Node, activation: Node) -> None:
    op = operators.operator("_addmm_activation")
    with graph.inserting_before(product):
        given = {**product.kwargs, "use_gelu": _calls(activation, "gelu")}
        made = graph.call_function(op, product.args, given)  # type: ignore[arg-type]
    made.meta |= product.meta
    activation.replace_all_uses_with(made if source is product else source)
    graph.erase_node(activation)
    product.replace_all_uses_with(made)
    graph.erase_node(product)
