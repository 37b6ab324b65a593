"""Attention that a program writes as products and a softmax, as the one call that keeps no scores.

    softmax(q @ k.mT * scale + mask) @ v   becomes   scaled_dot_product_attention(q, k, v, mask, scale=scale)

Only whole patterns are replaced: nothing else may read what is in between, no gradient may go to the mask, and
nothing may be dropped. A row whose mask leaves nothing to look at gives zeros, as that call does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import rushlight
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.graph import Graph
from rushlight.fx.node import Node

_PRODUCTS = ("matmul", "bmm")
_QUOTIENTS = ("div", "truediv", "true_divide")
_FLOATING = (dtypes.float32, dtypes.float64)
# Shorter rows of scores are in the cache in any case.
FEWEST_KEYS = 32
# A backward pass computes the scores again, which takes 3 to 15 % longer than to keep them: so many bytes are worth that.
MOST_KEPT = 1 << 26


class _Attention(NamedTuple):
    """What a pattern is made of.

    Args:
        query: the left operand of the first product
        turned: its right operand: keys as columns
        value: the right operand of the second product
        mask: what is added, or where something is filled in
        is_filled: whether it is the latter
        scale: what scores are multiplied by
    """

    query: Node
    turned: Node
    value: Node
    mask: Node | None
    is_filled: bool
    scale: float


def find_attention(graph: Graph) -> int:
    """Replace what is attention in a captured graph; how many there were."""
    count = 0
    for node in list(graph.nodes):
        found = _attention(node)
        if found is not None and _is_worth_it(node, found):
            _replace(graph, node, found)
            count += 1
    return count


def _name(node: Any) -> str | None:
    """What a node calls, be it as a function or as a method."""
    if not isinstance(node, Node):
        return None
    if node.op == "call_method":
        return str(node.target)
    return getattr(node.target, "__name__", None) if node.op == "call_function" else None


def _of_one_user(node: Any) -> bool:
    return isinstance(node, Node) and len(node.users) == 1


def _attention(node: Node) -> _Attention | None:
    """The pattern that ends at a node."""
    if _name(node) not in _PRODUCTS or len(node.args) != 2:
        return None
    weights, value = node.args
    while _of_one_user(weights) and _changes_nothing(weights):
        weights = weights.args[0]
    if not (_of_one_user(weights) and _is_softmax(weights) and isinstance(value, Node)):
        return None
    scores, mask, is_filled, scale = weights.args[0], None, False, 1.0
    while _of_one_user(scores):
        name, args = _name(scores), scores.args
        if name in _PRODUCTS and len(args) == 2:
            query, turned = args
            if not (isinstance(query, Node) and isinstance(turned, Node)):
                return None
            return _Attention(query, turned, value, mask, is_filled, scale)
        if name in ("mul", *_QUOTIENTS) and _is_number(args, 1) and not scores.kwargs:
            scale = scale * args[1] if name == "mul" else scale / args[1]
        elif mask is not None or scale != 1.0:
            # A mask is added to scores that have been scaled.
            return None
        elif name == "add" and len(args) == 2 and not scores.kwargs and isinstance(args[1], Node):
            mask = args[1]
        elif name == "masked_fill" and len(args) == 3 and args[2] == -math.inf:
            mask, is_filled = args[1], True
        else:
            return None
        scores = args[0]
    return None


def _is_number(args: Sequence[Any], place: int) -> bool:
    return len(args) == place + 1 and type(args[place]) in (int, float) and args[place] != 0


def _changes_nothing(node: Node) -> bool:
    """Whether a node gives its first argument: nothing is dropped, or it has the type that is asked for."""
    name = _name(node)
    if name == "dropout":
        dropped = dict(zip(("input", "p", "training"), node.args)) | node.kwargs
        return dropped.get("p", 0.5) == 0 or dropped.get("training", True) is False
    source = node.args[0] if node.args else None
    return (
        name in ("to", "type_as", "float")
        and isinstance(source, Node)
        and _dtype(source) is _dtype(node)
    )


def _is_softmax(node: Node) -> bool:
    """Whether a node is a softmax along the last dimension, which leaves the type as it is."""
    if _name(node) != "softmax" or not node.args or _example(node) is None:
        return False
    given = dict(zip(("input", "dim"), node.args)) | node.kwargs
    last = _example(node).dim() - 1
    return given.get("dim") in (-1, last) and isinstance(node.args[0], Node)


def _example(node: Any) -> Any:
    """What a node's value is like, if it is a tensor and known."""
    found = node.meta.get("example_value")
    return found if isinstance(found, Tensor) else None


def _dtype(node: Node) -> Any:
    found = _example(node)
    return None if found is None else found._dtype_


def _is_worth_it(node: Node, found: _Attention) -> bool:
    """Whether all is as the call wants it, and it saves something."""
    query, turned, value, result = map(_example, (found.query, found.turned, found.value, node))
    if any(x is None for x in (query, turned, value, result)):
        return False
    kinds = {x._dtype_ for x in (query, turned, value, result)}
    ranks = {x.dim() for x in (query, turned, value, result)}
    if len(kinds) > 1 or not kinds <= {*_FLOATING} or len(ranks) > 1 or not 3 <= min(ranks) <= 4:
        return False
    sizes = [x._size_ for x in (query, turned, value)]
    if any(type(n) is not int for size in sizes for n in size):
        return False
    if len({tuple(size[:-2]) for size in sizes}) > 1 or turned._size_[-1] < FEWEST_KEYS:
        return False
    if result._size_[:-1] != query._size_[:-1]:
        # The mask makes more of the scores.
        return False
    learns = any(x.requires_grad for x in (query, turned, value))  # type: ignore[attr-defined]
    scores = query.numel() // query._size_[-1] * turned._size_[-1] * query._dtype_.itemsize
    if learns and rushlight.is_grad_enabled() and scores < MOST_KEPT:
        return False
    if found.mask is None:
        return True
    mask = _example(found.mask)
    return (
        mask is not None
        and not mask.requires_grad  # type: ignore[attr-defined]
        and mask._dtype_ is (dtypes.bool_ if found.is_filled else query._dtype_)
        and mask.dim() <= query.dim()
    )


def _layout_is_unseen(node: Node) -> bool:
    """Whether dimensions are exchanged and elements then put in order, as behind the heads of attention."""
    return all(
        _name(user) in ("transpose", "permute")
        and all(_name(last) in ("contiguous", "reshape", "flatten") for last in user.users)
        for user in node.users
    )


def _replace(graph: Graph, node: Node, found: _Attention) -> None:
    attend = rushlight.nn.functional.scaled_dot_product_attention
    with graph.inserting_before(node):
        key = graph.call_method("transpose", (found.turned, -2, -1))
        mask = found.mask
        if mask is not None and found.is_filled:
            # What is filled is not looked at; the call is told what is.
            mask = graph.call_function(rushlight.logical_not, (mask,))  # type: ignore[attr-defined]
        made = graph.call_function(
            attend,
            (found.query, key, found.value),
            {"attn_mask": mask, "scale": found.scale},
        )
        if not _layout_is_unseen(node):
            # A product lies in its own order, the call's result as the queries do.
            made = graph.call_method("contiguous", (made,))
    made.meta |= node.meta
    node.replace_all_uses_with(made)
    unused = [node]
    while unused:
        last = unused.pop()
        inputs = last.all_input_nodes
        graph.erase_node(last)
        unused += [x for x in inputs if not x.users and x.op != "placeholder"]
