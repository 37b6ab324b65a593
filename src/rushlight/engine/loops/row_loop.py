"""The loops over one row of a map: unrolled whole vectors, then what is left."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.printed import computed, load_parts, repeat, store_parts
from rushlight.engine.loops.vector_memory import Lanes, Operand, clamped, partial_mask
from rushlight.engine.native.lowlevel import Vector, address_of, divided, inlined, lane, minimum

# A program that costs more fills the time of a turn by itself.
LONG = 100
# A program that costs no more hides a loop's cost behind several vectors, and is quicker for single elements
# than to collect vectors of them.
CHEAP = 8


class RowLoop:
    """Applies a program along dim 0, where the operands' pointers are."""

    def __init__(
        self,
        program: Program,
        outs: Sequence[Operand],
        ins: Sequence[Operand],
        lanes: int,
        stream: bool = False,
    ) -> None:
        self.program = program
        self.outs = outs
        self.ins = ins
        self.lanes = lanes
        self.extra: list[Vector] = []  # arguments after the loaded parts, the same for all elements
        operands = [*outs, *ins]
        self.scattered = any(o.letter == "g" for o in operands)
        self.masked = program.target.masks and all(o.letter in "cs" or o.gathers for o in operands)
        self.unroll = 1 if self.scattered and lanes > 1 else unrolling(program)
        self.alignment = 0
        if stream and lanes > 1 and outs[0].letter == "c":
            self.alignment = min(lanes * outs[0].bytes, program.target.vector_bytes)
        self.is_padded = all(o.letter == "s" or o.is_padded for o in operands)
        one_by_one = self.unroll == 1 and lanes > 1 and not self.alignment
        # Under masks the loop for the rest is as good for whole vectors, if nothing is unrolled.
        self.is_one_loop = one_by_one and (self.is_padded or (self.masked and not self.scattered))
        # A long program takes so long that choosing how to load and store costs nothing, and half the
        # time to compile if it is written once.
        self.is_written_once = one_by_one and not self.is_one_loop and program.cost > LONG

    @inlined
    def write(self, count: int) -> None:
        """The whole row of ``count`` elements, which may be none."""
        if count > 0:
            repeat(self.ins, self.lanes)
            i = self.aligned_start(count) if self.alignment else 0
            if not self.is_written_once and not self.is_one_loop:
                step = self.lanes * self.unroll
                stop = count - (step - 1)
                while i < stop:
                    self.whole_vectors(i)
                    i += step
            last = count - 1
            lanes = self.lanes_of_the_rest()
            if lanes < self.lanes:
                stop = count - (self.lanes - 1)
                while i < stop:
                    self.element(i, None)
                    i += self.lanes
                self.repeat_one()
            while i < count:
                if lanes == 1:
                    self.element(i, None, 1)
                elif self.is_written_once:
                    self.whole_or_partial(i, count, last)
                else:
                    self.partial(i, count, last)
                i += lanes

    def lanes_of_the_rest(self) -> int:
        """How many elements a turn of the loop for the rest takes.

        Collecting a vector without masks takes longer, also to compile, than a cheap program for each
        element; but processors convert single numbers of half precision slowly. And who reads padded operands
        expects them to go on as vectors do.
        """
        is_dear = self.program.cost > CHEAP or any(v.type == "f16" for v in self.program.order)
        by_vectors = self.masked or self.alignment or self.extra or is_dear
        is_padded = any(operand.is_padded for operand in (*self.outs, *self.ins))
        return self.lanes if by_vectors or is_padded else 1

    def repeat_one(self) -> None:
        """Let operands that are the same throughout be so for single elements."""
        for operand in self.ins:
            operand.repeated = tuple(lane(x, 0) for x in operand.repeated)

    def whole_vectors(self, index: int) -> None:
        for operand in self.ins if self.alignment else ():
            operand.ask_ahead(index, self.unroll * self.lanes)
        for k in range(self.unroll):
            self.element(index + k * self.lanes, None)

    def partial(self, index: int, stop: int, last: int) -> None:
        """The elements from ``index`` to ``stop``, at most one vector of them."""
        if self.is_padded:
            self.element(index, None)
        elif self.masked:
            self.element(index, partial_mask(self.lanes, stop - index))
        else:
            self.element(index, clamped(self.lanes, index, last))

    @inlined
    def whole_or_partial(self, index: int, stop: int, last: int) -> None:
        """One vector of elements, or what is left of one: the program is there once for both."""
        is_whole = index + self.lanes <= stop
        if is_whole:
            parts = load_parts(self.ins, index, self.lanes, None)
        else:
            parts = load_parts(self.ins, index, self.lanes, clamped(self.lanes, index, last))
        results = computed(self.program, self.lanes, parts, self.extra)
        if is_whole:
            store_parts(self.outs, results, index, self.lanes, None)
        else:
            store_parts(self.outs, results, index, self.lanes, clamped(self.lanes, index, last))

    @inlined
    def aligned_start(self, count: int) -> int:
        """Do the elements before the first output's first aligned vector; how many they are."""
        out = self.outs[0]
        missing = -address_of(out.pointer) & (self.alignment - 1)
        first = minimum(divided(missing, out.bytes), count)
        if first > 0:
            self.partial(0, first, first - 1)
        return first

    def element(self, index: int, which: Lanes, lanes: int = 0) -> None:
        """Load, compute and store one vector; of other ``lanes`` than the loop's, if they are given."""
        lanes = lanes or self.lanes
        parts = load_parts(self.ins, index, lanes, which)
        results = computed(self.program, lanes, parts, self.extra)
        streamed = self.alignment if which is None else 0
        store_parts(self.outs, results, index, lanes, which, streamed)


def unrolling(program: Program) -> int:
    """Vectors per turn of the main loop: cheap bodies hide the loop's own cost behind several."""
    return 4 if program.cost <= CHEAP else 2 if program.cost <= LONG else 1
