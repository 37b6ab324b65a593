"""Graphs of programs, which are not there yet; the names that libraries import are."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["wrap"]


def wrap(fn_or_name: Any) -> Any:
    """Mark a function that a tracer takes as one step."""
    return fn_or_name


def symbolic_trace(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises: programs cannot be traced into graphs yet."""
    raise NotImplementedError(
        "torch.fx.symbolic_trace: rushlight cannot trace programs into graphs"
    )
