"""Runs the phases of a block: along the lanes of one row, or down columns, one in each lane."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rushlight.engine.loops.cascade import Cascade, lanes_of
from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.ir_text import llvm_type, splat, vector
from rushlight.engine.loops.llvm_text import Program, broadcast
from rushlight.engine.loops.phase_programs import PhasePrograms
from rushlight.engine.loops.vector_memory import Lanes, Operand, clamped, partial_mask
from rushlight.engine.native.lowlevel import Text

CHEAP = 20  # operations per element up to which several vectors are worth their code
STRIP = 4  # vectors of columns walked down together

Advance = Callable[[list[str], str, Lanes], list[str]]


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
        self.target = programs.target
        self.text = Text()
        self.frame = Frame(self.text, len(outs) + len(ins), self.dims)
        operands = [*outs, *ins] if self.stores_vectors else list(ins)
        widest = max(programs.widest, *(o.part_bytes for o in operands))
        self.lanes = max(1, self.target.vector_bytes // widest)
        self.scattered = any(o.letter == "g" for o in operands)
        self.masked = self.target.masks and all(o.letter in "cs" or o.gathers for o in operands)
        self.accumulators = max(len(p.accs) for p in programs.phases)

    def print(self, program: Program, lanes: int, *groups: Sequence[str]) -> list[str]:
        names = [name for group in groups for name in group]
        return program.print(self.text, lanes, dict(enumerate(names)))

    def identities(self, types: Sequence[str], values: Sequence[Any], lanes: int) -> list[str]:
        return [splat(t, v, lanes) for t, v in zip(types, values, strict=True)]

    def carried(
        self, types: Sequence[str], values: Sequence[str], lanes: int
    ) -> list[tuple[str, str]]:
        return [(vector(lanes, llvm_type(t)), v) for t, v in zip(types, values, strict=True)]

    def position(self, index: str, first: str, lanes: int, along: bool) -> str:
        """An element's place in its block, in every lane or counted ``along`` the lanes."""
        place = self.text.let(f"sub i64 {index}, {first}")
        place = self.text.let(f"trunc i64 {place} to i32")
        spread = broadcast(self.text, "i32", place, lanes)
        if not along or lanes == 1:
            return spread
        order = ", ".join(f"i32 {k}" for k in range(lanes))
        return self.text.let(f"add <{lanes} x i32> {spread}, <{order}>")

    def step(
        self,
        phase: int,
        accs: Sequence[str],
        parts: Sequence[str],
        index: str,
        first: str,
        earlier: Sequence[str],
        along: bool,
    ) -> list[str]:
        program = self.programs.steps[phase]
        number = len(parts) + len(accs)
        uses_index = any(v.op == "arg" and v.attr == number for v in program.order)
        place = self.position(index, first, self.lanes, along) if uses_index else ""
        return self.print(program, self.lanes, parts, accs, [place], earlier)

    def load(self, index: str, which: Lanes) -> list[str]:
        return [p for x in self.ins for p in x.load(self.text, index, self.lanes, which)]

    def partial(self, left: str, index: str, last: str) -> tuple[str, Lanes]:
        """The bits of a partial vector's lanes and how to load it."""
        mask = partial_mask(self.text, self.lanes, left)
        if self.masked:
            return mask.bits, mask
        return mask.bits, clamped(self.text, self.lanes, index, last)

    def choose(
        self, bits: str, types: Sequence[str], new: Sequence[str], old: Sequence[str], lanes: int
    ) -> list[str]:
        condition = vector(lanes, "i1")
        return [
            self.text.let(
                f"select {condition} {bits}, {vector(lanes, llvm_type(t))} {a}, "
                f"{vector(lanes, llvm_type(t))} {b}"
            )
            for t, a, b in zip(types, new, old, strict=True)
        ]


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

    def ask_ahead(self, index: str, count: int) -> None:
        """Ask for far rows' elements before they are needed."""
        for operand in self.ins if self.far else ():
            operand.ask_ahead(self.text, index, count)

    def unrolling(self, number: int) -> int:
        """How many vectors a phase's main loop takes in at once, each with its accumulators.

        A power of two. Two loads in the time of one step leave the second of two inputs to wait.
        """
        cost = self.programs.steps[number].cost
        if cost > CHEAP // 2:
            return 2 if cost <= 3 * CHEAP else 1
        registers = 8 if self.target.masks else 4
        busy = len(self.programs.phases[number].accs) * len(self.ins)
        return max(1, registers >> (busy - 1).bit_length())

    def enter_row(self, dim: int, index: str, bases: Sequence[str]) -> None:
        """Point the inputs at one row."""
        for k, operand in enumerate(self.ins):
            place = len(self.outs) + k
            operand.pointer = self.frame.at(place, dim, index, bases[k])
            operand.stride = self.frame.stride[0][place]
            if operand.letter == "s":
                operand.load_repeated(self.text, self.lanes)

    def spread(self, number: int, results: Sequence[str]) -> list[str]:
        """The results of the phases before one, in every lane."""
        types = self.programs.known[number]
        return [broadcast(self.text, t, x, self.lanes) for t, x in zip(types, results, strict=True)]

    def results(self, first: str, stop: str, count: str) -> list[str]:
        """All phases over a block, one after another; their results as scalars."""
        results: list[str] = []
        for number, phase in enumerate(self.programs.phases):
            earlier = self.spread(number, results)
            if self.cascades:
                accs = Cascade(self, number, earlier, first, stop).write()
            else:
                accs = self.phase(number, first, stop, earlier)
                accs = self.fold(self.programs.combines[number], phase.accs, accs, self.lanes)
            results += self.print(self.programs.closes[number], 1, accs, [count])
        return results

    def advance(self, number: int, first: str, earlier: list[str]) -> Advance:
        """What takes the elements at an index into a phase's accumulators."""

        def taken(accs: list[str], index: str, which: Lanes) -> list[str]:
            parts = self.load(index, which)
            return self.step(number, accs, parts, index, first, earlier, along=True)

        return taken

    def phase(self, number: int, first: str, stop: str, earlier: list[str]) -> list[str]:
        """One pass over a block: accumulators in vectors."""
        lanes, unroll = self.lanes, self.unrolling(number)
        phase = self.programs.phases[number]
        types, width = phase.accs, len(phase.accs)
        init = self.identities(types, phase.init, lanes)
        advance = self.advance(number, first, earlier)
        begin, sets = first, init * unroll
        while unroll:
            begin, sets[: width * unroll] = self._vectors(
                advance, types, begin, stop, sets[: width * unroll]
            )
            unroll //= 2
        if lanes > 1:
            sets[:width] = self._last(advance, types, begin, stop, sets[:width])
        return self._joined(number, sets)

    def _vectors(
        self, advance: Advance, types: Sequence[str], first: str, stop: str, sets: list[str]
    ) -> tuple[str, list[str]]:
        """Whole vectors, one for each set of accumulators, while there are so many."""
        text, lanes, width = self.text, self.lanes, len(types)
        step = lanes * (len(sets) // width)

        def several(index: str, values: list[str]) -> list[str]:
            new: list[str] = []
            if step > lanes:
                self.ask_ahead(index, step)
            for k in range(0, step, lanes):
                here = text.let(f"add i64 {index}, {k}") if k else index
                new += advance(values[len(new) : len(new) + width], here, None)
            return new

        last = text.let(f"sub i64 {stop}, {step - 1}") if step > 1 else stop
        carried = self.carried([*types] * (len(sets) // width), sets, lanes)
        return text.loop(first, last, step, several, carried)

    def _last(
        self, advance: Advance, types: Sequence[str], first: str, stop: str, accs: list[str]
    ) -> list[str]:
        """The elements that fill no vector."""
        text, lanes = self.text, self.lanes
        last = text.let(f"sub i64 {stop}, 1")

        def rest(index: str, values: list[str]) -> list[str]:
            left = text.let(f"sub i64 {stop}, {index}")
            bits, which = self.partial(left, index, last)
            return self.choose(bits, types, advance(values, index, which), values, lanes)

        return text.loop(first, stop, lanes, rest, self.carried(types, accs, lanes))[1]

    def _joined(self, number: int, accs: list[str]) -> list[str]:
        """Sets of accumulators combined into one, neighbours first."""
        combine, width = self.programs.combines[number], len(self.programs.phases[number].accs)
        sets = [accs[k : k + width] for k in range(0, len(accs), width)]
        while len(sets) > 1:
            sets = [self.print(combine, self.lanes, *pair) for pair in zip(sets[::2], sets[1::2])]
        return sets[0]

    def fold(
        self, program: Program, types: Sequence[str], values: list[str], lanes: int
    ) -> list[str]:
        """Combine the lanes of accumulators into scalars: by halves, four of f32 by neighbours."""
        text = self.text
        neighbours = all(t == "f32" for t in types)
        while lanes > 1:
            half = lanes // 2
            sides: list[list[str]] = [[], []]
            for type, value in zip(types, values, strict=True):
                whole = vector(lanes, llvm_type(type))
                for side in (0, 1):
                    if half == 1:
                        piece = f"extractelement {whole} {value}, i32 {side}"
                    else:
                        order = ", ".join(f"i32 {k}" for k in _side(side, half, neighbours))
                        piece = (
                            f"shufflevector {whole} {value}, {whole} poison, "
                            f"<{half} x i32> <{order}>"
                        )
                    sides[side].append(text.let(piece))
            values = self.print(program, half, *sides)
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
        self.strip_width = max(1, STRIP // self.accumulators) if cheap else 1

    def write(self) -> None:
        """Strips of whole vectors, single vectors, and a partial one."""
        text, lanes = self.text, self.lanes
        columns = self.frame.size[self.dims - 1]
        step = self.strip_width * lanes
        stop = text.let(f"sub i64 {columns}, {step - 1}")
        start, _ = text.loop("0", stop, step, lambda c, _: self.one(c, self.strip_width, None))
        if lanes == 1:
            text.loop(start, columns, 1, lambda c, _: self.one(c, 1, None))
            return
        last = text.let(f"sub i64 {columns}, 1")

        def rest(column: str, _: list[str]) -> list[str]:
            left = text.let(f"sub i64 {columns}, {column}")
            return self.one(column, 1, self.partial(left, column, last)[1])

        text.loop(start, columns, lanes, rest)

    def one(self, column: str, width: int, which: Lanes) -> list[str]:
        columns = [
            self.text.let(f"add i64 {column}, {k * self.lanes}") if k else column
            for k in range(width)
        ]
        self.strip(columns, which)
        return []

    def strip(self, columns: list[str], which: Lanes) -> None:
        """The outputs of some vectors of columns."""
        raise NotImplementedError

    def results(
        self, first: str, stop: str, bases: list[str], columns: list[str], which: Lanes, count: str
    ) -> list[list[str]]:
        """All phases over a block of rows; for each vector of columns their results."""
        results: list[list[str]] = [[] for _ in columns]
        for number in range(len(self.programs.phases)):
            found = self.phase(number, first, stop, bases, columns, which, results)
            for mine, accs in zip(results, found, strict=True):
                mine += self.print(self.programs.closes[number], self.lanes, accs, [count])
        return results

    def phase(
        self,
        number: int,
        first: str,
        stop: str,
        bases: list[str],
        columns: list[str],
        which: Lanes,
        earlier: list[list[str]],
    ) -> list[list[str]]:
        text, lanes = self.text, self.lanes
        phase = self.programs.phases[number]
        size = len(phase.accs)
        init = self.identities(phase.accs, phase.init, lanes) * len(columns)

        def row(i: str, values: list[str]) -> list[str]:
            for k, operand in enumerate(self.ins):
                place = len(self.outs) + k
                operand.pointer = self.frame.at(place, 0, i, bases[k])
                operand.stride = self.frame.stride[self.dims - 1][place]
                if operand.letter == "s":
                    operand.load_repeated(text, lanes)
            new: list[str] = []
            for k, here in enumerate(columns):
                parts = self.load(here, which)
                old = values[k * size : (k + 1) * size]
                new += self.step(number, old, parts, i, first, earlier[k], along=False)
            return new

        carried = self.carried(phase.accs * len(columns), init, lanes)
        values = text.loop(first, stop, 1, row, carried)[1]
        return [values[k * size : (k + 1) * size] for k in range(len(columns))]
