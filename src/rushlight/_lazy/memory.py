"""The memory of the lazy device: blocks whose bytes are promised until somebody asks for them.

An address is the number of a block, and a place in it. Tensors that share a storage share its block, so views of one
another see the same bytes, promised or there.
"""

from __future__ import annotations

import ctypes
import itertools
from typing import Any, NamedTuple

from rushlight._subclasses import twins
from rushlight.engine.core import device as devices
from rushlight.engine.core import keys
from rushlight.engine.core import storage as storages
from rushlight.engine.core.size import intern, intern_strides, storage_bytes
from rushlight.engine.core.tensor import Tensor

# So many addresses belong to a block, whatever it holds.
_REACH = 40


class Geometry(NamedTuple):
    """Where the elements of a tensor are in its storage, and how they are read."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    dtype: Any
    reading: int

    @property
    def nbytes(self) -> int:
        """How many bytes a storage must have."""
        return storage_bytes(self.size, self.stride, self.offset, self.dtype.itemsize)

    def covers(self, nbytes: int) -> bool:
        """Whether each byte of a storage belongs to exactly one element."""
        count = self.dtype.itemsize
        for size in self.size:
            count *= size
        return not (self.offset or self.reading) and count == nbytes == self.nbytes


def geometry_of(tensor: Any) -> Geometry:
    """Where a tensor's elements are in its storage."""
    return Geometry(
        tensor._size_,
        tensor._stride_,
        tensor._offset_,
        tensor._dtype_,
        tensor._keys_ & twins.READING,
    )


class Block:
    """The bytes of one storage.

    Args:
        nbytes: how many there are
    """

    __slots__ = (
        "base", "content", "failure", "ident", "is_alive", "is_written", "nbytes", "shape", "values",
    )  # fmt: skip
    _idents = itertools.count(1)

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self.ident = next(self._idents)
        # The storage on the CPU with the bytes; None while they are promised, or were never written.
        self.content: Any = None
        # The storage on the meta device that stands for the bytes where shapes are worked out.
        self.shape = twins.new_storage(nbytes)
        # How a tensor shows all bytes.
        self.base: Geometry | None = None
        # The values of the running trace that are views of the bytes.
        self.values: dict[Geometry, int] = {}
        # Whether the trace changes or makes the bytes; whether a storage has them still.
        self.is_written, self.is_alive = False, True
        # Why the bytes will never be there.
        self.failure: BaseException | None = None

    def ready(self) -> Any:
        """The storage on the CPU; only for a block of which nothing is promised."""
        if self.failure is not None:
            raise RuntimeError(
                f"the computation of a lazy tensor has failed: {self.failure}"
            ) from self.failure
        if self.content is None:
            self.content = storages.allocate(self.nbytes, devices.cpu)
        return self.content

    def shown_as(self, geometry: Geometry) -> Tensor:
        """A tensor on the CPU over the bytes."""
        return over(self.ready(), geometry)

    def whole(self, like: Geometry) -> Geometry | None:
        """How a tensor shows all bytes: as the one that is given if it does, or else in a row; None if none can."""
        if self.base is None:
            size, rest = divmod(self.nbytes, like.dtype.itemsize)
            if like.covers(self.nbytes):
                self.base = like
            elif not rest:
                self.base = Geometry(intern((size,)), intern_strides((1,)), 0, like.dtype, 0)
        return self.base

    def resized(self, nbytes: int) -> None:
        """Have another number of bytes."""
        self.nbytes = self.shape._nbytes = nbytes
        self.base = None


def over(storage: Any, geometry: Geometry) -> Tensor:
    """A tensor on the CPU or the meta device over a storage."""
    from rushlight.engine.core import tensor as tensors

    size, stride, offset, dtype, reading = geometry
    made = tensors.from_storage(storage, dtype, size, stride, offset)
    made._keys_ |= reading
    return made


_blocks: dict[int, Block] = {}
_numbers = itertools.count(1)
_free_numbers: list[int] = []


def allocate(nbytes: int) -> int:
    """The address of a new block."""
    number = _free_numbers.pop() if _free_numbers else next(_numbers)
    _blocks[number] = Block(nbytes)
    return number << _REACH


def free(address: int) -> None:
    """Let a block go. What was promised need not be computed any more."""
    number = address >> _REACH
    _blocks.pop(number).is_alive = False
    _free_numbers.append(number)


def block_at(address: int) -> Block:
    """The block that an address is in."""
    return _blocks[address >> _REACH]


def block_of(tensor: Any) -> Block:
    """The block of a lazy tensor."""
    return _blocks[tensor._storage_._ptr >> _REACH]


def is_lazy(value: Any) -> bool:
    """Whether a value is a tensor on the lazy device."""
    return isinstance(value, Tensor) and bool(value._keys_ & keys.LAZY)


def copy_bytes(target: int, source: int, nbytes: int) -> None:
    """Copy bytes between addresses of the host."""
    ctypes.memmove(target, source, nbytes)


def place_in(address: int) -> int:
    """How many bytes before an address its block begins."""
    return address & ((1 << _REACH) - 1)
