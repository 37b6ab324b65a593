"""Intel's library of mathematics, which is not used."""

from __future__ import annotations

from types import TracebackType
from typing import Self

VERBOSE_OFF, VERBOSE_ON, VERBOSE_ON_CREATION = 0, 1, 2


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
