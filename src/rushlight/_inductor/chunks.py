"""A graph as remembered calls: as one, or as several where it has more steps than one call may have."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.dispatch.call_cache import graph_function
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node

# So many calls are one: a call of an operator may be several steps, of which a sequence has some hundreds.
MOST_CALLS = 80


def remembered(module: GraphModule) -> Callable[..., Any]:
    """A function that runs a graph from memory."""
    calls = [node for node in module.graph.nodes if node.op == "call_function"]
    if len(calls) <= MOST_CALLS:
        return graph_function("graph", module.forward)  # type: ignore[no-any-return]
    return GraphModule(module, _Chunks(module, calls).graph).forward  # type: ignore[return-value]


class _Chunks:
    """Writes a graph whose nodes are calls of chunks of another one.

    Args:
        module: the other graph
        calls: its calls
    """

    def __init__(self, module: GraphModule, calls: Sequence[Node]) -> None:
        self.module = module
        self.graph = Graph()
        self.made: dict[Node, Node] = {}
        for node in module.graph.nodes:
            if node.op in ("placeholder", "get_attr"):
                self.made[node] = self.graph.node_copy(node)
        for nodes in _cut(calls):
            self._add(nodes)
        (output,) = module.graph.find_nodes(op="output")
        self.graph.node_copy(output, self.made.__getitem__)
        self.graph.lint()

    def _add(self, nodes: Sequence[Node]) -> None:
        """One chunk."""
        own = set(nodes)
        inputs = list(dict.fromkeys(x for n in nodes for x in n.all_input_nodes if x not in own))
        results = [n for n in nodes if any(user not in own for user in n.users)]
        inner = Graph()
        inside = {x: inner.placeholder(x.name) for x in inputs}
        for node in nodes:
            inside[node] = inner.node_copy(node, inside.__getitem__)
        inner.output(tuple(inside[n] for n in results))
        chunk = _Chunk(GraphModule(self.module, inner))
        call = self.graph.call_function(chunk, tuple(self.made[x] for x in inputs))
        for k, node in enumerate(results):
            self.made[node] = self.graph.call_function(operator.getitem, (call, k))


def _cut(calls: Sequence[Node]) -> list[list[Node]]:
    """The calls of each chunk; items are where the call is that gives several."""
    found: list[list[Node]] = [[]]
    place: dict[Node, list[Node]] = {}
    for node in calls:
        source = node.args[0] if node.target is operator.getitem else None
        if source not in place and len(found[-1]) >= MOST_CALLS:
            found.append([])
        chunk = place.get(source, found[-1])  # type: ignore[arg-type]
        chunk.append(node)
        place[node] = chunk
    return found


class _Chunk:
    """Part of a graph, as graphs call it."""

    __module__ = "chunks"
    __name__ = __qualname__ = "chunk"

    def __init__(self, module: GraphModule) -> None:
        self.run = graph_function("chunk", module.forward)

    def __call__(self, *args: Any) -> Any:
        return self.run(*args)
