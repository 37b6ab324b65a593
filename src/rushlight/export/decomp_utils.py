"""Tables of what operators are taken apart into."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

__all__ = ["CustomDecompTable"]


class CustomDecompTable(MutableMapping[Any, Callable[..., Any]]):
    """The decompositions to core operators, which a program may add to and take from."""

    def __init__(self) -> None:
        from rushlight._decomp import core_aten_decompositions

        self._table: dict[Any, Callable[..., Any]] = dict(core_aten_decompositions())
        self.deleted_custom_ops: set[Any] = set()

    def __getitem__(self, op: Any) -> Callable[..., Any]:
        return self._table[op]

    def __setitem__(self, op: Any, function: Callable[..., Any]) -> None:
        self._table[op] = function
        self.deleted_custom_ops.discard(op)

    def __delitem__(self, op: Any) -> None:
        self.pop(op)

    def pop(self, op: Any, *default: Any) -> Any:
        """Leave an operator as it is."""
        self.deleted_custom_ops.add(op)
        return self._table.pop(op, *default)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def keys(self) -> Any:
        """The operators that are taken apart."""
        return self._table.keys()

    def copy(self) -> CustomDecompTable:
        """A table that can be changed without changing this one."""
        made = CustomDecompTable()
        made._table = dict(self._table)
        made.deleted_custom_ops = set(self.deleted_custom_ops)
        return made

    def materialize(self) -> dict[Any, Callable[..., Any]]:
        """A dictionary of the same."""
        return dict(self._table)
