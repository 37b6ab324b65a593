"""Subscripts of tuples with a class of their own: integers by machine code, the rest in Python."""

from __future__ import annotations

from typing import Any

from rushlight.engine.native import heap_types
from rushlight.engine.native.lowlevel import Words, load, stack, store
from rushlight.engine.native.python_api import (
    clear_error,
    error_occurred,
    incref,
    long_as_signed,
    tuple_item,
    tuple_size,
    vectorcall,
)
from rushlight.engine.native.runtime import method_descriptor, module

_known = Words("int", "otherwise")
_known.int = id(int)


@module.entry
def item_of(whole: int, arguments: int, count: int) -> int:
    """``whole[index]``, for an index that is a plain integer within the tuple."""
    index = load(arguments)
    if load(index + heap_types.TYPE_OFFSET) == _known.int:
        size = tuple_size(whole)
        place = long_as_signed(index)
        if place == -1 and error_occurred() != 0:
            clear_error()
            place = size
        if place < 0:
            place += size
        if place >= 0 and place < size:
            found = tuple_item(whole, place)
            incref(found)
            return found
    given = stack(2)
    store(given, whole)
    store(given + 8, index)
    return vectorcall(_known.otherwise, given, 2, 0)


def quicken(owner: Any) -> None:
    """Let a class of tuples take integers by machine code; its own method does the rest."""
    _known.otherwise = id(owner.__getitem__)
    _methods.append(owner.__getitem__)
    owner.__getitem__ = method_descriptor("__getitem__", owner, item_of)


# What machine code refers to.
_methods: list[Any] = []
