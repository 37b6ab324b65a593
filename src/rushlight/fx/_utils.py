"""Texts about graphs for messages."""

from __future__ import annotations

from typing import Any

from rushlight.fx.graph import Graph
from rushlight.fx.node import Node

__all__ = ["first_call_function_nn_module_stack", "get_node_context", "lazy_format_graph_code"]


def _format_graph_code(name: str, filename: str, graph_str: str) -> str:
    return f"TRACED GRAPH\n {name} {filename} {graph_str}\n"


class _Later:
    """A text that is made when it is needed."""

    def __init__(self, make: Any) -> None:
        self._make = make

    def __str__(self) -> str:
        return str(self._make())


def lazy_format_graph_code(name: str, gm: Any, maybe_id: int | None = None, **kwargs: Any) -> Any:
    """The code of a module, made when it is printed."""

    def text() -> str:
        title = name if maybe_id is None else f"{name} {maybe_id}"
        shown = gm.print_readable(print_output=False, **kwargs)
        return f"===== {title} =====\n{shown}\n"

    return _Later(text)


def first_call_function_nn_module_stack(graph: Graph) -> dict[str, Any] | None:
    """The modules that the first call that has any comes from."""
    for node in graph.nodes:
        if node.op == "call_function" and "nn_module_stack" in node.meta:
            found: dict[str, Any] = node.meta["nn_module_stack"]
            return found
    return None


def get_node_context(node: Node, num_nodes: int = 2) -> str:
    """A node and those before it, one in a line."""
    lines: list[str] = []
    current = node
    while len(lines) < num_nodes and current.op != "root":
        lines.append(str(current.format_node()))
        current = current.prev
    return "\n".join(reversed(lines))
