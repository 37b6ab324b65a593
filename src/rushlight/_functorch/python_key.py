"""Names of tracing that `functorch` shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.fx.experimental.proxy_tensor import (
    PythonKeyTracer,
    decompose,
    dispatch_trace,
    make_fx,
)

__all__ = ["PythonKeyTracer", "decompose", "dispatch_trace", "make_fx", "pythonkey_decompose"]


def pythonkey_decompose(table: Any) -> Callable[..., Any]:
    """Within the block operators of a table are traced as what its functions do."""
    return decompose(table)
