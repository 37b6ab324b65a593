"""Types of values in traced programs."""

from __future__ import annotations

from typing import Any

from rushlight.fx.proxy import Proxy

__all__ = ["annotate"]


def annotate(val: Any, type: Any) -> Any:
    """Say of a proxy that its value is of a type; other values come back as they are."""
    if not isinstance(val, Proxy):
        return val
    if val.node.type:
        raise RuntimeError(
            f"Tried to annotate a value that already had a type on it! Existing type is "
            f"{val.node.type} and new type is {type}. This could happen if you tried to annotate a "
            f"function parameter value (in which case you should use the type slot on the "
            f"function signature) or you called annotate on the same value twice"
        )
    val.node.type = type
    return val
