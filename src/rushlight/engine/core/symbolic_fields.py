"""Counts and offsets that may be symbols, which the fields of a tensor, being words, cannot hold."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import size as sizes
from rushlight.engine.core.symbolic import SymInt, has_symbols, known
from rushlight.engine.core.tensor import Tensor

_WORDS: Any = Tensor.__mro__[1]


def _count(self: Any) -> Any:
    size = self._size_
    return sizes.numel(size) if has_symbols(size) else _WORDS._numel_.__get__(self)


def _set_count(self: Any, value: Any) -> None:
    _WORDS._numel_.__set__(self, known(value))


def _offset(self: Any) -> Any:
    found = self.__dict__.get("_symbolic_offset")
    return _WORDS._offset_.__get__(self) if found is None else found


def _set_offset(self: Any, value: Any) -> None:
    self.__dict__.pop("_symbolic_offset", None)
    if type(value) is SymInt:
        self.__dict__["_symbolic_offset"] = value
    _WORDS._offset_.__set__(self, known(value))


# For classes whose objects have symbolic sizes: `_numel_` and `_offset_`.
numel_field: Any = property(_count, _set_count)
offset_field: Any = property(_offset, _set_offset)


class SymbolicTensor(Tensor):
    """A tensor whose sizes are symbols. To programs it is a tensor like any other."""

    _numel_, _offset_ = numel_field, offset_field


SymbolicTensor.__name__ = SymbolicTensor.__qualname__ = "Tensor"
