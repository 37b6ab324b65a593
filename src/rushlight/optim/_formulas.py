"""Functions for formulas that are both compiled and run on tensors.

An optimizer says once what its step does to one element. Compiled, the formula gets the loop
compiler's values; where a step must be differentiable, or tensors are out of the ordinary, it gets
whole tensors.
"""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.engine.loops import expr
from rushlight.engine.loops.expr import Value


def sqrt(x: Any) -> Any:
    """The square root."""
    return expr.sqrt(x) if isinstance(x, Value) else x.sqrt()


def largest(a: Any, b: Any) -> Any:
    """The larger one."""
    return expr.maximum(a, b) if isinstance(a, Value) else rushlight.maximum(a, b)


def between(x: Any, low: Any, high: Any) -> Any:
    """``x``, not below ``low`` and not above ``high``."""
    if isinstance(x, Value):
        return expr.minimum(expr.maximum(x, low), high)
    return x.clamp(low, high)


def where(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``."""
    if isinstance(condition, Value):
        return expr.select(condition, a, b)
    return rushlight.where(condition, a, b)


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    if isinstance(x, Value):
        return expr.select(x > 0, 1.0, expr.select(x < 0, expr.const(x.type, -1.0), x * 0))
    return x.sign()


def lerp(a: Any, b: Any, weight: Any) -> Any:
    """From ``a`` a part of the way to ``b``."""
    return a + weight * (b - a)
