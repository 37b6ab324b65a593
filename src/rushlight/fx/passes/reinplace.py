"""Writing results over arguments that nobody needs any more, which needs functionalization."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["reinplace"]


def reinplace(gm: Any, *sample_args: Any) -> NoReturn:
    """Would let operators write over their arguments."""
    raise NotImplementedError(
        "reinplace is not supported: which tensors share memory is known by functionalization, "
        "which is not there yet"
    )
