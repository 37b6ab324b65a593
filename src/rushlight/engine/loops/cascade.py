"""Sums of contiguous rows in the order that PyTorch adds in, so that they have its last bits.

A row is taken in by vectors of 32 bytes, in turns of four with an accumulator each. After 16 turns
the accumulators are added to those of the next level, and so are these after 16 times: every sum
is one of few numbers. At the end come the levels, the vectors that made no turn (into the first
accumulator), the four accumulators, the elements that filled no vector, and the lanes, each one
after another. Rows shorter than a vector are added as if it had one lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rushlight.engine.loops.expr import BITS
from rushlight.engine.loops.ir_text import llvm_type, splat, vector

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
        self, kernel: RowPhases, number: int, earlier: list[str], first: str, stop: str
    ) -> None:
        self.kernel = kernel
        self.text = kernel.text
        self.number = number
        self.earlier = earlier
        self.first = first
        self.stop = stop
        self.type = kernel.programs.phases[number].accs[0]

    def write(self) -> list[str]:
        """Add the code; its scalar result."""
        lanes = self.kernel.lanes
        count = self.text.let(f"sub i64 {self.stop}, {self.first}")
        long = self.text.let(f"icmp sge i64 {count}, {lanes}")
        return self.text.when(long, self._by_vectors, self._by_elements, [llvm_type(self.type)])

    def _by_vectors(self) -> list[str]:
        end, total = self._rows(self.kernel.lanes)
        lanes = self._lanes_of(total)
        with self.kernel.scalar():
            _, (rest,) = self._run(end, self.stop, 1, [self._zero(1)])
            for lane in lanes:
                rest = self._plus(rest, lane)
        return [rest]

    def _by_elements(self) -> list[str]:
        with self.kernel.scalar():
            return [self._rows(1)[1]]

    def _rows(self, lanes: int) -> tuple[str, str]:
        """Whole vectors, of so many lanes; where they end and their sum."""
        end, accs = self._turns(lanes)
        last = self.text.let(f"sub i64 {self.stop}, {lanes - 1}")
        end, accs[:1] = self._run(end, last, lanes, accs[:1])
        total = accs[0]
        for acc in accs[1:]:
            total = self._plus(total, acc)
        return end, total

    def _turns(self, lanes: int) -> tuple[str, list[str]]:
        """Turns of vectors; where they end and their accumulators."""
        text, turn = self.text, TURN * lanes
        zeros = [self._zero(lanes)] * TURN
        start, levels = self.first, zeros + zeros
        last = text.let(f"sub i64 {self.stop}, {turn * STEPS - 1}")
        if lanes > 1:
            carried = self._carried(levels, lanes)
            start, levels = text.loop(start, last, turn * STEPS, self._chunk, carried)
        end, accs = self._run(start, text.let(f"sub i64 {self.stop}, {turn - 1}"), turn, zeros)
        for level in (levels[:TURN], levels[TURN:]):
            accs = [self._plus(a, b) for a, b in zip(accs, level)]
        return end, accs

    def _chunk(self, start: str, levels: list[str]) -> list[str]:
        """As many turns as the lowest level takes in, and the levels after them."""
        text, lanes = self.text, self.kernel.lanes
        length = TURN * lanes * STEPS
        zeros = [self._zero(lanes)] * TURN
        stop = text.let(f"add i64 {start}, {length}")
        _, accs = self._run(start, stop, TURN * lanes, zeros)
        low = [self._plus(a, b) for a, b in zip(levels, accs)]
        done = text.let(f"sub i64 {stop}, {self.first}")
        over = text.let(f"and i64 {done}, {length * STEPS - 1}")
        full = text.let(f"icmp eq i64 {over}, 0")
        high = [self._plus(a, b) for a, b in zip(levels[TURN:], low)]
        return [
            *(self._chosen(full, zero, x) for zero, x in zip(zeros, low)),
            *(self._chosen(full, x, old) for x, old in zip(high, levels[TURN:])),
        ]

    def _run(self, first: str, stop: str, step: int, accs: Sequence[str]) -> tuple[str, list[str]]:
        """Steps of a vector for each accumulator."""
        lanes = self.kernel.lanes
        advance = self.kernel.advance(self.number, self.first, self.earlier)

        def body(index: str, values: list[str]) -> list[str]:
            new = []
            if len(values) == TURN:
                self.kernel.ask_ahead(index, TURN * lanes)
            for k, acc in enumerate(values):
                here = self.text.let(f"add i64 {index}, {k * lanes}") if k else index
                new += advance([acc], here, None)
            return new

        return self.text.loop(first, stop, step, body, self._carried(accs, lanes))

    def _plus(self, a: str, b: str) -> str:
        combine = self.kernel.programs.combines[self.number]
        return self.kernel.print(combine, self.kernel.lanes, [a], [b])[0]

    def _zero(self, lanes: int) -> str:
        return splat(self.type, 0, lanes)

    def _carried(self, accs: Sequence[str], lanes: int) -> list[tuple[str, str]]:
        return [(vector(lanes, llvm_type(self.type)), acc) for acc in accs]

    def _chosen(self, condition: str, a: str, b: str) -> str:
        kind = vector(self.kernel.lanes, llvm_type(self.type))
        return self.text.let(f"select i1 {condition}, {kind} {a}, {kind} {b}")

    def _lanes_of(self, value: str) -> list[str]:
        lanes = self.kernel.lanes
        kind = vector(lanes, llvm_type(self.type))
        return [self.text.let(f"extractelement {kind} {value}, i32 {k}") for k in range(lanes)]
