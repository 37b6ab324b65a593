"""Numbers of numpy's types among the arguments of a call: machine code knows those of Python's types.

Which functions take them, and as what, is for their Python to say. A call that has been made with numbers
of these types is made again with plain ones in their place.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from rushlight.engine.native.numpy_later import np


@functools.cache
def _integers() -> frozenset[type]:
    """numpy's integers; those of 64 bits without a sign may be none of machine code."""
    return frozenset(
        (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.longlong)
    )


@functools.cache
def _plain_kinds() -> dict[type, Any]:
    """What makes a plain number of one of numpy's."""
    fractions = dict.fromkeys((np.float16, np.float32, np.float64), float)
    return dict.fromkeys(_integers(), int) | fractions


_CONTAINERS = (tuple, list, slice)
# Longer containers are data, or have tensors in them.
_MOST_ITEMS = 8
# As in the slices of a subscript; deeper ones are data, too.
_MOST_DEPTH = 2


def kinds_of(items: Any) -> tuple[Any, ...] | None:
    """The types of arguments and of the items of containers; None if no number of numpy's is among them."""
    if "numpy" not in sys.modules:
        return None
    found: list[Any] = []
    is_found = _add_kinds(items, found, _MOST_DEPTH)
    return tuple(found) if is_found else None


def plain_subscript(item: Any) -> Any:
    """A subscript with plain integers in the place of numpy's, which mean the same there; itself without any."""
    if "numpy" not in sys.modules:
        return item
    kind = type(item)
    if kind in _integers():
        return int(item)
    if kind is not slice and (kind is not tuple or len(item) > _MOST_ITEMS):
        return item
    parts = _parts(item)
    plain_parts = [plain_subscript(x) for x in parts]
    if all(a is b for a, b in zip(parts, plain_parts)):
        return item
    return slice(*plain_parts) if kind is slice else tuple(plain_parts)


def _add_kinds(items: Any, found: list[Any], depth: int) -> bool:
    is_found = False
    for item in items:
        kind = type(item)
        found.append(kind)
        if kind in _plain_kinds():
            is_found = True
        elif kind in _CONTAINERS and depth:
            parts = _parts(item)
            found.append(len(parts))
            if len(parts) <= _MOST_ITEMS:
                is_found = _add_kinds(parts, found, depth - 1) or is_found
    return is_found


def _parts(item: Any) -> Any:
    return (item.start, item.stop, item.step) if type(item) is slice else item


def plain(item: Any, depth: int = _MOST_DEPTH) -> Any:
    """An argument with plain numbers in the place of numpy's."""
    kind = type(item)
    if kind in _plain_kinds():
        return _plain_kinds()[kind](item)
    if kind in _CONTAINERS and depth:
        parts = (plain(x, depth - 1) for x in _parts(item))
        return slice(*parts) if kind is slice else kind(parts)
    return item
