"""Runs the phases of a block: along the lanes of one row, or down columns, one in each lane."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from rushlight.engine.loops.arguments import Arguments
from rushlight.engine.loops.cascade import Cascade, lanes_of
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.phase_programs import PhasePrograms
from rushlight.engine.loops.printed import computed, load_parts, numbers
from rushlight.engine.loops.vector_memory import Lanes, Operand, clamped, partial_mask
from rushlight.engine.native.lowlevel import (
    Mask,
    Pointer,
    Value,
    Vector,
    broadcast,
    inlined,
    lane,
    lanes_from,
    narrowed,
    select,
    shuffle,
)

# Large bodies are not worth it: their code would leave the instruction cache, their values the
# registers.
CHEAP = 20  # operations per element up to which several vectors are worth their code
STRIP = 4  # vectors of columns walked down together


class PhaseKernel:
    """What kernels made of phases share."""

    dims = 3
    stores_vectors = False

    def __init__(
        self,
        programs: PhasePrograms,
        outs: Sequence[Operand],
        ins: Sequence[Operand],
    ) -> None:
        self.programs = programs
        self.outs = outs
        self.ins = ins
        # How many of the inputs the kernel is given; others are its own.
        self.read = len(ins)
        self.target = programs.target
        # Lanes are as many as there are of the widest type, so that each value takes one register
        # at most.
        operands = [*outs, *ins] if self.stores_vectors else list(ins)
        widest = max(programs.widest, *(o.part_bytes for o in operands))
        self.lanes = max(1, self.target.vector_bytes // widest)
        self.scattered = any(o.letter == "g" for o in operands)
        self.masked = self.target.masks and all(o.letter in "cs" or o.gathers for o in operands)
        self.accumulators = max(len(p.accs) for p in programs.phases)

    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        """The whole kernel."""
        raise NotImplementedError

    def begin(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        """Read the parameters."""
        given = Arguments(data, sizes, strides, len(self.outs) + self.read, self.dims)
        self.size = given.size
        self.given_outs = given.operands[: len(self.outs)]
        self.given_ins = given.operands[len(self.outs) :]

    def position(self, index: int, first: int, lanes: int, along: bool) -> Vector:
        """An element's place in its block, in every lane or counted ``along`` the lanes."""
        spread = broadcast(narrowed(index - first, "i32"), lanes)
        return spread + lanes_from(range(lanes), "i32") if along and lanes > 1 else spread

    def step(
        self,
        phase: int,
        accs: Sequence[Vector],
        parts: Sequence[Vector],
        index: int,
        first: int,
        earlier: Sequence[Vector],
        along: bool,
    ) -> list[Vector]:
        program = self.programs.steps[phase]
        number = len(parts) + len(accs)
        uses_index = any(v.op == "arg" and v.attr == number for v in program.order)
        # Only `argmax` and its like look at places; the others need not count them.
        place: Any = self.position(index, first, self.lanes, along) if uses_index else 0
        return computed(program, self.lanes, parts, accs, [place], earlier)

    def load(self, index: int, which: Lanes) -> list[Vector]:
        return load_parts(self.ins, index, self.lanes, which)

    def partial(self, left: int, index: int, last: int) -> tuple[Mask, Lanes]:
        """The bits of a partial vector's lanes and how to load it."""
        mask = partial_mask(self.lanes, left)
        return mask.bits, mask if self.masked else clamped(self.lanes, index, last)


class RowPhases(PhaseKernel):
    """Dim 0 runs along the lanes; rows are ``far`` if they are not in the caches."""

    def __init__(
        self,
        programs: PhasePrograms,
        outs: Sequence[Operand],
        ins: Sequence[Operand],
        far: bool = False,
    ) -> None:
        super().__init__(programs, outs, ins)
        self.far = far
        cheap = programs.cost <= CHEAP
        if self.scattered:
            # A gather costs as much as its elements read one by one: vectors pay for the
            # arithmetic alone.
            self.lanes = 1 if cheap else min(self.lanes, 16)
        self.cascades = self._cascades()
        if self.cascades:
            self.lanes = lanes_of(programs.phases[0].accs[0])
        self.unroll = max(self.unrolling(k) for k in range(len(programs.phases)))

    def _cascades(self) -> bool:
        """Whether the rows are sums in the order of `Cascade`."""
        is_sum = len(self.programs.phases) == 1 and self.programs.phases[0].cascades
        return is_sum and all(
            x.letter == "c" and memory == self.programs.phases[0].accs[0]
            for x, memory in zip(self.ins, self.programs.memories, strict=True)
        )

    @contextlib.contextmanager
    def scalar(self) -> Iterator[None]:
        """For code on single elements."""
        lanes, self.lanes = self.lanes, 1
        yield
        self.lanes = lanes

    def ask_ahead(self, index: int, count: int) -> None:
        """Ask for far rows' elements before they are needed."""
        for operand in self.ins if self.far else ():
            operand.ask_ahead(index, count)

    def unrolling(self, number: int) -> int:
        """How many vectors a phase's main loop takes in at once, each with its accumulators.

        A power of two. Two loads in the time of one step leave the second of two inputs to wait.
        """
        cost = self.programs.steps[number].cost
        if cost > CHEAP // 2:
            return 2 if cost <= 3 * CHEAP else 1
        # An addition waits for the one before it in the same register, four cycles or so; sums in
        # several registers do not wait for each other. AVX-512 has twice the registers.
        registers = 8 if self.target.masks else 4
        busy = len(self.programs.phases[number].accs) * len(self.ins)
        return max(1, registers >> (busy - 1).bit_length())

    def enter_row(self, dim: int, index: int, bases: Sequence[Pointer]) -> None:
        """Point the inputs at one row."""
        for operand, x, base in zip(self.ins[: self.read], self.given_ins, bases, strict=True):
            operand.point(x.at(dim, index, base), x.stride[0])
            if operand.letter == "s":
                operand.load_repeated(self.lanes)

    def spread(self, results: Sequence[Value]) -> list[Vector]:
        """The results of the phases before one, in every lane."""
        return [broadcast(x, self.lanes) for x in results]

    def results(self, first: int, stop: int, count: int) -> list[Value]:
        """All phases over a block, one after another; their results as scalars."""
        results: list[Value] = []
        for number, phase in enumerate(self.programs.phases):
            self.before_phase(number, results)
            earlier = self.spread(results)
            if self.cascades:
                accs = Cascade(self, number, earlier, first, stop).write()
            else:
                accs = self.phase(number, first, stop, earlier)
                accs = self.fold(self.programs.combines[number], phase.accs, accs, self.lanes)
            results += computed(self.programs.closes[number], 1, accs, [count])
        return results

    def before_phase(self, number: int, results: list[Value]) -> None:
        """What is to be done between phases."""

    def taken(
        self, number: int, first: int, earlier: list[Vector], accs: list[Vector], index: int,
        which: Lanes,
    ) -> list[Vector]:  # fmt: skip
        """A phase's accumulators after the elements at an index."""
        parts = self.load(index, which)
        return self.step(number, accs, parts, index, first, earlier, along=True)

    def phase(self, number: int, first: int, stop: int, earlier: list[Vector]) -> list[Vector]:
        """One pass over a block: accumulators in vectors."""
        unroll = self.unrolling(number)
        phase = self.programs.phases[number]
        width = len(phase.accs)
        i, sets = first, numbers(phase.accs, phase.init, self.lanes) * unroll
        # What is left of the unrolled loop goes on with half as many vectors, and half of that.
        while unroll:
            i, sets[: width * unroll] = self.vectors(
                number, first, i, stop, earlier, sets[: width * unroll]
            )
            unroll //= 2
        if self.lanes > 1:
            sets[:width] = self.last(number, first, i, stop, earlier, sets[:width])
        return self.joined(number, sets)

    @inlined
    def vectors(
        self, number: int, first: int, i: int, stop: int, earlier: list[Vector], sets: list[Vector]
    ) -> tuple[int, list[Vector]]:
        """Whole vectors, one for each set of accumulators, while there are so many."""
        step = self.lanes * (len(sets) // len(self.programs.phases[number].accs))
        last = stop - (step - 1) if step > 1 else stop
        while i < last:
            sets = self.several(number, first, i, earlier, sets, step)
            i += step
        return i, sets

    def several(
        self, number: int, first: int, index: int, earlier: list[Vector], sets: list[Vector],
        step: int,
    ) -> list[Vector]:  # fmt: skip
        """One vector for each set of accumulators."""
        lanes, width = self.lanes, len(self.programs.phases[number].accs)
        new: list[Vector] = []
        # Only the widest loop asks: those behind it read what it has asked for.
        if step > lanes:
            self.ask_ahead(index, step)
        for k in range(0, step, lanes):
            accs = sets[len(new) : len(new) + width]
            new += self.taken(number, first, earlier, accs, index + k, None)
        return new

    @inlined
    def last(
        self, number: int, first: int, i: int, stop: int, earlier: list[Vector], accs: list[Vector]
    ) -> list[Vector]:
        """The elements that fill no vector."""
        last = stop - 1
        while i < stop:
            bits, which = self.partial(stop - i, i, last)
            new = self.taken(number, first, earlier, accs, i, which)
            # Lanes behind the end have been given some element; they keep what they had.
            accs = [select(bits, a, b) for a, b in zip(new, accs, strict=True)]
            i += self.lanes
        return accs

    def joined(self, number: int, accs: list[Vector]) -> list[Vector]:
        """Sets of accumulators combined into one, neighbours first."""
        combine, width = self.programs.combines[number], len(self.programs.phases[number].accs)
        sets = [accs[k : k + width] for k in range(0, len(accs), width)]
        while len(sets) > 1:
            sets = [computed(combine, self.lanes, *pair) for pair in zip(sets[::2], sets[1::2])]
        return sets[0]

    def fold(
        self, program: Program, types: Sequence[str], values: list[Vector], lanes: int
    ) -> list[Value]:
        """Combine the lanes of accumulators into scalars: by halves, four of f32 by neighbours."""
        # The order of PyTorch's sums, which decides the last bits.
        neighbours = all(t == "f32" for t in types)
        while lanes > 1:
            half = lanes // 2
            sides: list[list[Vector]] = [[], []]
            for value in values:
                for side in (0, 1):
                    order = _side(side, half, neighbours)
                    sides[side].append(lane(value, side) if half == 1 else shuffle(value, order))
            values = computed(program, half, *sides)
            lanes = half
        return values


def _side(side: int, half: int, neighbours: bool) -> range:
    """The lanes that go to one side of a fold."""
    if half == 2 and neighbours:
        return range(side, 4, 2)
    return range(side * half, (side + 1) * half)


class ColumnPhases(PhaseKernel):
    """The last dim runs along the lanes, each a row of its own."""

    def __init__(
        self, programs: PhasePrograms, outs: Sequence[Operand], ins: Sequence[Operand]
    ) -> None:
        super().__init__(programs, outs, ins)
        if self.scattered:
            self.lanes = min(self.lanes, 16)
        cheap = programs.cost <= CHEAP and not self.scattered
        # Vectors side by side share the work of finding a row, and their sums do not wait for
        # each other.
        self.strip_width = max(1, STRIP // self.accumulators) if cheap else 1

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        """Strips of whole vectors, single vectors, and a partial one."""
        self.begin(data, sizes, strides)
        columns = self.size[self.dims - 1]
        step = self.strip_width * self.lanes
        stop = columns - (step - 1)
        column = 0
        while column < stop:
            self.strip([column + k * self.lanes for k in range(self.strip_width)], None)
            column += step
        last = columns - 1
        while column < columns:
            self.strip([column], self.rest(column, columns, last))
            column += self.lanes

    def rest(self, column: int, columns: int, last: int) -> Lanes:
        """Which columns of the last vectors there are."""
        return self.partial(columns - column, column, last)[1] if self.lanes > 1 else None

    def strip(self, columns: list[int], which: Lanes) -> None:
        """The outputs of some vectors of columns."""
        raise NotImplementedError

    def results(
        self, first: int, stop: int, bases: list[Pointer], columns: list[int], which: Lanes,
        count: Vector,
    ) -> list[list[Vector]]:  # fmt: skip
        """All phases over a block of rows; for each vector of columns their results."""
        results: list[list[Vector]] = [[] for _ in columns]
        for number in range(len(self.programs.phases)):
            found = self.phase(number, first, stop, bases, columns, which, results)
            for mine, accs in zip(results, found, strict=True):
                mine += computed(self.programs.closes[number], self.lanes, accs, [count])
        return results

    @inlined
    def phase(
        self, number: int, first: int, stop: int, bases: list[Pointer], columns: list[int],
        which: Lanes, earlier: list[list[Vector]],
    ) -> list[list[Vector]]:  # fmt: skip
        """One pass over a block of rows; the accumulators of each vector of columns."""
        phase = self.programs.phases[number]
        sets = [numbers(phase.accs, phase.init, self.lanes) for _ in columns]
        for i in range(first, stop):
            for operand, x, base in zip(self.ins, self.given_ins, bases, strict=True):
                operand.point(x.at(0, i, base), x.stride[self.dims - 1])
                self.repeat(operand)
            for k, column in enumerate(columns):
                parts = self.load(column, which)
                sets[k] = self.step(number, sets[k], parts, i, first, earlier[k], along=False)
        return sets

    def repeat(self, operand: Operand) -> None:
        """Read an element that is the same in all columns."""
        if operand.letter == "s":
            operand.load_repeated(self.lanes)
