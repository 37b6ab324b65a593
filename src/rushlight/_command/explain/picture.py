"""A graph as a picture: boxes in layers, each below all that it reads."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rushlight.fx.graph import Graph
from rushlight.fx.node import Node

# Sizes in pixels: of a letter, a box, and what is between boxes and between layers.
LETTER, PADDING, HEIGHT, GAP, DROP = 7.4, 12, 24, 18, 34
# Lines and titles can be read on a light page and on a dark one.
INK, PLAIN = "#8a8272", "#f6f3ec"
_COLOURS = {"placeholder": "#dce9f5", "output": "#e4dcf2", "get_attr": "#e8e8e8"}
LOOPS = ("#fbe3b5", "#cfe8c5", "#f6cfc4", "#c9e4e7", "#e9d3ea", "#e6e3a3")


class Bend(NamedTuple):
    """Where the line from a node to one further down passes a layer between them."""

    source: Node
    layer: int

    @property
    def name(self) -> str:
        """Nothing is written there."""
        return ""


Item = Node | Bend


def layers_of(graph: Graph) -> list[list[Item]]:
    """The nodes of a graph in layers, and between them the bends of lines that pass a layer.

    Each node is below the lowest of its inputs. Within a layer, what belongs together is near each other: layers are
    sorted by the middle of what is linked to them, above and below in turns.
    """
    depth: dict[Node, int] = {}
    for node in graph.nodes:
        depth[node] = 1 + max((depth[x] for x in node.all_input_nodes), default=-1)
    layers: list[list[Item]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in graph.nodes:
        layers[depth[node]].append(node)
        lowest = max((depth[user] for user in node.users), default=0)
        for k in range(depth[node] + 1, lowest):
            layers[k].append(Bend(node, k))
    above: dict[Item, list[Item]] = {x: _above(x, depth) for layer in layers for x in layer}
    below: dict[Item, list[Item]] = {x: [] for x in above}
    for item, linked in above.items():
        for x in linked:
            below[x].append(item)
    for _ in range(2):
        _sort(layers[1:], above, layers)
        _sort(layers[-2::-1], below, layers)
    _sort(layers[1:], above, layers)
    return layers


def _above(item: Item, depth: dict[Node, int]) -> list[Item]:
    """What an item is linked to in the layer above it."""
    sources = [item.source] if isinstance(item, Bend) else item.all_input_nodes
    layer = (item.layer if isinstance(item, Bend) else depth[item]) - 1
    return [x if depth[x] == layer else Bend(x, layer) for x in sources]


def _sort(
    order: list[list[Item]], linked: dict[Item, list[Item]], layers: list[list[Item]]
) -> None:
    """Sort layers by the middle of what their items are linked to."""
    for layer in order:
        place = {x: (k + 0.5) / len(one) for one in layers for k, x in enumerate(one)}
        wanted = {
            x: sum(place[y] for y in linked[x]) / len(linked[x]) if linked[x] else place[x]
            for x in layer
        }
        layer.sort(key=wanted.__getitem__)


class Picture(NamedTuple):
    """Something drawn, which may be part of a larger picture.

    Args:
        width: in pixels
        height: in pixels
        body: the elements of SVG
    """

    width: float
    height: float
    body: str

    def __str__(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" height="{self.height:.0f}" '
            f'font-family="monospace" font-size="12">\n{self.body}\n</svg>'
        )


def box(x: float, y: float, width: float, text: str, colour: str) -> str:
    """A box with a text in it, which begins at its left edge if it is wider than the box."""
    middle = len(text) * LETTER + PADDING <= width
    place, anchor = (x + width / 2, "middle") if middle else (x + PADDING / 2, "start")
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{HEIGHT}" rx="4" '
        f'fill="{colour}" stroke="{INK}"/>'
        f'<text x="{place:.1f}" y="{y + 16:.1f}" text-anchor="{anchor}" '
        f'fill="#22201c">{html.escape(text)}</text>'
    )


def drawn(graph: Graph, colours: Mapping[str, str] | None = None) -> Picture:
    """A graph as a picture.

    Args:
        graph: what is drawn
        colours: of nodes that have one of their own, by name
    """
    layers = layers_of(graph)
    widths = {x: _width(x) for layer in layers for x in layer}
    rows = [sum(widths[x] for x in layer) + GAP * (len(layer) - 1) for layer in layers]
    width = max(rows, default=0) + 2 * GAP
    left: dict[Item, float] = {}
    top: dict[Item, float] = {}
    for k, (layer, row) in enumerate(zip(layers, rows)):
        x = (width - row) / 2
        for item in layer:
            left[item], top[item] = x, GAP + k * (HEIGHT + DROP)
            x += widths[item] + GAP
    height = 2 * GAP + len(layers) * (HEIGHT + DROP) - DROP
    middle = {item: (left[item] + widths[item] / 2, top[item]) for item in left}
    depth = {item: k for k, layer in enumerate(layers) for item in layer}
    parts = []
    for node in graph.nodes:
        for source in node.all_input_nodes:
            bends = [Bend(source, k) for k in range(depth[source] + 1, depth[node])]
            parts.append(_line([middle[x] for x in (source, *bends, node)]))
    for node in graph.nodes:
        colour = (colours or {}).get(node.name) or _COLOURS.get(node.op, PLAIN)
        parts.append(box(left[node], top[node], widths[node], node.name, colour))
    return Picture(width, height, "\n".join(parts))


def _width(item: Item) -> float:
    return 0 if isinstance(item, Bend) else len(item.name) * LETTER + 2 * PADDING


def loop_colours(loops: Graph) -> dict[str, str]:
    """A colour for each loop, which the operators that became part of it have as well, by name.

    Args:
        loops: the graph after fusion, whose loops know what they were fused from
    """
    found: dict[str, str] = {}
    fused = [node for node in loops.nodes if "fused" in node.meta]
    for k, node in enumerate(fused):
        found.update(dict.fromkeys((node.name, *node.meta["fused"]), LOOPS[k % len(LOOPS)]))
    return found


def legend(entries: Mapping[str, str]) -> Picture:
    """What colours say: names and their colours in a row."""
    parts, x = [], float(GAP)
    for name, colour in entries.items():
        width = len(name) * LETTER + 2 * PADDING
        parts.append(box(x, GAP / 2, width, name, colour))
        x += width + GAP
    return Picture(x, HEIGHT + GAP, "\n".join(parts))


def stacked(pictures: Iterable[tuple[str, Picture]]) -> Picture:
    """Pictures below each other, each under its title."""
    shown = [titled(title, picture) for title, picture in pictures]
    tops = [*itertools.accumulate((one.height for one in shown), initial=0.0)]
    width = max((one.width for one in shown), default=0)
    return Picture(width, tops[-1], "\n".join(_moved(p, 0, y) for p, y in zip(shown, tops)))


def beside(pictures: Iterable[tuple[str, Picture]]) -> Picture:
    """Pictures beside each other, each under its title."""
    shown = [titled(title, picture) for title, picture in pictures]
    lefts = [*itertools.accumulate((one.width for one in shown), initial=0.0)]
    height = max((one.height for one in shown), default=0)
    return Picture(lefts[-1], height, "\n".join(_moved(p, x, 0) for p, x in zip(shown, lefts)))


def _moved(picture: Picture, x: float, y: float) -> str:
    """A picture's elements at another place."""
    return f'<g transform="translate({x:.0f} {y:.0f})">\n{picture.body}\n</g>'


def titled(title: str, picture: Picture) -> Picture:
    """A picture under its title, if it has one."""
    if not title:
        return picture
    text = f'<text x="{GAP}" y="20" font-weight="bold" fill="{INK}">{html.escape(title)}</text>'
    body = f"{text}\n{_moved(picture, 0, 24)}"
    return Picture(max(picture.width, len(title) * LETTER + 2 * GAP), picture.height + 24, body)


def _line(points: Sequence[tuple[float, float]]) -> str:
    """The line from one box to another one below it, straight through the layers that it passes.

    Args:
        points: the middle of the upper edges of what it goes through, in order
    """
    x, y = points[0]
    path = [f"M{x:.1f} {y + HEIGHT:.1f}"]
    for k, (x2, y2) in enumerate(points[1:], 1):
        half = (points[k - 1][1] + HEIGHT + y2) / 2
        path.append(f"C{points[k - 1][0]:.1f} {half:.1f} {x2:.1f} {half:.1f} {x2:.1f} {y2:.1f}")
        if k < len(points) - 1:
            path.append(f"V{y2 + HEIGHT:.1f}")
    return f'<path d="{" ".join(path)}" fill="none" stroke="{INK}"/>'


def tree(graph: Graph) -> str:
    """A graph as a text: a line for each node, with what it reads behind it."""
    names = [n.name for n in graph.nodes if n.op == "placeholder"]
    lines = [f"inputs   {' '.join(names)}"] if names else []
    for node in graph.nodes:
        if node.op not in ("placeholder", "output"):
            lines.append(
                f"{node.name} <- {' '.join(x.name for x in node.all_input_nodes)}".rstrip()
            )
        elif node.op == "output":
            lines.append(f"results  {' '.join(x.name for x in node.all_input_nodes)}")
    return "\n".join(lines)
