"""Scalar functions that the formulas of losses call."""

from __future__ import annotations

from typing import Any

from rushlight.engine.loops import expr


def weighted(value: Any, weight: Any) -> Any:
    """A value times a weight that may have been left out."""
    return value if weight is None else value * weight


def smooth_slope(distance: Any, beta: Any) -> Any:
    """The slope of the smooth absolute value: straight lines from ``beta`` on."""
    one = expr.const(distance.type, 1)
    inner = expr.select(beta == 0, distance * 0, distance / beta)
    outer = expr.select(distance >= beta, one, expr.select(distance <= -beta, -one, inner))
    return expr.select(distance == 0, inner, outer)
