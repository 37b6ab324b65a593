"""Marks of TorchScript, in the file where libraries import them from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rushlight.jit import (
    Future,
    _overload,
    _overload_method,
    annotate,
    export,
    ignore,
    is_scripting,
    unused,
)

__all__ = [
    "Final",
    "Future",
    "_overload",
    "_overload_method",
    "annotate",
    "boolean_dispatch",
    "export",
    "ignore",
    "is_scripting",
    "is_tracing",
    "unused",
]


def is_tracing() -> bool:
    """Whether calls are being traced: they never are."""
    return False


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable[..., Any],
    if_false: Callable[..., Any],
    module_name: str,
    func_name: str,
) -> Callable[..., Any]:
    """A function that calls one of two, by the value of one of its arguments."""

    def chosen(*args: Any, **kwargs: Any) -> Any:
        given = args[arg_index] if len(args) > arg_index else kwargs.get(arg_name, default)
        return (if_true if given else if_false)(*args, **kwargs)

    chosen.__doc__ = if_true.__doc__ or if_false.__doc__
    chosen.__name__ = func_name
    return chosen
