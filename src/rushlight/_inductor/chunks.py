"""A graph as remembered calls: as one, or as several where it has more steps than one call may have.

What a call is given lives until it has ended. So a graph that may let go of its inputs, such as a backward
graph of what the forward graph has kept, is several calls where it can give much memory back between them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._functorch._aot_autograd.utils import OWNED, make_boxed_func
from rushlight.engine.dispatch.call_cache import graph_function
from rushlight.fx.codegen import _BoxedCodeGen
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node

# So many calls are one: a call of an operator may be several steps, of which a sequence has some hundreds.
MOST_CALLS = 80


# So many bytes are worth another call.
ENOUGH_BYTES = 1 << 16


def boxed(module: GraphModule) -> Callable[[list[Any]], Any]:
    """A function that runs a graph from memory. It takes a list, which it empties."""
    chunks = _cut(module.graph)
    if len(chunks) == 1:
        return make_boxed_func(graph_function("graph", module.forward))
    graph = _Chunks(module, chunks).graph
    graph.set_codegen(_BoxedCodeGen())
    run: Any = GraphModule(module, graph).forward

    def g(args: list[Any]) -> Any:
        return run(args)

    g._boxed_call = True  # type: ignore[attr-defined]
    return g


class _Chunks:
    """Writes a graph whose nodes are calls of chunks of another one.

    Args:
        module: the other graph
        chunks: its calls, chunk by chunk
    """

    def __init__(self, module: GraphModule, chunks: Sequence[Sequence[Node]]) -> None:
        self.module = module
        self.graph = Graph()
        self.made: dict[Node, Node] = {}
        for node in module.graph.nodes:
            if node.op in ("placeholder", "get_attr"):
                self.made[node] = self.graph.node_copy(node)
        for nodes in chunks:
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


def _cut(graph: Graph) -> list[list[Node]]:
    """The calls of each chunk; items are where the call is that gives several."""
    found: list[list[Node]] = [[]]
    place: dict[Node, list[Node]] = {}
    freed = _freed(graph)
    given_back = 0
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        source = node.args[0] if node.target is operator.getitem else None
        is_full = len(found[-1]) >= MOST_CALLS or given_back >= ENOUGH_BYTES
        if source not in place and is_full:
            found.append([])
            given_back = 0
        chunk = place.get(source, found[-1])  # type: ignore[arg-type]
        chunk.append(node)
        place[node] = chunk
        given_back += freed.get(node, 0)
    return found


def _freed(graph: Graph) -> dict[Node, int]:
    """The bytes that can be given back behind each call."""
    found: dict[Node, int] = {}
    seen: set[Node] = set()
    for node in reversed(graph.nodes):
        for used in node.all_input_nodes:
            if used not in seen:
                seen.add(used)
                found[node] = found.get(node, 0) + used.meta.get(OWNED, 0)
    return found


class _Chunk:
    """Part of a graph, as graphs call it."""

    __module__ = "chunks"
    __name__ = __qualname__ = "chunk"

    def __init__(self, module: GraphModule) -> None:
        self.run = graph_function("chunk", module.forward)

    def __call__(self, *args: Any) -> Any:
        return self.run(*args)
