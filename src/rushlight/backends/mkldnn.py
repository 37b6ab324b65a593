"""Intel's library of network layers, which is not used."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

from rushlight.backends._switches import changed

VERBOSE_OFF, VERBOSE_ON, VERBOSE_ON_CREATION = 0, 1, 2
enabled = deterministic = allow_tf32 = False


def is_available() -> bool:
    return False


class verbose:
    """A block in which the library would report its calls."""

    def __init__(self, level: int) -> None:
        self.level = level

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing was changed."""


def is_acl_available() -> bool:
    return False


def set_flags(
    _enabled: bool | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str | None = None,
) -> tuple[Any, ...]:
    """Set switches; what they were."""
    before = (enabled, deterministic, allow_tf32)
    given = {"enabled": _enabled, "deterministic": _deterministic, "allow_tf32": _allow_tf32}
    globals().update({name: value for name, value in given.items() if value is not None})
    return before


def flags(
    enabled: bool = False,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> AbstractContextManager[None]:
    """A block with other switches."""
    return changed(
        sys.modules[__name__],
        enabled=enabled,
        deterministic=deterministic,
        allow_tf32=allow_tf32,
    )
