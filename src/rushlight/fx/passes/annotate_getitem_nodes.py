"""Types of items of values whose types are known."""

from __future__ import annotations

import operator

from rushlight.fx.graph import Graph

__all__ = ["annotate_getitem_nodes"]


def annotate_getitem_nodes(graph: Graph) -> None:
    """Give nodes that take an item the type that the items of the value have."""
    for node in graph.nodes:
        if node.target != operator.getitem or len(node.args) != 2:
            continue
        value, index = node.args
        kind = getattr(value, "type", None)
        if kind is None:
            continue
        items = getattr(kind, "__args__", None)
        if hasattr(kind, "_fields"):
            names = list(kind.__annotations__.values())
            if isinstance(index, int):
                node.type = names[index]
        elif not items:
            continue
        elif getattr(kind, "__origin__", None) in (tuple, list):
            if (
                getattr(kind, "__origin__", None) is list
                or len(items) == 1
                or (len(items) == 2 and items[1] is ...)
            ):
                node.type = items[0]
            elif isinstance(index, int):
                node.type = items[index]
        elif getattr(kind, "__origin__", None) is dict:
            node.type = items[1]
