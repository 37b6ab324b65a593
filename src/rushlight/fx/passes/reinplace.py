"""Operators that may write to their argument, since nobody looks at it afterwards, do so."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.loops.geometry import may_overlap_itself
from rushlight.engine.ops.kinds import outputs
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node
from rushlight.utils import _pytree as pytree

__all__ = ["reinplace"]


class _Storages(Interpreter):
    """Finds over which storage each node's value is, and in which place the node stands."""

    def __init__(self, module: Any) -> None:
        super().__init__(module)
        self.values: dict[Node, Any] = {}

    def run_node(self, n: Node) -> Any:
        result = super().run_node(n)
        self.values[n] = result
        return result

    def storages(self, node: Node) -> set[int]:
        """The storages of the tensors that a node gives."""
        found = pytree.tree_leaves(self.values.get(node))
        return {id(x._storage_) for x in found if isinstance(x, rushlight.Tensor)}


def _inplace_of(op: Operator) -> Operator | None:
    """The form of an operator that writes its result to its first argument."""
    if not isinstance(op, Operator) or op.schema.kind != "functional":
        return None
    return next(iter(outputs.variants(op)[0]), None)


def reinplace(gm: Any, *sample_args: Any) -> Any:
    """Let the operators of a graph write in place where no value that is needed is lost.

    Args:
        gm: the module, which is changed
        sample_args: what its arguments are like
    """
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    run = _Storages(gm)
    with mode:
        run.run(*pytree.tree_map_only(rushlight.Tensor, mode.from_tensor, sample_args))
    nodes = list(gm.graph.nodes)
    place = {node: k for k, node in enumerate(nodes)}
    owned: set[int] = set()
    for node in nodes:
        if node.op in ("placeholder", "get_attr"):
            owned |= run.storages(node)
    for node in nodes:
        inplace = _inplace_of(node.target) if node.op == "call_function" else None
        if inplace is not None and _may_write(node, run, place, nodes, owned):
            node.target = inplace
            # From now on, the value is over its argument's storage.
            run.values[node] = run.values[node.args[0]]
    gm.recompile()
    return gm


def _may_write(
    node: Node, run: _Storages, place: dict[Node, int], nodes: list[Node], owned: set[int]
) -> bool:
    """Whether nobody looks at the first argument of a node, or a view of it, after the node."""
    if not node.args or not isinstance(node.args[0], Node):
        return False
    target, made = run.values.get(node.args[0]), run.values.get(node)
    if not isinstance(target, FakeTensor) or not isinstance(made, FakeTensor):
        return False
    if target.shape != made.shape or target.dtype is not made.dtype:  # type: ignore[attr-defined]
        return False
    if may_overlap_itself(target._size_, target._stride_):
        return False
    mine = run.storages(node.args[0])
    if mine & owned:
        return False
    others = [x for x in node.all_input_nodes if x is not node.args[0]]
    if any(run.storages(x) & mine for x in others):
        return False
    return not any(
        run.storages(other) & mine and any(place[user] > place[node] for user in other.users)
        for other in nodes
        if place[other] < place[node]
    )
