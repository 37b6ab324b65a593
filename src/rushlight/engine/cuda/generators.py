"""Generators of CUDA devices: a seed, and how far its streams of numbers have been used.

Every thread of a kernel has a stream of its own, in Philox's order; a kernel says how many numbers each of them
takes at most, and the next kernel begins behind them.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import Any, NamedTuple

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import generator as generators
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.generator import Generator
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import context
from rushlight.engine.cuda.launcher import GENERATOR, UNIT

_STATE = struct.Struct("<Qq")


class GraphState:
    """What a graph knows of a generator: where the seed and the place are, and how many numbers it takes.

    Args:
        held: two words in the device's memory, which are written before each replay
        address: where they are
    """

    def __init__(self, held: Any, address: int) -> None:
        self.held, self.address = held, address
        self.taken = 0

    def words(self, generator: CudaGenerator) -> bytes:
        """What a replay finds there; the generator goes on behind it."""
        return _STATE.pack(*generator.take(self.taken))


class Taken(NamedTuple):
    """Where a kernel begins: a seed and a place; or, within a graph, an address and what is added to the place there."""

    seed: int
    place: int
    held: bool


def _word(position: int, doc: str) -> property:
    """A word of the generator that machine code reads and changes, as an attribute."""
    place = position // 8

    def read(self: CudaGenerator) -> int:
        return self._words[place]

    def write(self: CudaGenerator, value: int) -> None:
        self._words[place] = value

    return property(read, write, doc=doc)


class CudaGenerator(Generator):
    """A generator whose numbers are drawn on a GPU."""

    __slots__ = ("_graph", "_words")

    def __init__(self, device: Any = "cuda") -> None:
        found = devices.device(device)
        index = context.current() if found.index is None else found.index
        self._device = devices.device("cuda", index)
        self._words = (ctypes.c_uint64 * GENERATOR.length)(generators.DEFAULT_SEED)
        self._graph: GraphState | None = None

    @property
    def words_address(self) -> int:
        """Where its words are, for machine code."""
        return ctypes.addressof(self._words)

    _seed = _word(GENERATOR.seed, "Which streams there are.")
    _offset = _word(GENERATOR.offset, "How many numbers each thread's stream has given.")
    _held = _word(GENERATOR.held, "Where a graph that is recorded has a seed and a place; or 0.")
    _given = _word(GENERATOR.given, "How many numbers that graph takes of each thread's stream.")

    def manual_seed(self, seed: int) -> Generator:
        if not isinstance(seed, int):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(1 << 63) <= seed < 1 << 64:
            raise ValueError("Overflow when unpacking long long")
        self._seed, self._offset = seed & (1 << 64) - 1, 0
        return self

    def seed(self) -> int:
        chosen = unforeseen()
        self.manual_seed(chosen)
        return chosen

    def initial_seed(self) -> int:
        return self._seed

    def get_offset(self) -> int:
        """How many numbers each thread's stream has given."""
        return self._offset

    def set_offset(self, offset: int) -> Generator:
        """Continue at another place; a multiple of four."""
        if offset % UNIT:
            raise RuntimeError("offset must be a multiple of 4")
        self._offset = offset
        return self

    def take(self, count: int) -> tuple[int, int]:
        """The seed, and where a kernel begins whose threads take so many numbers each at most."""
        start = self._offset
        self._offset += -(-count // UNIT) * UNIT
        return self._seed, start

    def begin_capture(self, state: GraphState) -> None:
        """Give numbers to a graph that is recorded."""
        self._graph, self._held, self._given = state, state.address, state.taken

    def end_capture(self) -> None:
        if self._graph is not None:
            self._graph.taken = self._given
        self._graph, self._held = None, 0

    def held_words(self) -> Any:
        """The words that hold the seed and the place for the graph that is recorded."""
        return None if self._graph is None else self._graph.held

    def taken(self, count: int, captures: bool) -> Taken:
        """`take`, for a kernel that is queued or recorded into a graph."""
        if captures != (self._graph is not None):
            raise RuntimeError(
                "Attempt to increase offset for a CUDA generator not in capture mode."
                if captures
                else "Offset increment outside graph capture encountered unexpectedly."
            )
        if self._graph is None:
            return Taken(*self.take(count), False)
        start = self._given
        self._given += -(-count // UNIT) * UNIT
        return Taken(self._graph.address, start, True)

    def get_state(self) -> Tensor:
        made = tensors.empty((_STATE.size,), dtypes.uint8)
        content = _STATE.pack(self._seed, self._offset)
        ctypes.memmove(tensors.data_pointer(made), content, _STATE.size)
        return made

    def set_state(self, new_state: Tensor) -> Generator:
        if not isinstance(new_state, Tensor) or new_state._dtype_ is not dtypes.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if new_state._numel_ not in (8, _STATE.size) or new_state._stride_ != (1,):
            raise RuntimeError("RNG state is wrong size")
        content = ctypes.string_at(tensors.data_pointer(new_state), new_state._numel_)
        self._seed, self._offset = _STATE.unpack(content.ljust(_STATE.size, b"\0"))
        return self

    def clone_state(self) -> Generator:
        made = CudaGenerator(self._device)
        made._seed, made._offset = self._seed, self._offset
        return made

    def graphsafe_set_state(self, state: Generator) -> Generator:
        assert isinstance(state, CudaGenerator)
        self._seed, self._offset = state._seed, state._offset
        return self


def unforeseen() -> int:
    """A seed that nobody knows."""
    return int.from_bytes(os.urandom(8), "little") >> 11


_defaults: dict[int, CudaGenerator] = {}
# What generators start with that are made later.
_seed_of_new: list[int] = []


def default(index: int) -> CudaGenerator:
    """The generator of a device's calls that name none."""
    found = _defaults.get(index)
    if found is None:
        found = _defaults[index] = CudaGenerator(devices.device("cuda", index))
        if _seed_of_new:
            found.manual_seed(_seed_of_new[-1])
    return found


def seed_all(seed: int) -> None:
    """Start the streams of a seed on every device, also on those that are used later."""
    _seed_of_new[:] = [int(seed)]
    for known in _defaults.values():
        known.manual_seed(int(seed))


def forget() -> None:
    """Drop all generators."""
    _defaults.clear()
    _seed_of_new.clear()


generators.kinds["cuda"] = CudaGenerator
generators.when_seeded.append(seed_all)
_seed_of_new.extend(generators.last_seed)
