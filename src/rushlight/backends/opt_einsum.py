"""The package opt_einsum, which `einsum` does not use."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from rushlight.backends._switches import changed

enabled = False
strategy: str | None = None


def is_available() -> bool:
    return False


def get_opt_einsum() -> Any:
    return None


def flags(enabled: bool | None = None, strategy: str | None = None) -> AbstractContextManager[None]:
    """A block with other switches."""
    return changed(sys.modules[__name__], enabled=enabled, strategy=strategy)
