"""Marks that programs import from PyTorch's compiler; here they change nothing."""

from __future__ import annotations

from typing import Any

from rushlight._dynamo import config, eval_frame
from rushlight._dynamo.eval_frame import OptimizedModule, is_dynamo_supported
from rushlight._names.absent import absent_functions
from rushlight.compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    list_backends,
    reset,
)
from rushlight.compiler import compile as optimize_function

__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "disallow_in_graph",
    "eval_frame",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "is_dynamo_supported",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "maybe_mark_dynamic",
    "optimize",
    "reset",
    "run",
]

globals().update(
    absent_functions(__name__, ["explain"], "compiler that breaks programs into graphs")
)


def optimize(*args: Any, **kwargs: Any) -> Any:
    """A decorator that gives back what it gets."""
    return lambda function: optimize_function(function)


def run(fn: Any = None) -> Any:
    return (lambda function: function) if fn is None else fn


def disallow_in_graph(fn: Any) -> Any:
    return fn


forbid_in_graph = disallow_in_graph


def graph_break(msg: str = "") -> None:
    """Ask a compiler to stop here: there is none."""


def is_compiling() -> bool:
    return False


def mark_dynamic(t: Any, index: Any, **options: Any) -> None:
    """Tell that a dimension will vary."""


maybe_mark_dynamic = mark_static = mark_dynamic


def mark_static_address(t: Any, guard: bool = True) -> None:
    """Tell that a tensor stays where it is."""
