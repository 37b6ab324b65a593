"""Programs as graphs: tracing, changing, running and writing them as Python."""

from __future__ import annotations

from typing import Any

from rushlight.engine.native.garbage import import_module

# What compiling a program needs none of comes with the first look at it.
_FILES = (
    "graph", "graph_module", "immutable_collections", "interpreter", "node", "operator_schemas", "passes",
    "proxy", "subgraph_rewriter", "traceback",
)  # fmt: skip
_HOMES = {
    "CodeGen": "graph", "Graph": "graph", "GraphModule": "graph_module", "Interpreter": "interpreter",
    "Node": "node", "PH": "_symbolic_trace", "Proxy": "proxy", "ProxyableClassMeta": "_symbolic_trace",
    "Tracer": "_symbolic_trace", "Transformer": "interpreter", "has_side_effect": "node",
    "map_arg": "node", "replace_pattern": "subgraph_rewriter", "symbolic_trace": "_symbolic_trace",
    "wrap": "_symbolic_trace",
}  # fmt: skip

__all__ = [
    "CodeGen",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "Tracer",
    "Transformer",
    "has_side_effect",
    "map_arg",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]


def __getattr__(name: str) -> Any:
    if name in _FILES or name == "_symbolic_trace":
        return import_module(f"rushlight.fx.{name}")
    if name in _HOMES:
        found = getattr(import_module(f"rushlight.fx.{_HOMES[name]}"), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module 'rushlight.fx' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_FILES, *_HOMES})
