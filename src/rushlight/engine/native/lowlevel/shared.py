"""Memory that Python and compiled code share, and lists as values."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from rushlight.engine.native.lowlevel.text import here
from rushlight.engine.native.lowlevel.values import WORD, Value, let, lifted


def lasting(words: int) -> Any:
    """Memory that stays until the very end: compiled code may run when modules are gone."""
    buffer = (ctypes.c_int64 * words)()
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(buffer))
    return buffer


class Words:
    """Named 64-bit words in memory that both Python and the translated code read and write."""

    _buffer: Any
    _index: Any

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "_buffer", lasting(max(len(names), 1)))
        object.__setattr__(self, "_index", {name: i for i, name in enumerate(names)})

    def address_of(self, name: str) -> int:
        return ctypes.addressof(self._buffer) + 8 * self._index[name]

    def places(self, *names: str) -> tuple[Any, ...]:
        """The memory, and the positions of words in it, for Python that is in a hurry."""
        return (self._buffer, *(self._index[name] for name in names))

    def __getattr__(self, name: str) -> int:
        try:
            return int(self._buffer[self._index[name]])
        except KeyError:
            raise AttributeError(f"no word called {name}") from None

    def __setattr__(self, name: str, value: int) -> None:
        self._buffer[self._index[name]] = value


def read_word(group: Words, name: str) -> Value:
    """What compiled code finds in a word."""
    return let(WORD, f"load i64, ptr {_place(group, name)}")


def write_word(group: Words, name: str, value: Any) -> None:
    """Let compiled code change a word."""
    place = _place(group, name)
    here().do(f"store i64 {lifted(value, WORD).name}, ptr {place}")


def _place(group: Words, name: str) -> str:
    text = here()
    base = text.let(f"load ptr, ptr {text.helpers[id(group)]}")
    if name not in group._index:
        raise TypeError(f"no word called {name}")
    return text.let(f"getelementptr i64, ptr {base}, i64 {group._index[name]}")


def replaced(sequence: Sequence[Any], index: int, element: Any) -> list[Any]:
    """A list with another element at one place: ``sequence[index] = element``.

    What has a method ``put`` is written to instead, and stays what it is.
    """
    put = getattr(sequence, "put", None)
    if put is not None:
        put(index, element)
        return sequence  # type: ignore[return-value]
    if isinstance(index, Value):
        raise TypeError(f"elements of a list are chosen while code is written, not by {index}")
    new = list(sequence)
    new[index] = element
    return new
