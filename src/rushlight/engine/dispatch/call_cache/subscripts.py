"""Subscripts whose integers are not as they were: which of them shift a view, and by how much."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import objects, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.dispatch.call_cache.key import SLICE_FIELDS
from rushlight.engine.native.lowlevel import load, load32
from rushlight.engine.native.python_api import clear_error, error_occurred, long_as_signed
from rushlight.engine.native.runtime import module

# What no shift is.
OUTSIDE = 1 << 62


class MOVE:
    """Positions of the words that describe an integer of a subscript, in bytes."""

    flat_arg = 0
    kind = 8  # 0 for an integer, 1 for a slice, otherwise the bytes of a tensor's integer
    size = 16
    stride = 24
    length = 32  # of a slice
    bytes = 40


@module.function
def integer_of(tensor: int, itemsize: int) -> int:
    """The only element of a tensor of integers of 8 or 4 bytes."""
    at = objects.first_byte(tensor, itemsize)
    return load(at) if itemsize == 8 else load32(at)


@module.function
def shift_of(places: int, flat_args: int) -> int:
    """By how many elements the integers of a subscript shift a view; `OUTSIDE` if some are too large.

    ``places`` has their number, then a `MOVE` for each; or it is 0.
    """
    if places == 0:
        return 0
    shift = 0
    for k in range(load(places)):
        row = places + 8 + k * MOVE.bytes
        item = load(flat_args + load(row + MOVE.flat_arg) * 8)
        size = load(row + MOVE.size)
        last = size - 1
        if load(row + MOVE.kind) == 1:
            item = load(item + SLICE_FIELDS)
            last = size - load(row + MOVE.length)
        place = 0
        if load(row + MOVE.kind) > 1:
            place = integer_of(item, load(row + MOVE.kind))
        else:
            place = long_as_signed(item)
        if place == -1 and error_occurred() != 0:
            clear_error()
            return OUTSIDE
        if place < 0:
            place += size
        if place < 0 or place > last:
            return OUTSIDE
        shift += place * load(row + MOVE.stride)
    return shift


class IndexShift:
    """The integers that shift a view.

    Args:
        rows: the words of each, as `MOVE` says
        shift: by how many elements they shift it now
        index: the subscript, if they are in one
    """

    def __init__(self, rows: Sequence[tuple[Any, ...]], shift: Any, index: Any = ()) -> None:
        self.rows, self.shift = rows, shift
        self.items = index if type(index) is tuple else (index,)

    def table(self) -> Any:
        """The words for `shift_of`."""
        return symbolic.words([len(self.rows), *(word for row in self.rows for word in row)])

    def numbers_in(self, arguments: Sequence[Any]) -> list[int] | None:
        """The subscript's integers, if each is exactly one of these arguments of recorded steps."""
        numbers = [item for item in self.items if type(item) is int]
        if any(type(item) is slice and item != slice(None) for item in self.items):
            return None
        once = all(sum(a is n for a in arguments) == 1 for n in numbers)
        return numbers if once and len(set(map(id, numbers))) == len(numbers) else None

    def passed_over(self, flat_args: list[Any]) -> list[Any]:
        """A call's flattened arguments, with nothing in the place of the subscript's items."""
        behind = 1 + len(self.items)
        return [flat_args[0], *[self] * len(self.items), *flat_args[behind:]]

    def among(self, arguments: Sequence[Any]) -> IndexShift | None:
        """Those of the integers that are among a step's arguments, if there are any."""
        numbers = [item for item in self.items if type(item) is int]
        own = [(n, row) for n, row in zip(numbers, self.rows) if any(a is n for a in arguments)]
        shift = sum((n + row[2] if n < 0 else n) * row[3] for n, row in own)
        return IndexShift([row for _, row in own], shift) if own else None


def index_shift_of(tensor: Any, index: Any) -> IndexShift | None:
    """The integers of a subscript that shift the view of a tensor; None if that is not so simple."""
    items = index if type(index) is tuple else (index,)
    kinds = (int, slice, type(None), type(Ellipsis))
    if type(tensor) not in tensors.plain_types or any(type(item) not in kinds for item in items):
        return None
    dims = len(tensor._size_)
    unnamed = dims - sum(type(item) in (int, slice) for item in items)
    rows: list[tuple[int, ...]] = []
    shift = d = 0
    for flat_arg, item in enumerate(items, 1):
        if item is Ellipsis:
            d += unnamed
        if type(item) not in (int, slice):
            continue
        size, stride = tensor._size_[d], tensor._stride_[d]
        d += 1
        if type(item) is int:
            rows.append((flat_arg, 0, size, stride, 0))
            shift += (item + size if item < 0 else item) * stride
        elif type(item.start) is int and type(item.stop) is int and 0 <= item.start <= item.stop:
            if item.stop > size:
                return None
            rows.append((flat_arg, 1, size, stride, item.stop - item.start))
            shift += item.start * stride
    return IndexShift(rows, shift, index) if rows else None


def address_of(table: Any) -> int:
    return 0 if table is None else ctypes.addressof(table)
