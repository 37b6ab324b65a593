"""Masks of attention as numbers that are added to scores."""

from __future__ import annotations

import math
from typing import Any

import rushlight
from rushlight.engine.generated import functions


def as_added(mask: Any, name: str, dtype: Any, other: Any = None) -> Any:
    """A mask as numbers that are added to scores."""
    if mask is None:
        return None
    if mask.dtype is not rushlight.bool and not mask.dtype.is_floating_point:  # type: ignore[attr-defined]
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if mask.dtype is rushlight.bool:  # type: ignore[attr-defined]
        return functions.zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf)
    return mask


def added(mask: Any, query: Any, key: Any) -> Any:
    """A mask as numbers of the query's type, with four dimensions and one for every key."""
    if mask is None:
        return None
    # Here a mask tells where to look; as numbers it takes away where not to.
    hidden = ~mask if mask.dtype is rushlight.bool else mask  # type: ignore[attr-defined]
    mask = as_added(hidden, "attn_mask", query.dtype).to(query.dtype)
    mask = mask.reshape((1,) * (4 - mask.dim()) + tuple(mask.shape))
    return mask.expand(*mask.shape[:3], key.size(2))
