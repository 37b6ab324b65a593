"""Images made smaller without losing what lies between: every weight is a filter as wide as a step."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import rushlight

__all__ = ["MODES", "smoothed"]


def _triangle(x: float) -> float:
    return max(0.0, 1.0 - abs(x))


def _cubic(x: float) -> float:
    a, x = -0.5, abs(x)
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def _lanczos(x: float) -> float:
    if x == 0:
        return 1.0
    if abs(x) >= 3:
        return 0.0
    at = math.pi * x
    return math.sin(at) / at * math.sin(at / 3) / (at / 3)


# A filter, and how far it reaches.
MODES: dict[str, tuple[Callable[[float], float], int]] = {
    "bilinear": (_triangle, 1),
    "bicubic": (_cubic, 2),
    "lanczos": (_lanczos, 3),
}


@lru_cache(maxsize=128)
def _weights(old: int, new: int, step: float, mode: str) -> tuple[tuple[float, ...], ...]:
    """For each new element, the weights of all old ones."""
    shape, reach = MODES[mode]
    width = max(step, 1.0)
    rows = []
    for i in range(new):
        center = step * (i + 0.5)
        first = max(int(center - reach * width + 0.5), 0)
        last = min(int(center + reach * width + 0.5), old)
        found = [shape((k - center + 0.5) / width) for k in range(first, last)]
        total = sum(found)
        row = [0.0] * old
        row[first:last] = [weight / total for weight in found]
        rows.append(tuple(row))
    return tuple(rows)


def smoothed(image: Any, new: list[int], steps: list[float], mode: str) -> Any:
    """An image of another size, as products with the weights along both dimensions."""
    is_bytes = image.dtype is rushlight.uint8
    given = image.to(rushlight.float32) if is_bytes else image
    for dim, (size, step) in enumerate(zip(new, steps), 2):
        rows = _weights(image.size(dim), size, step, mode)
        weights = rushlight.tensor(rows, dtype=given.dtype, device=image.device)  # type: ignore[attr-defined]
        given = weights @ given if dim == 2 else given @ weights.t()
    return given.round().clamp(0, 255).to(rushlight.uint8) if is_bytes else given
