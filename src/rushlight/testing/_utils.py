"""What helpers of tests need besides comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight


def wrapper_set_seed(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The result of a function with the generator seeded by 42, which is as before afterwards."""
    before = rushlight.get_rng_state()
    try:
        rushlight.manual_seed(42)
        return op(*args, **kwargs)
    finally:
        rushlight.set_rng_state(before)
