"""What must be equal for a program to have types."""

from __future__ import annotations

__all__ = ["Equality"]


class Equality:
    """Two types, or numbers, that must be equal."""

    def __init__(self, lhs: object, rhs: object) -> None:
        self.lhs = lhs
        self.rhs = rhs

    def __str__(self) -> str:
        return f"{self.lhs} = {self.rhs}"

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equality) and self.lhs == other.lhs and self.rhs == other.rhs

    __hash__ = None  # type: ignore[assignment]
