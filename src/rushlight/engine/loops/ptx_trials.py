"""Distributions that are sampled by trial, on a GPU: each element draws from a stream of its own until it is content.

The functions are the host's (`native.rejection`). In the place of the host's generator stands a block of words on the thread's
stack: a seed, a place in the stream, the stream's number, and what is left of four words of Philox.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.loops.expr import arg
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.maths.philox import philox
from rushlight.engine.loops.printed import computed
from rushlight.engine.loops.ptx_functions import FunctionWalk
from rushlight.engine.loops.ptx_text import GPU
from rushlight.engine.native import mersenne
from rushlight.engine.native.c_maths import cos, log, sqrt
from rushlight.engine.native.lowlevel import (
    Function,
    Module,
    Pointer,
    extended,
    inlined,
    load,
    narrowed,
    shifted,
    store,
    to_float,
)

module = Module("device_trials")
# The generator's words, in bytes; four words of the stream come behind.
SEED, PLACE, STREAM, LEFT, WORDS = range(0, 40, 8)
GENERATOR_WORDS = WORDS // 8 + 4
_TO_UNIT = 2.0**-53
_TURN = 6.283185307179586


def _four(place: Any, stream: Any, seed: Any) -> list[Any]:
    """Four words from a place in a stream."""
    words = [half for word in (place, stream, seed) for half in _halves(word)]
    program = Program(
        philox([arg(k, "u32") for k in range(4)], [arg(4, "u32"), arg(5, "u32")]), GPU
    )
    return [extended(x, signed=False) for x in computed(program, 1, words)]


def _halves(word: Any) -> list[Any]:
    return [narrowed(word, "i32"), narrowed(shifted(word, 32), "i32")]


@module.function
def next_word(generator: int) -> int:
    """The next 32 bits of the stream."""
    left = load(generator + LEFT)
    if left == 0:
        place = load(generator + PLACE)
        words = _four(place, load(generator + STREAM), load(generator + SEED))
        for k in (0, 1, 2, 3):
            store(generator + (WORDS + 8 * k), words[k])
        store(generator + PLACE, place + 1)
        left = 4
    store(generator + LEFT, left - 1)
    return load(generator + WORDS + (4 - left) * 8)


@module.function
def uniform(generator: int) -> float:
    """The next number from 0 to below 1, of 53 bits."""
    high = next_word(generator) >> 5
    low = next_word(generator) >> 6
    return to_float(high * 67108864 + low) * _TO_UNIT


@module.function
def normal(generator: int) -> float:
    """A standard normal number, after Box and Muller."""
    length = sqrt(-2.0 * log(1.0 - uniform(generator)))
    return length * cos(_TURN * uniform(generator))


STANDS_FOR: dict[Function, Function] = {mersenne.uniform: uniform, mersenne.normal: normal}


class Trials(FunctionWalk):
    """A function of `native.rejection`; its generator is an operand that is given by value: a seed and a place.

    Args:
        function: what is called
        memories: the operands' types
        inner: how many dimensions the function goes through
        generator: which operand the generator is
        numbers: which other operands are given by value
        held: whether the seed and the place lie in the device's memory, as for graphs; then the generator is given as
            their address, and how far behind that place it begins
    """

    def __init__(
        self, function: Function, memories: Sequence[str], inner: int, generator: int,
        numbers: Sequence[int], held: bool,
    ) -> None:  # fmt: skip
        tables = {generator: 2, **dict.fromkeys(numbers, 1)}
        super().__init__(function, memories, inner + 1, inner, inner + 1, tables, STANDS_FOR)
        self.generator, self.held = generator, held

    def room_of(self, k: int, words: Sequence[Any]) -> int:
        return GENERATOR_WORDS if k == self.generator else len(words)

    @inlined
    def begin(self, tables: dict[int, Pointer], outer: int) -> None:
        """Let the generator stand at the beginning of an element's stream."""
        seed, place = self.numbers[self.generator]
        if self.held:
            place += load(seed + 8) // 4
            seed = load(seed)
        block = tables[self.generator]
        store(block + SEED, seed)
        store(block + PLACE, place)
        store(block + STREAM, outer)
        store(block + LEFT, 0)
