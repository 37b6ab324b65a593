"""Guards of captured programs on tensors, as one call of machine code.

Sizes, strides and element types are unique objects, so that a tensor is of the kind that a graph was made for
is a matter of comparing a few addresses.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.engine.core.objects import TENSOR
from rushlight.engine.native import heap_types
from rushlight.engine.native.lowlevel import load
from rushlight.engine.native.python_api import bool_from_word, long_as_word
from rushlight.engine.native.runtime import module

_WORD = 8


class Expected(NamedTuple):
    """What a tensor has to be like; sizes and strides are None where they may be any.

    Args:
        kind: its class
        size: its sizes
        stride: its strides
        dtype: its element type
        keys: its dispatch keys
    """

    kind: type
    size: tuple[int, ...] | None
    stride: tuple[int, ...] | None
    dtype: Any
    keys: int


class _EXPECTED:
    """Positions of the words of one tensor."""

    kind, size, stride, dtype, keys = (_WORD * k for k in range(5))
    bytes = _WORD * 5


@module.function
def is_object(found: int, expected: int) -> int:
    """Whether an object is the one that is expected, if any is."""
    return 1 if expected == 0 or found == expected else 0


@module.function
def is_expected(tensor: int, expected: int) -> int:
    """Whether an object is a tensor as some words say."""
    if load(tensor + heap_types.TYPE_OFFSET) != load(expected + _EXPECTED.kind):
        return 0
    if load(tensor + TENSOR.dtype) != load(expected + _EXPECTED.dtype):
        return 0
    if load(tensor + TENSOR.keys) != load(expected + _EXPECTED.keys):
        return 0
    if is_object(load(tensor + TENSOR.size), load(expected + _EXPECTED.size)) == 0:
        return 0
    return is_object(load(tensor + TENSOR.stride), load(expected + _EXPECTED.stride))


@module.entry
def are_expected(context: int, arguments: int, count: int) -> int:
    """Whether objects are tensors as a table says, whose address comes before them."""
    expected = long_as_word(load(arguments))
    for k in range(1, count):
        if is_expected(load(arguments + k * 8), expected) == 0:
            return bool_from_word(0)
        expected += _EXPECTED.bytes
    return bool_from_word(1)


class Table:
    """The words of several tensors.

    Args:
        tensors: what they have to be like
    """

    def __init__(self, tensors: Sequence[Expected]) -> None:
        # Whatever has its address in the table has to live as long.
        self._tensors = tensors
        words: list[int] = []
        for one in tensors:
            numbers = (0 if x is None else id(x) for x in (one.size, one.stride))
            words += [id(one.kind), *numbers, id(one.dtype), one.keys]
        self._words = (ctypes.c_int64 * len(words))(*words)
        self.address = ctypes.addressof(self._words)
