"""The names of capture that programs import: `rushlight._capture` is what they name."""

from __future__ import annotations

from typing import Any

from rushlight._capture import status
from rushlight._capture.backends import register_backend
from rushlight._capture.breaks import GraphCompileReason
from rushlight._dynamo import config, decorators, eval_frame, exc
from rushlight._dynamo.decorators import (
    mark_dynamic,
    mark_static,
    mark_static_address,
    mark_unbacked,
    maybe_mark_dynamic,
)
from rushlight._dynamo.eval_frame import OptimizedModule, is_dynamo_supported
from rushlight.compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    list_backends,
    reset,
)
from rushlight.compiler import compile as optimize_function
from rushlight.compiler import is_compiling as is_capturing
from rushlight.engine.native.garbage import import_module
from rushlight.engine.native.records import dataclass

__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "backends",
    "config",
    "decorators",
    "disable",
    "disallow_in_graph",
    "eval_frame",
    "exc",
    "explain",
    "export",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "is_dynamo_supported",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "mark_unbacked",
    "maybe_mark_dynamic",
    "optimize",
    "optimize_assert",
    "register_backend",
    "reset",
    "run",
]


def __getattr__(name: str) -> Any:
    """Modules that programs ask for, and capture does not."""
    if name in ("backends", "utils"):
        return import_module(f"rushlight._dynamo.{name}")
    raise AttributeError(f"module 'rushlight._dynamo' has no attribute '{name}'")


def optimize(
    backend: Any = "inductor", *, nopython: bool = False, dynamic: bool | None = None,
    disable: bool = False, **_: Any,
) -> Any:  # fmt: skip
    """A decorator that compiles."""
    return optimize_function(backend=backend, fullgraph=nopython, dynamic=dynamic, disable=disable)


def optimize_assert(backend: Any, **options: Any) -> Any:
    """A decorator that compiles what is one graph."""
    return optimize(backend, nopython=True, **options)


def export(f: Any, *args: Any, **options: Any) -> Any:
    """A function of arguments that captures a call with them as one graph; `functional_export.export`."""
    from rushlight._dynamo import functional_export

    return functional_export.export(f, *args, **options)


def run(fn: Any = None) -> Any:
    return (lambda function: function) if fn is None else fn


def disallow_in_graph(fn: Any) -> Any:
    """Keep functions out of graphs."""
    for one in fn if isinstance(fn, (list, tuple)) else [fn]:
        status.outside[id(one)] = one
        status.in_graph.pop(id(one), None)
    return fn


forbid_in_graph = disallow_in_graph


def graph_break(msg: str = "") -> None:
    """End the graph that is being captured here."""


def is_compiling() -> bool:
    """Whether the code that asks is being captured."""
    return is_capturing()


@dataclass
class ExplainOutput:
    """What `explain` gives."""

    graphs: list[Any]
    graph_count: int
    graph_break_count: int
    break_reasons: list[GraphCompileReason]
    op_count: int
    ops_per_graph: list[list[Any]]

    def __str__(self) -> str:
        lines = [
            f"Graph Count: {self.graph_count}",
            f"Graph Break Count: {self.graph_break_count}",
            f"Op Count: {self.op_count}",
            "Break Reasons:",
        ]
        for k, reason in enumerate(self.break_reasons):
            lines += [f"  Break Reason {k + 1}:", f"    Reason: {reason.reason}", "    User Stack:"]
            lines += [f"      {frame}" for frame in reason.user_stack]
        lines.append("Ops per Graph:")
        for k, ops in enumerate(self.ops_per_graph):
            lines += [f"  Ops {k + 1}:", *(f"    {op}" for op in ops)]
        return "\n".join([*lines, ""])


def explain(f: Any, *extra_args: Any, **extra_kwargs: Any) -> Any:
    """A function that captures another one with its arguments, and tells the graphs."""

    def inner(*args: Any, **kwargs: Any) -> ExplainOutput:
        graphs: list[Any] = []

        def keep(module: Any, examples: Any) -> Any:
            graphs.append(module)
            return module.forward

        made = optimize_function(f, backend=keep)
        made(*args, **kwargs)
        captured = (
            made.__dict__["_compiled"] if isinstance(made, OptimizedModule) else made
        )._captured
        calls = ("call_function", "call_method", "call_module")
        ops = [[n.target for n in g.graph.nodes if n.op in calls] for g in graphs]
        return ExplainOutput(
            graphs=graphs,
            graph_count=len(graphs),
            graph_break_count=len(captured.reasons),
            break_reasons=list(captured.reasons),
            op_count=sum(map(len, ops)),
            ops_per_graph=ops,
        )

    return inner(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else inner
