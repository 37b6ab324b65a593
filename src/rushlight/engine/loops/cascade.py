"""Sums of contiguous rows in the order that PyTorch adds in, so that they have its last bits.

A row is taken in by vectors of 32 bytes, in turns of four with an accumulator each. After 16 turns
the accumulators are added to those of the next level, and so are these after 16 times: every sum
is one of few numbers. At the end come the levels, the vectors that made no turn (into the first
accumulator), the four accumulators, the elements that filled no vector, and the lanes, each one
after another. Rows shorter than a vector are added as if it had one lane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.engine.loops.expr import BITS
from rushlight.engine.loops.printed import computed, numbers
from rushlight.engine.native.lowlevel import Value, Vector, inlined, lane, select

if TYPE_CHECKING:
    from rushlight.engine.loops.phase_loops import RowPhases

VECTOR_BYTES = 32
TURN = 4  # vectors, and as many accumulators
STEPS = 16  # times that a level takes in before it is added to the next
LONGEST = 1 << 16  # the most elements of a row for which two more levels do


def lanes_of(type: str) -> int:
    return VECTOR_BYTES * 8 // BITS[type]


class Cascade:
    """The sum of one row's block by a phase of a row kernel with one accumulator."""

    def __init__(
        self, kernel: RowPhases, number: int, earlier: list[Vector], first: int, stop: int
    ) -> None:
        self.kernel = kernel
        self.number = number
        self.earlier = earlier
        self.first = first
        self.stop = stop
        self.type = kernel.programs.phases[number].accs[0]

    @inlined
    def write(self) -> list[Value]:
        """Add the code; its scalar result."""
        if self.stop - self.first >= self.kernel.lanes:
            return [self.by_vectors()]
        return [self.by_elements()]

    def by_vectors(self) -> Value:
        lanes = self.kernel.lanes
        end, total = self.rows(lanes)
        parts = [lane(total, k) for k in range(lanes)]
        with self.kernel.scalar():
            _, (rest,) = self.run(end, self.stop, 1, [self.zero(1)])
            for part in parts:
                rest = self.plus(rest, part)
        return rest

    def by_elements(self) -> Value:
        with self.kernel.scalar():
            return self.rows(1)[1]

    def rows(self, lanes: int) -> tuple[int, Vector]:
        """Whole vectors, of so many lanes; where they end and their sum."""
        end, accs = self.turns(lanes)
        end, accs[:1] = self.run(end, self.stop - (lanes - 1), lanes, accs[:1])
        total = accs[0]
        for acc in accs[1:]:
            total = self.plus(total, acc)
        return end, total

    def turns(self, lanes: int) -> tuple[int, list[Vector]]:
        """Turns of vectors; where they end and their accumulators."""
        turn = TURN * lanes
        zeros = [self.zero(lanes)] * TURN
        start, levels = self.first, zeros + zeros
        if lanes > 1:
            start, levels = self.chunks(self.stop - (turn * STEPS - 1), levels)
        end, accs = self.run(start, self.stop - (turn - 1), turn, zeros)
        for level in (levels[:TURN], levels[TURN:]):
            accs = [self.plus(a, b) for a, b in zip(accs, level)]
        return end, accs

    @inlined
    def chunks(self, last: int, levels: list[Vector]) -> tuple[int, list[Vector]]:
        """As many turns at a time as the lowest level takes in; where they end, and the levels."""
        i = self.first
        while i < last:
            levels = self.chunk(i, levels)
            i += TURN * self.kernel.lanes * STEPS
        return i, levels

    def chunk(self, start: int, levels: list[Vector]) -> list[Vector]:
        """The levels after as many turns as the lowest takes in."""
        lanes = self.kernel.lanes
        length = TURN * lanes * STEPS
        zeros = [self.zero(lanes)] * TURN
        stop = start + length
        _, accs = self.run(start, stop, TURN * lanes, zeros)
        low = [self.plus(a, b) for a, b in zip(levels, accs)]
        is_full = ((stop - self.first) & (length * STEPS - 1)) == 0
        high = [self.plus(a, b) for a, b in zip(levels[TURN:], low)]
        return [
            *(select(is_full, zero, x) for zero, x in zip(zeros, low)),
            *(select(is_full, x, old) for x, old in zip(high, levels[TURN:])),
        ]

    @inlined
    def run(self, first: int, stop: int, step: int, accs: list[Vector]) -> tuple[int, list[Vector]]:
        """Steps of a vector for each accumulator."""
        i = first
        while i < stop:
            accs = self.step(i, accs)
            i += step
        return i, accs

    def step(self, index: int, accs: list[Vector]) -> list[Vector]:
        """The accumulators after a vector for each."""
        lanes, kernel = self.kernel.lanes, self.kernel
        if len(accs) == TURN:
            kernel.ask_ahead(index, TURN * lanes)
        new = []
        for k, acc in enumerate(accs):
            here = index + k * lanes
            new += kernel.taken(self.number, self.first, self.earlier, [acc], here, None)
        return new

    def plus(self, a: Vector, b: Vector) -> Vector:
        combine = self.kernel.programs.combines[self.number]
        return computed(combine, self.kernel.lanes, [a], [b])[0]

    def zero(self, lanes: int) -> Vector:
        return numbers([self.type], [0], lanes)[0]
