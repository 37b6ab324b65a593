"""cuDNN, which is not there."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from rushlight.backends._switches import changed

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
allow_tf32 = True
fp32_precision = "none"


def is_available() -> bool:
    return False


def version() -> int | None:
    return None


def is_acceptable(tensor: Any) -> bool:
    """Whether a tensor could be given to the library."""
    return False


def set_flags(
    _enabled: bool | None = None,
    _benchmark: bool | None = None,
    _benchmark_limit: int | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
) -> tuple[Any, ...]:
    """Set switches; what they were."""
    before = (enabled, benchmark, benchmark_limit, deterministic, allow_tf32)
    given = {
        "enabled": _enabled, "benchmark": _benchmark, "benchmark_limit": _benchmark_limit,
        "deterministic": _deterministic, "allow_tf32": _allow_tf32,
    }  # fmt: skip
    globals().update({name: value for name, value in given.items() if value is not None})
    return before


def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    **others: Any,
) -> AbstractContextManager[None]:
    """A block with other switches."""
    return changed(
        sys.modules[__name__],
        enabled=enabled,
        benchmark=benchmark,
        benchmark_limit=benchmark_limit,
        deterministic=deterministic,
        allow_tf32=allow_tf32,
    )
