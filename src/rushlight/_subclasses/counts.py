"""Counts and offsets that may be symbols."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.size import numel
from rushlight.engine.core.symbolic import SymInt, has_symbols, known
from rushlight.engine.core.tensor import Tensor

__all__ = ["SymbolicCounts"]

# The fields of tensors as they are in memory.
_WORDS: Any = Tensor.__mro__[1]


class SymbolicCounts:
    """Of classes of tensors whose count of elements and offset may be symbols.

    The fields of tensors, being words, cannot hold these.
    """

    __slots__ = ()
    _size_: Any

    @property
    def _numel_(self) -> Any:
        size = self._size_
        return numel(size) if has_symbols(size) else _WORDS._numel_.__get__(self)

    @_numel_.setter
    def _numel_(self, value: Any) -> None:
        _WORDS._numel_.__set__(self, known(value))

    @property
    def _offset_(self) -> Any:
        found = self.__dict__.get("_symbolic_offset")
        return _WORDS._offset_.__get__(self) if found is None else found

    @_offset_.setter
    def _offset_(self, value: Any) -> None:
        self.__dict__.pop("_symbolic_offset", None)
        if type(value) is SymInt:
            self.__dict__["_symbolic_offset"] = value
        _WORDS._offset_.__set__(self, known(value))
