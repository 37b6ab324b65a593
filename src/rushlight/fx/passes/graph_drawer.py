"""Graphs as pictures, in the language of Graphviz."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from rushlight.fx.codegen import _parse_stack_trace
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, _format_arg
from rushlight.fx.operator_schemas import normalize_function
from rushlight.fx.passes.shape_prop import TensorMetadata

__all__ = ["Dot", "FxGraphDrawer"]

_COLORS = (
    "CadetBlue1", "Coral", "DarkOliveGreen1", "DarkSeaGreen1", "GhostWhite", "Khaki1",
    "LavenderBlush1", "LightSkyBlue", "MistyRose1", "MistyRose2", "PaleTurquoise2", "PeachPuff1",
    "Salmon", "Thistle1", "Thistle3", "Wheat1",
)  # fmt: skip
_OF_KINDS = {"placeholder": "AliceBlue", "call_module": "LemonChiffon1", "get_param": "Yellow2",
             "get_attr": "LightGrey", "output": "PowderBlue"}  # fmt: skip


class Dot:
    """A picture as text."""

    def __init__(self, name: str, rankdir: str = "TB") -> None:
        self.name = name
        self.rankdir = rankdir
        self.nodes: list[tuple[str, dict[str, str]]] = []
        self.edges: list[tuple[str, str]] = []
        self.parts: list[Dot] = []

    def add_node(self, name: str, **style: str) -> None:
        """Add a box."""
        self.nodes.append((name, style))

    def add_edge(self, start: str, end: str) -> None:
        """Add an arrow."""
        self.edges.append((start, end))

    def _lines(self) -> Iterable[str]:
        for name, style in self.nodes:
            attributes = ", ".join(f"{key}={_quoted(value)}" for key, value in style.items())
            yield f"{_quoted(name)} [{attributes}];"
        for start, end in self.edges:
            yield f"{_quoted(start)} -> {_quoted(end)};"
        for part in self.parts:
            yield f"subgraph {_quoted('cluster_' + part.name)} {{"
            yield f"label={_quoted(part.name)};"
            yield from part._lines()
            yield "}"

    def to_string(self) -> str:
        """The text, for the program `dot`."""
        lines = "\n".join(self._lines())
        return f"digraph {_quoted(self.name)} {{\nrankdir={self.rankdir};\n{lines}\n}}\n"

    def __str__(self) -> str:
        return self.to_string()

    def write(self, path: str) -> None:
        """Write the text to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_string())

    write_raw = write_dot = write


def _quoted(text: str) -> str:
    escaped = text.replace('"', '\\"')
    return f'"{escaped}"'


class FxGraphDrawer:
    """Draws the graph of a module.

    Args:
        graph_module: the module
        name: what the picture is called
        ignore_getattr: whether fetched attributes are left out
        ignore_parameters_and_buffers: whether the parameters of modules are left out
        skip_node_names_in_args: whether arguments that are nodes are left out of the boxes
        parse_stack_trace: whether boxes tell where nodes come from
        dot_graph_shape: the boxes' shape
        normalize_args: whether arguments are told by their names
    """

    def __init__(
        self,
        graph_module: GraphModule,
        name: str,
        ignore_getattr: bool = False,
        ignore_parameters_and_buffers: bool = False,
        skip_node_names_in_args: bool = True,
        parse_stack_trace: bool = False,
        dot_graph_shape: str | None = None,
        normalize_args: bool = False,
    ) -> None:
        self._name = name
        self.dot_graph_shape = "record" if dot_graph_shape is None else dot_graph_shape
        self.normalize_args = normalize_args
        self._skip_names = skip_node_names_in_args
        self._tell_origin = parse_stack_trace
        options = (ignore_getattr, ignore_parameters_and_buffers)
        self._dot_graphs = {name: self._draw(graph_module, name, *options)}
        for node in graph_module.graph.nodes:
            if node.op == "call_module":
                inner = graph_module.get_submodule(node.target)
                if isinstance(inner, GraphModule):
                    title = f"{name}_{node.target}"
                    self._dot_graphs[title] = self._draw(inner, title, *options)

    def get_dot_graph(self, submod_name: str | None = None) -> Dot:
        """The picture of the module, or of one of its modules that have graphs."""
        return self.get_main_dot_graph() if submod_name is None else self._dot_graphs[submod_name]

    def get_main_dot_graph(self) -> Dot:
        """The picture of the module."""
        return self._dot_graphs[self._name]

    def get_submod_dot_graph(self, submod_name: str) -> Dot:
        """The picture of one of its modules that have graphs."""
        return self._dot_graphs[f"{self._name}_{submod_name}"]

    def get_all_dot_graphs(self) -> dict[str, Dot]:
        """All pictures by their names."""
        return self._dot_graphs

    def _draw(
        self, module: GraphModule, name: str, skip_attributes: bool, skip_parameters: bool
    ) -> Dot:
        picture = Dot(name)
        for node in module.graph.nodes:
            if skip_attributes and node.op == "get_attr":
                continue
            picture.add_node(node.name, label=self._label(module, node), **self._style(node))
            if node.op == "call_module" and not skip_parameters:
                called = module.get_submodule(node.target)
                if not isinstance(called, GraphModule):
                    for title, value in (*called.named_parameters(), *called.named_buffers()):
                        label = f"{node.name}.{title}"
                        text = "{" + f"name={label}|op_code=get_parameter\\n{_tensor(value)}" + "}"
                        style = {**self._style(node), "fillcolor": _OF_KINDS["get_param"]}
                        picture.add_node(label, label=text, **style)
                        picture.add_edge(label, node.name)
        for node in module.graph.nodes:
            if skip_attributes and node.op == "get_attr":
                continue
            for user in node.users:
                picture.add_edge(node.name, user.name)
        return picture

    def _style(self, node: Node) -> dict[str, str]:
        style = {"shape": self.dot_graph_shape, "style": '"filled,rounded"', "fontcolor": "#000000"}
        style["style"] = "filled,rounded"
        if node.op in _OF_KINDS:
            style["fillcolor"] = _OF_KINDS[node.op]
        else:
            # The same color for the same target.
            digest = hashlib.sha256(node._pretty_print_target(node.target).encode()).hexdigest()
            style["fillcolor"] = _COLORS[int(digest[:8], 16) % len(_COLORS)]
        return style

    def _label(self, module: GraphModule, node: Node) -> str:
        parts = [f"name=%{node.name}", f"op_code={node.op}\\n"]
        if node.op == "call_module":
            called = module.get_submodule(node.target)
            parts.append(f"{node.target}: {type(called).__name__}\\n")
        else:
            parts.append(f"target={_escaped(node._pretty_print_target(node.target))}\\n")
        args, kwargs = node.args, node.kwargs
        if self.normalize_args and node.op == "call_function":
            ordered = normalize_function(
                node.target, args, kwargs, normalize_to_only_use_kwargs=True
            )
            if ordered is not None:
                args, kwargs = ordered
        for title, value in (("args", args), ("kwargs", kwargs)):
            if value and not (self._skip_names and _is_of_nodes(value)):
                parts.append(f"{title}={_escaped(_format_arg(value, max_list_len=10))}\\l")
        parts.append(f"num_users={len(node.users)}\\n")
        meta = node.meta.get("tensor_meta")
        if isinstance(meta, TensorMetadata):
            parts.append(_tensor(meta))
        if self._tell_origin and node.stack_trace:
            parsed = _parse_stack_trace(node.stack_trace)
            if parsed is not None:
                parts.append(_escaped(f"file={parsed.file}:{parsed.lineno} {parsed.code}\\n"))
        return "{" + "|".join(parts) + "}"


def _is_of_nodes(value: Any) -> bool:
    items = value.values() if isinstance(value, dict) else value
    return all(isinstance(item, Node) for item in items)


def _escaped(text: str) -> str:
    for mark in "{}<>|":
        text = text.replace(mark, "\\" + mark)
    return text


def _tensor(value: Any) -> str:
    stride = value.stride() if callable(value.stride) else value.stride
    shape = _escaped(str(tuple(value.shape)))
    return f"dtype={value.dtype}\\nshape={shape}\\nrequires_grad={value.requires_grad}\\nstride={stride}\\n"
