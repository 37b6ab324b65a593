"""Computing the same only once."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.engine.dispatch.operator import Operator, OperatorPacket
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.infra.pass_base import PassBase, PassResult
from rushlight.utils import _pytree as pytree

__all__ = ["CSEPass", "get_CSE_banned_ops"]

_aten = rushlight.ops.aten
_RANDOM = (
    "dropout", "_fused_dropout", "_standard_gamma", "bernoulli", "multinomial", "native_dropout",
    "normal", "poisson", "binomial", "rrelu", "rand_like", "rand", "randint", "randn", "randperm",
)  # fmt: skip
_IN_PLACE = (
    "add_", "sub_", "mul_", "div_", "pow_", "lerp_", "relu_", "sigmoid_", "tanh_",
)  # fmt: skip


def get_CSE_banned_ops() -> set[OperatorPacket]:
    """The operators whose calls are never the same: they draw, or write to arguments."""
    return {getattr(_aten, name) for name in (*_RANDOM, *_IN_PLACE)}


rand_ops = {getattr(_aten, name) for name in _RANDOM}
inplace_ops = {getattr(_aten, name) for name in _IN_PLACE}


class CSEPass(PassBase):
    """Lets calls of operators with the same arguments be one call.

    Args:
        banned_ops: operators that are left alone; `get_CSE_banned_ops` if None
    """

    def __init__(self, banned_ops: set[OperatorPacket] | None = None) -> None:
        self.banned_ops = set() if banned_ops is None else banned_ops
        super().__init__()

    def call(self, graph_module: GraphModule) -> PassResult:
        """The module with a new graph."""
        changed = False
        graph = Graph()
        copies: dict[Node, Node] = {}
        # The new nodes by what they compute.
        known: dict[Any, Node] = {}
        for node in graph_module.graph.nodes:
            if node.op in ("placeholder", "output", "get_attr") or self.is_left_alone(node):
                copies[node] = graph.node_copy(node, lambda n: copies[n])
                continue
            key = _key_of(node, copies)
            if key in known:
                copies[node] = known[key]
                changed = True
                continue
            made = graph.node_copy(node, lambda n: copies[n])
            known[key] = copies[node] = made
        return PassResult(GraphModule(graph_module, graph), changed)

    def is_left_alone(self, node: Node) -> bool:
        """Whether a node is computed, whatever others have computed."""
        target = node.target
        packet = target.overloadpacket if isinstance(target, Operator) else target
        if packet in self.banned_ops:
            return True
        if isinstance(target, Operator):
            # What draws or writes does something each time.
            return node.is_impure()
        return node.op == "call_module" or node.is_impure()


def _key_of(node: Node, copies: dict[Node, Node]) -> Any:
    """What a node computes: what it calls, and with what."""

    def plain(arguments: Any) -> Any:
        leaves, structure = pytree.tree_flatten(arguments)
        kept = tuple(
            (Node, id(copies[leaf])) if isinstance(leaf, Node) else (type(leaf), _hashable(leaf))
            for leaf in leaves
        )
        return kept, str(structure)

    return node.op, node.target, plain(list(node.args)), plain(dict(node.kwargs))


def _hashable(value: Any) -> Any:
    if isinstance(value, slice):
        return ("slice", _hashable(value.start), _hashable(value.stop), _hashable(value.step))
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value
