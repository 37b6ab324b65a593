"""Between which numbers a value lies."""

from __future__ import annotations

from typing import Any

__all__ = ["ValueRanges"]


class ValueRanges:
    """The least and the most that a value can be.

    Args:
        lower: the least
        upper: the most
    """

    __slots__ = ("lower", "upper")

    def __init__(self, lower: Any, upper: Any) -> None:
        self.lower, self.upper = lower, upper

    def __contains__(self, value: Any) -> bool:
        return bool(self.lower <= value <= self.upper)

    def __repr__(self) -> str:
        return f"VR[{self.lower}, {self.upper}]"

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))
