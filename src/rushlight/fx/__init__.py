"""Graphs of programs, which are not there yet; the names that libraries import are."""

from __future__ import annotations

from typing import Any

from rushlight._names.absent import absent_class, absent_functions
from rushlight.nn.modules.module import Module

__all__ = [
    "CodeGen",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "Tracer",
    "Transformer",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]

_WHAT = "graphs of programs"

# Libraries name them in annotations and ask whether something is of them: nothing is.
CodeGen: Any = absent_class(__name__, "CodeGen", _WHAT)
Graph: Any = absent_class(__name__, "Graph", _WHAT)
GraphModule: Any = absent_class(__name__, "GraphModule", _WHAT, base=Module)
Interpreter: Any = absent_class(__name__, "Interpreter", _WHAT)
Node: Any = absent_class(__name__, "Node", _WHAT)
Proxy: Any = absent_class(__name__, "Proxy", _WHAT)
Tracer: Any = absent_class(__name__, "Tracer", _WHAT)
Transformer: Any = absent_class(__name__, "Transformer", _WHAT, base=Interpreter)

globals().update(absent_functions("torch.fx", ["replace_pattern", "symbolic_trace"], _WHAT))


def wrap(fn_or_name: Any) -> Any:
    """Mark a function that a tracer takes as one step."""
    return fn_or_name
