"""A graph as a picture: boxes in layers, each below all that it reads."""

from __future__ import annotations

import html
from collections.abc import Sequence

from rushlight.fx.graph import Graph
from rushlight.fx.node import Node

# Sizes in pixels: of a letter, a box, and what is between boxes and between layers.
_LETTER, _PADDING, _HEIGHT, _GAP, _DROP = 7.2, 12, 24, 18, 34
_COLOURS = {"placeholder": "#dce9f5", "output": "#e4dcf2", "get_attr": "#e8e8e8"}
_FUSED, _PLAIN = "#fbe3b5", "#f6f3ec"


def layers_of(graph: Graph) -> list[list[Node]]:
    """The nodes of a graph in layers: each one below the lowest of its inputs, near to the middle of these."""
    depth: dict[Node, int] = {}
    for node in graph.nodes:
        depth[node] = 1 + max((depth[x] for x in node.all_input_nodes), default=-1)
    layers: list[list[Node]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    place: dict[Node, float] = {}
    for node in graph.nodes:
        layers[depth[node]].append(node)
    for layer in layers:
        wanted = {
            node: sum(place[x] for x in node.all_input_nodes) / len(node.all_input_nodes)
            if node.all_input_nodes
            else float(k)
            for k, node in enumerate(layer)
        }
        layer.sort(key=wanted.__getitem__)
        place.update({node: float(k) for k, node in enumerate(layer)})
    return layers


def svg(graph: Graph, fused: Sequence[Node] = ()) -> str:
    """A graph as SVG.

    Args:
        graph: what is drawn
        fused: nodes that are several calls in one loop, which have a colour of their own
    """
    layers = layers_of(graph)
    widths = {node: len(node.name) * _LETTER + 2 * _PADDING for layer in layers for node in layer}
    rows = [sum(widths[n] for n in layer) + _GAP * (len(layer) - 1) for layer in layers]
    width = max(rows, default=0) + 2 * _GAP
    left: dict[Node, float] = {}
    top: dict[Node, float] = {}
    for k, (layer, row) in enumerate(zip(layers, rows)):
        x = (width - row) / 2
        for node in layer:
            left[node], top[node] = x, _GAP + k * (_HEIGHT + _DROP)
            x += widths[node] + _GAP
    height = 2 * _GAP + len(layers) * (_HEIGHT + _DROP) - _DROP
    parts = [_arrow(left, top, widths, x, node) for node in left for x in node.all_input_nodes]
    for node, x in left.items():
        colour = _FUSED if node in fused else _COLOURS.get(node.op, _PLAIN)
        parts.append(
            f'<rect x="{x:.1f}" y="{top[node]:.1f}" width="{widths[node]:.1f}" height="{_HEIGHT}" rx="4" '
            f'fill="{colour}" stroke="#8a8272"/>'
            f'<text x="{x + widths[node] / 2:.1f}" y="{top[node] + 16:.1f}" text-anchor="middle" '
            f'fill="#22201c">{html.escape(node.name)}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'font-family="monospace" font-size="12">\n' + "\n".join(parts) + "\n</svg>"
    )


def _arrow(
    left: dict[Node, float], top: dict[Node, float], widths: dict[Node, float], source: Node, end: Node
) -> str:  # fmt: skip
    """The line from one box to another one below it."""
    x1, y1 = left[source] + widths[source] / 2, top[source] + _HEIGHT
    x2, y2 = left[end] + widths[end] / 2, top[end]
    middle = (y1 + y2) / 2
    return (
        f'<path d="M{x1:.1f} {y1:.1f} C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}" '
        'fill="none" stroke="#8a8272"/>'
    )


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
