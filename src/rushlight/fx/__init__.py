"""Programs as graphs: tracing, changing, running and writing them as Python."""

from __future__ import annotations

from rushlight.fx import (
    graph,
    graph_module,
    immutable_collections,
    interpreter,
    node,
    proxy,
    subgraph_rewriter,
)
from rushlight.fx._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from rushlight.fx.graph import CodeGen, Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter, Transformer
from rushlight.fx.node import Node, has_side_effect, map_arg
from rushlight.fx.proxy import Proxy
from rushlight.fx.subgraph_rewriter import replace_pattern

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
