"""Scalar functions that the formulas of pointwise operators call."""

from __future__ import annotations

from typing import Any


def weighted(value: Any, weight: Any) -> Any:
    """A value times a weight that may have been left out."""
    return value if weight is None else value * weight
