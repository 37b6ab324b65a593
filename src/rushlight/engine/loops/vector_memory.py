"""Loads and stores of vectors of elements: contiguous, repeated, strided, whole or partial.

A partial vector (the end of a row) is read and written under a mask where the processor has masks
for every element size. Elsewhere its missing lanes repeat the last element: they read a valid
address, compute what the last lane computes, and store it to the same place again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Union

from rushlight.engine.loops import casts
from rushlight.engine.loops.ir_text import llvm_type
from rushlight.engine.native.lowlevel import (
    Pointer,
    Value,
    Vector,
    bits_as,
    broadcast,
    constant,
    element,
    gather,
    intrinsic,
    lane,
    lanes_from,
    load,
    load_masked,
    minimum,
    narrowed,
    prefetch,
    put_lane,
    scatter,
    shifted,
    shuffle,
    store,
    store_masked,
    stream,
    vector_of,
)

AHEAD = 4096  # bytes: how early elements that lie in memory are asked for
LINE = 64  # bytes that memory gives at once


class Mask(NamedTuple):
    """A partial vector: lanes whose bit is set."""

    bits: Value


class Clamp(NamedTuple):
    """A partial vector: each lane's element index, not past the last."""

    indices: tuple[Any, ...]


Lanes = Union[Mask, Clamp, None]


def partial_mask(lanes: int, left: int) -> Mask:
    """The mask of the first ``left`` lanes (at least one; all of them if there are more)."""
    if lanes == 1:
        return Mask(constant(1, "i1"))
    missing = lanes - intrinsic("i64", "llvm.umin.i64", left, lanes)
    packed = f"i{lanes}"
    if lanes < 64:
        missing = narrowed(missing, packed)
    return Mask(bits_as(shifted(constant(-1, packed), missing), f"<{lanes} x i1>"))


def clamped(lanes: int, index: int, last: int) -> Clamp:
    """Element indices ``index + lane``, but at most ``last``."""
    return Clamp(tuple(minimum(index + k, last) for k in range(lanes)))


class Operand:
    """One operand along the vectorised dimension, at one row.

    ``letter``: ``c`` contiguous, ``s`` the same element throughout, ``g`` any stride. What ``is_padded``
    goes on behind its last element, so that partial vectors of it are read and written whole: the
    missing lanes of what was stored are those of what is loaded.
    """

    def __init__(
        self,
        memory: str,
        letter: str,
        pointer: Any = None,
        stride: Any = 0,
        is_padded: bool = False,
    ) -> None:
        self.memory, self.letter, self.is_padded = memory, letter, is_padded
        self.pointer: Any = pointer
        self.stride = stride
        self.repeated: tuple[Vector, ...] = ()

    @property
    def scalar(self) -> str:
        return llvm_type(casts.raw_type(self.memory))

    @property
    def bytes(self) -> int:
        return casts.MEMORY_BYTES[self.memory]

    @property
    def parts(self) -> int:
        return casts.parts(self.memory)

    @property
    def part_bytes(self) -> int:
        return self.bytes // self.parts

    @property
    def gathers(self) -> bool:
        """Whether processors with masks read such elements from scattered addresses at once."""
        return self.part_bytes >= 4

    # -- places --
    def point(self, place: Pointer, stride: int) -> None:
        """Begin at a place, with so many bytes from element to element."""
        self.pointer, self.stride = place, stride

    def step(self) -> int:
        return self.bytes if self.letter == "c" else self.stride

    def address(self, index: int) -> Pointer:
        if self.letter == "c":
            return element(self.pointer, index, self.bytes)
        return self.pointer + index * self.step()

    def _scattered(self, index: int, lanes: int, part: int) -> Vector:
        """The addresses of one part of each lane."""
        start = self.address(index) + part * self.part_bytes
        return start + broadcast(self.step(), lanes) * lanes_from(range(lanes), "i64")

    def _each_address(self, index: int, lanes: int, which: Lanes) -> list[Pointer]:
        if isinstance(which, Clamp):
            return [self.address(i) for i in which.indices]
        places = [self.address(index)]
        for _ in range(lanes - 1):
            places.append(places[-1] + self.step())
        return places

    def ask_ahead(self, index: int, count: int) -> None:
        """Ask memory for the contiguous elements that lie `AHEAD` behind some from an index on."""
        if self.letter != "c":
            return
        start = index * self.bytes
        for line in range(0, count * self.bytes, LINE):
            prefetch(self.pointer + (start + (AHEAD + line)))

    # -- loads --
    def load_repeated(self, lanes: int) -> None:
        """Read the one element of a repeated operand, once for the row."""
        self.repeated = tuple(broadcast(x, lanes) for x in self.load_one(self.pointer))

    def load_one(self, place: Pointer) -> list[Value]:
        """The parts of the element at a place."""
        return [
            load(place + part * self.part_bytes, self.scalar, self.part_bytes)
            for part in range(self.parts)
        ]

    def load(self, index: int, lanes: int, which: Lanes) -> list[Vector]:
        """The parts of ``lanes`` elements starting at ``index``."""
        if self.letter == "s":
            return list(self.repeated)
        which = None if self.is_padded else which
        if self.letter == "g" and isinstance(which, Mask):
            places = [self._scattered(index, lanes, part) for part in range(self.parts)]
            return [gather(x, self.scalar, which.bits) for x in places]
        if self.letter == "g" or isinstance(which, Clamp) or lanes == 1:
            return self._load_each(index, lanes, which)
        place, kind = self.address(index), vector_of(lanes * self.parts, self.scalar)
        if which is None:
            found = load(place, kind, self.part_bytes)
        else:
            found = load_masked(place, kind, self._wide_mask(which.bits, lanes))
        if self.parts == 1:
            return [found]
        return [shuffle(found, range(part, 2 * lanes, 2)) for part in range(2)]

    def _load_each(self, index: int, lanes: int, which: Lanes) -> list[Vector]:
        found: list[Any] = [None] * self.parts
        for k, place in enumerate(self._each_address(index, lanes, which)):
            one = self.load_one(place)
            if lanes == 1:
                return one
            found = [put_lane(v, k, x, lanes) for v, x in zip(found, one, strict=True)]
        return found

    def _wide_mask(self, bits: Value, lanes: int) -> Value:
        """The mask of the lanes' parts, which are neighbours."""
        if self.parts == 1:
            return bits
        return shuffle(bits, [k for k in range(lanes) for _ in range(2)])

    # -- stores --
    def store(
        self,
        values: Sequence[Vector],
        index: int,
        lanes: int,
        which: Lanes,
        streamed: int = 0,
    ) -> None:
        """Write ``lanes`` elements starting at ``index``.

        ``streamed``, if not zero, is the alignment of a whole vector that goes around the caches.
        """
        which = None if self.is_padded else which
        if isinstance(which, Clamp) or lanes == 1 or (self.letter != "c" and which is None):
            self._store_each(values, index, lanes, which)
            return
        if self.letter != "c":
            assert which is not None
            for part, value in enumerate(values):
                scatter(self._scattered(index, lanes, part), value, which.bits)
            return
        place, value = self.address(index), values[0]
        if self.parts == 2:
            value = shuffle(value, [i for k in range(lanes) for i in (k, lanes + k)], values[1])
        if which is not None:
            store_masked(place, value, self._wide_mask(which.bits, lanes))
        elif streamed:
            stream(place, value, streamed)
        else:
            store(place, value, self.part_bytes)

    def _store_each(self, values: Sequence[Vector], index: int, lanes: int, which: Lanes) -> None:
        for k, place in enumerate(self._each_address(index, lanes, which)):
            for part, value in enumerate(values):
                one = lane(value, k) if lanes > 1 else value
                store(place + part * self.part_bytes, one, self.part_bytes)
