"""The memory of a graph: when each value comes and goes, and whose place it takes."""

from __future__ import annotations

import dataclasses
import itertools
from typing import cast

from rushlight._command.explain.picture import GAP, LETTER, PADDING, PLAIN, Picture, box
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.utils._pytree import tree_leaves

__all__ = [
    "Lifetime",
    "Memory",
    "memory_of",
    "memory_picture",
    "memory_text",
    "nbytes",
    "shown_bytes",
    "spec",
]

# The picture: what a row takes, what is between bars, and the colour of results.
_ROW, _APART, _RESULT = 30, 6, "#cfe8c5"


def spec(node: Node) -> str:
    """Element type and size of a node's value."""
    value = node.meta.get("val")
    if not isinstance(value, Tensor):
        return type(value).__name__
    dtype = str(value.dtype).removeprefix("rushlight.").removeprefix("torch.")
    return f"{dtype}{list(value.shape)}"


def nbytes(node: Node) -> int:
    """The bytes of a node's value."""
    values = tree_leaves([node.meta.get("val")])
    return sum(int(x.numel()) * x.dtype.itemsize for x in values if isinstance(x, Tensor))


def shown_bytes(count: float) -> str:
    """A number of bytes in the unit that suits it."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:.4g} GiB"


@dataclasses.dataclass
class Lifetime:
    """A value of a graph.

    Args:
        node: what makes it
        nbytes: its memory, 0 for one that is in another one's
        first: the number of the call that makes it
        last: the number of the last call that reads it
        is_result: whether it lives on behind the graph
        over: whose memory it is written over
        place: which place it is in; values that are not there at the same time may share one
        before: who was in this place before
    """

    node: Node
    nbytes: int
    first: int
    last: int
    is_result: bool
    over: Node | None
    place: int
    before: Node | None = None

    def __str__(self) -> str:
        if self.over is not None:
            return f"{self.node.name}  {spec(self.node)}  written over {self.over.name}"
        note = ""
        if self.is_result:
            note = "  a result"
        elif self.before is not None:
            note = f"  where {self.before.name} was"
        return f"{self.node.name}  {spec(self.node)}  {shown_bytes(self.nbytes)}{note}"


@dataclasses.dataclass
class Memory:
    """The values of a graph, how many bytes they take one by one, and how many at once."""

    values: list[Lifetime]
    total: int
    most: int


def memory_of(loops: GraphModule) -> Memory:
    """When each value of a graph comes and goes, and the most that is there at once."""
    nodes = list(loops.graph.nodes)
    # Whose memory a value is in: its own, or that of what it is a view of.
    owner: dict[Node, Node] = {}
    last: dict[Node, int] = {}
    for k, node in enumerate(nodes):
        held = _held_in(node)
        owner[node] = node if held is None else owner[held]
        for x in node.all_input_nodes:
            last[owner[x]] = k
    results = {owner[x] for x in nodes[-1].all_input_nodes}
    free: list[Lifetime] = []
    made: dict[Node, Lifetime] = {}
    now = most = places = 0
    for k, node in enumerate(nodes):
        own = nbytes(node) if _makes_memory(node) else 0
        if own:
            life = Lifetime(node, own, k, last.get(node, k), node in results, None, places)
            fits = None if life.is_result else next((x for x in free if x.nbytes >= own), None)
            if fits is not None:
                free.remove(fits)
                life.place, life.before = fits.place, fits.node
            else:
                places += 1
            made[node] = life
            now += own
            most = max(most, now)
        elif _written_over(node) is not None:
            under = owner[node]
            if under in made:
                place = made[under].place
            else:
                place, places = places, places + 1
            end = last.get(under, k)
            made[node] = Lifetime(node, 0, k, end, under in results, under, place)
        for x in dict.fromkeys(owner[x] for x in node.all_input_nodes):
            if last[x] == k and x in made and x not in results:
                now -= made[x].nbytes
                free.append(made[x])
    values = list(made.values())
    return Memory(values, sum(life.nbytes for life in values), most)


def memory_text(loops: GraphModule) -> str:
    """When each value comes and goes, what takes its place, and the most that is there at once."""
    memory = memory_of(loops)
    total = f"{shown_bytes(memory.total)} allocated, {shown_bytes(memory.most)} at once"
    return "\n".join([*map(str, memory.values), total])


def memory_picture(loops: GraphModule) -> Picture:
    """The places of a graph's memory as rows, its calls as columns, and each value from its first call to its last.

    Args:
        loops: the graph after fusion
    """
    values = memory_of(loops).values
    # Only calls at which one of these values comes or goes are a column.
    calls = sorted({k for life in values for k in (life.first, life.last)})
    column = {call: k for k, call in enumerate(calls)}
    bars = []
    widths = [0.0] * (len(calls) + 1)
    for life in values:
        text = f"{life.node.name} {shown_bytes(life.nbytes)}" if life.nbytes else life.node.name
        begin = column[life.first]
        over = [
            x.first for x in values if x.over is (life.over or life.node) and x.first > life.first
        ]
        # What is written over lasts until then only, and what is written there may be the result.
        end = column[min(over)] if over else len(calls) if life.is_result else column[life.last]
        colour = _RESULT if life.is_result and not over else PLAIN
        bars.append((text, colour, life.place, begin, max(end, begin + 1)))
        # The first column has room for what a value is called.
        widths[begin] = max(widths[begin], len(text) * LETTER + 2 * PADDING + _APART)
    left = list(itertools.accumulate(widths, initial=float(GAP)))
    parts = [
        box(left[begin], GAP + place * _ROW, left[end] - left[begin] - _APART, text, colour)
        for text, colour, place, begin, end in bars
    ]
    height = max((life.place + 1 for life in values), default=0) * _ROW + 2 * GAP
    return Picture(left[-1] + GAP, height, "\n".join(parts))


def _held_in(node: Node) -> Node | None:
    """In whose memory a value is: what it is a view of, or what was written over for it."""
    if isinstance(node.target, Operator) and node.target.schema.is_view:
        return node.all_input_nodes[0]
    return _written_over(node)


def _written_over(node: Node) -> Node | None:
    into = getattr(node.target, "into", None)
    return None if into is None else cast(Node, node.args[into])


def _makes_memory(node: Node) -> bool:
    """Whether a value has memory of its own: a call's result, or one of several."""
    if node.op != "call_function" or _held_in(node) is not None:
        return False
    return isinstance(node.meta.get("val"), Tensor)
