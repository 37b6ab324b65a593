"""What functions that write ONNX say of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["parse_args"]


def parse_args(*arg_descriptors: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Note the kinds of a function's arguments, for an export to read."""

    def noted(function: Callable[..., Any]) -> Callable[..., Any]:
        function._arg_descriptors = list(arg_descriptors)  # type: ignore[attr-defined]
        return function

    return noted
