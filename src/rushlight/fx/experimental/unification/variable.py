"""Variables: they stand for values that are not known yet."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

__all__ = ["Var", "isvar", "var", "variables", "vars"]

_numbers = itertools.count(1)
# Plain values that count as variables for a while.
_variables: set[Any] = set()


class Var:
    """A variable; two of the same name are one."""

    def __init__(self, *token: Any) -> None:
        self.token = token[0] if token else f"_{next(_numbers)}"

    def __str__(self) -> str:
        return "~" + str(self.token)

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.token == other.token  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), self.token))


def var(*token: Any) -> Var:
    """A variable."""
    return Var(*token)


def vars(n: int) -> list[Var]:
    """So many variables."""
    return [var() for _ in range(n)]


def isvar(value: Any) -> bool:
    """Whether a value is a variable, or counts as one now."""
    if isinstance(value, Var):
        return True
    return bool(_variables) and value.__hash__ is not None and value in _variables


@contextlib.contextmanager
def variables(*values: Any) -> Iterator[None]:
    """Within the block plain values count as variables."""
    before = set(_variables)
    _variables.update(values)
    try:
        yield
    finally:
        _variables.clear()
        _variables.update(before)
