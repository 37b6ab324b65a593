"""The operators as functions by their names, also those that other functions stand before."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """An operator's function of the namespace, or else the operator."""
    from rushlight import _ops
    from rushlight.engine.generated import functions

    found = vars(functions).get(name)
    if found is None and not name.startswith("__"):
        found = getattr(_ops.ops.aten, name, None)
    if found is None:
        raise AttributeError(f"module 'rushlight._VF' has no attribute '{name}'")
    return found
