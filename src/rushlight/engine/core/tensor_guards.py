"""Guards of captured programs on tensors, as one call of machine code.

Sizes, strides and element types are unique objects, so that a tensor is of the kind that a graph was made for
is a matter of comparing a few addresses.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.engine.core import state
from rushlight.engine.core.objects import TENSOR
from rushlight.engine.native import heap_types
from rushlight.engine.native.lowlevel import load
from rushlight.engine.native.python_api import bool_from_word, decref, long_as_word, vectorcall
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


class _TABLE:
    """Positions of the words before those of the tensors."""

    # Whether gradients are to be recorded (1 or 0; -1 if that does not matter), what tells it of a thread where
    # machine code cannot, and what that has to answer.
    recording, ask, answer = (_WORD * k for k in range(3))
    bytes = _WORD * 3


class EXPECTED:
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
    if load(tensor + heap_types.TYPE_OFFSET) != load(expected + EXPECTED.kind):
        return 0
    if load(tensor + TENSOR.dtype) != load(expected + EXPECTED.dtype):
        return 0
    if load(tensor + TENSOR.keys) != load(expected + EXPECTED.keys):
        return 0
    if is_object(load(tensor + TENSOR.size), load(expected + EXPECTED.size)) == 0:
        return 0
    return is_object(load(tensor + TENSOR.stride), load(expected + EXPECTED.stride))


@module.function
def records_as_expected(table: int) -> int:
    """Whether this thread records gradients as a table says; -1 with an error."""
    expected = load(table + _TABLE.recording)
    if expected < 0:
        return 1
    found = state.records()
    if found >= 0:
        return 1 if found == expected else 0
    answer = vectorcall(load(table + _TABLE.ask), 0, 0, 0)
    if answer == 0:
        return -1
    decref(answer)
    return 1 if answer == load(table + _TABLE.answer) else 0


@module.entry
def are_expected(context: int, arguments: int, count: int) -> int:
    """Whether objects are tensors as a table says, whose address comes before them."""
    table = long_as_word(load(arguments))
    recording = records_as_expected(table)
    if recording <= 0:
        return 0 if recording < 0 else bool_from_word(0)
    expected = table + _TABLE.bytes
    for k in range(1, count):
        if is_expected(load(arguments + k * 8), expected) == 0:
            return bool_from_word(0)
        expected += EXPECTED.bytes
    return bool_from_word(1)


def words_of(expected: Expected) -> list[int]:
    """What `is_expected` takes, while whatever it names is kept."""
    numbers = (0 if x is None else id(x) for x in (expected.size, expected.stride))
    return [id(expected.kind), *numbers, id(expected.dtype), expected.keys]


def _is_recording() -> bool:
    """Whether this thread records gradients."""
    return state.thread.grad_enabled


class Table:
    """The words of several tensors.

    Args:
        tensors: what they have to be like
        recording: whether gradients have to be recorded; None if that does not matter
    """

    def __init__(self, tensors: Sequence[Expected], recording: bool | None) -> None:
        # Whatever has its address in the table has to live as long.
        self._tensors = tensors
        expected = -1 if recording is None else int(recording)
        words: list[int] = [expected, id(_is_recording), id(recording)]
        for one in tensors:
            words += words_of(one)
        self._words = (ctypes.c_int64 * len(words))(*words)
        self.address = ctypes.addressof(self._words)
