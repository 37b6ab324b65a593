"""Reduction kernels: dims 0 and 1 are reduced, dim 2 is kept.

Along contiguous rows, the lanes of several vectors accumulate separately and are folded at the
end. Where the kept dimension is the contiguous one, each lane is an output of its own, and strips
of columns are walked down together. Block boundaries depend on sizes only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.loops import casts
from rushlight.engine.loops.expr import Value, arg
from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.ir_text import Text, llvm_type, splat, vector
from rushlight.engine.loops.llvm_text import Program, broadcast
from rushlight.engine.loops.reduction import Reduction
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.vector_memory import (
    Lanes,
    Operand,
    clamped,
    partial_mask,
)

STEPS = 64  # elements each accumulator takes in before it is collected
STRIP = 4  # vectors of columns walked down together


def reduce_ir(
    reduction: Reduction,
    outs: Sequence[str],
    ins: Sequence[str],
    inner: str,
    *,
    kept: bool = False,
    target: Target | None = None,
) -> str:
    """The IR of a reduction kernel from memory types ``ins`` to ``outs``.

    ``inner`` has one letter per operand, outputs first. Without ``kept`` it is for the inputs'
    strides along dim 0 (`map_ir` has the letters; outputs' letters are ignored). With ``kept`` it
    is for all operands' strides along dim 2, whose elements then are the lanes.
    """
    target = target or host_target()
    operands = [Operand(m, x) for m, x in zip([*outs, *ins], inner, strict=True)]
    for operand in operands[: len(outs)]:
        operand.letter = operand.letter.replace("s", "g")
    programs = Programs(reduction, outs, ins, target)
    kernel = ColumnKernel if kept else RowKernel
    return kernel(programs, operands[: len(outs)], operands[len(outs) :], target).text.module()


class Programs:
    """The expressions of a reduction, each with its arguments numbered in order."""

    def __init__(
        self, reduction: Reduction, outs: Sequence[str], ins: Sequence[str], target: Target
    ) -> None:
        self.reduction = reduction
        self.target = target
        raws = [[casts.raw_type(m)] * casts.parts(m) for m in ins]
        self.steps = []
        self.combines = []
        self.closes: list[Program] = []
        self.known: list[list[str]] = [[]]  # types of the results before each phase
        earlier: list[str] = []
        for phase in reduction.phases:

            def step(*groups: list[Value], phase: Any = phase) -> Sequence[Value]:
                *parts, accs, index, before = groups
                xs = [casts.from_memory(*x) for x in zip(parts, ins, reduction.params, strict=True)]
                return phase.step(accs, xs, index[0], before)

            self.steps.append(self._build(step, *raws, phase.accs, ["i32"], earlier))
            self.combines.append(self._build(phase.combine, phase.accs, phase.accs))
            close = phase.close or (lambda accs, count: accs)
            self.closes.append(
                self._build(lambda accs, count: close(accs, count[0]), phase.accs, ["i64"])
            )
            earlier = [*earlier, *(value.type for value in self.closes[-1].outputs)]
            self.known.append(earlier)
        self.collect = self._build(
            lambda results, count, first: reduction.collect(results, count[0], first[0]),
            earlier,
            ["i64"],
            ["i64"],
        )
        self.combine = self._build(reduction.combine, reduction.totals, reduction.totals)
        self.finish = self._build(
            lambda totals, count: _stored(reduction.finish(totals, count[0]), outs),
            reduction.totals,
            ["i64"],
        )

    def _build(
        self, function: Callable[..., Sequence[Value]], *groups: Sequence[str]
    ) -> Program:
        arguments = []
        count = 0
        for group in groups:
            arguments.append([arg(count + k, type) for k, type in enumerate(group)])
            count += len(group)
        return Program(list(function(*arguments)), self.target)

    @property
    def widest(self) -> int:
        return max(p.widest for p in self.steps)

    @property
    def cost(self) -> int:
        return sum(p.cost for p in self.steps)


def _stored(results: Any, outs: Sequence[str]) -> list[Value]:
    if not isinstance(results, (tuple, list)):
        results = (results,)
    return [
        part
        for result, memory in zip(results, outs, strict=True)
        for part in casts.to_memory(result, memory)
    ]


class Kernel:
    """What both shapes share."""

    def __init__(
        self,
        programs: Programs,
        outs: Sequence[Operand],
        ins: Sequence[Operand],
        target: Target,
    ) -> None:
        self.programs = programs
        self.reduction = programs.reduction
        self.outs = outs
        self.ins = ins
        self.target = target
        self.text = Text()
        self.frame = Frame(self.text, len(outs) + len(ins), 3)
        operands = [*outs, *ins] if isinstance(self, ColumnKernel) else list(ins)
        widest = max(programs.widest, *(o.part_bytes for o in operands))
        self.lanes = max(1, target.vector_bytes // widest)
        self.masked = target.masks and all(o.letter in "cs" or o.gathers for o in operands)
        self.count = self.text.let(f"mul i64 {self.frame.size[0]}, {self.frame.size[1]}")
        self.write()

    def write(self) -> None:
        raise NotImplementedError

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

    def blocks(
        self, size: str, length: int, totals: list[str], lanes: int,
        block: Callable[[str, str, list[str]], list[str]],
    ) -> list[str]:
        """Walk blocks of ``length`` along dim 0, carrying totals: ``block(first, stop, totals)``."""
        types = self.reduction.totals

        def one(first: str, values: list[str]) -> list[str]:
            stop = self.text.let(f"add i64 {first}, {length}")
            stop = self.text.call("i64", "llvm.smin.i64", ("i64", stop), ("i64", size))
            return block(first, stop, values)

        carried = self.carried(types, totals, lanes)
        return self.text.loop("0", size, length, one, carried)[1]


class RowKernel(Kernel):
    """Dim 0 runs along the lanes."""

    def write(self) -> None:
        cheap = self.programs.cost <= 20
        if any(x.letter == "g" for x in self.ins):
            self.lanes = 1 if cheap else min(self.lanes, 16)
        number = max(len(p.accs) for p in self.reduction.phases)
        registers = 8 if self.target.masks else 4
        self.unroll = max(1, registers // number) if cheap else 2 if self.programs.cost < 60 else 1
        self.text.loop("0", self.frame.size[2], 1, self.output)

    def output(self, outer: str, _: list[str]) -> list[str]:
        text, frame, reduction = self.text, self.frame, self.reduction
        number = len(self.outs)
        bases = [frame.at(number + k, 2, outer) for k in range(len(self.ins))]
        lanes = self.lanes if len(reduction.phases) == 1 else 1
        start = self.identities(reduction.totals, reduction.start, lanes)

        def line(j: str, totals: list[str]) -> list[str]:
            for k, operand in enumerate(self.ins):
                operand.pointer = frame.at(number + k, 1, j, bases[k])
                operand.stride = frame.stride[0][number + k]
                if operand.letter == "s":
                    operand.load_repeated(text, self.lanes)
            before = text.let(f"mul i64 {j}, {frame.size[0]}")
            length = self.lanes * self.unroll * STEPS
            return self.blocks(
                frame.size[0], length, totals, lanes,
                lambda first, stop, values: self.block(first, stop, before, values, lanes),
            )

        carried = self.carried(reduction.totals, start, lanes)
        totals = text.loop("0", frame.size[1], 1, line, carried)[1]
        totals = self.fold(self.programs.combine, reduction.totals, totals, lanes)
        results = self.print(self.programs.finish, 1, totals, [self.count])
        for k, out in enumerate(self.outs):
            out.pointer = frame.at(k, 2, outer)
            mine, results = results[: out.parts], results[out.parts :]
            out.stride = "0"
            out.store(text, mine, "0", 1, None)
        return []

    def block(
        self, first: str, stop: str, before: str, totals: list[str], lanes: int
    ) -> list[str]:
        reduction, text = self.reduction, self.text
        results: list[str] = []
        several = len(reduction.phases) > 1
        count = text.let(f"sub i64 {stop}, {first}")
        for number, phase in enumerate(reduction.phases):
            earlier = [
                broadcast(text, t, x, self.lanes)
                for t, x in zip(self.programs.known[number], results, strict=True)
            ]
            accs = self.phase(number, first, stop, earlier)
            if several:
                accs = self.fold(self.programs.combines[number], phase.accs, accs, self.lanes)
            results += self.print(self.programs.closes[number], lanes, accs, [count])
        place = text.let(f"add i64 {before}, {first}")
        extras = [broadcast(text, "i64", x, lanes) for x in (count, place)]
        found = self.print(self.programs.collect, lanes, results, extras)
        return self.print(self.programs.combine, lanes, totals, found)

    def phase(self, number: int, first: str, stop: str, earlier: list[str]) -> list[str]:
        """One pass over a block: accumulators in vectors."""
        text, lanes, unroll = self.text, self.lanes, self.unroll
        phase = self.reduction.phases[number]
        types, width = phase.accs, len(phase.accs)
        init = self.identities(types, phase.init, lanes)

        def advance(accs: list[str], index: str, which: Lanes) -> list[str]:
            parts = self.load(index, which)
            return self.step(number, accs, parts, index, first, earlier, along=True)

        begin, accs = first, init
        if unroll > 1:
            step = lanes * unroll
            main_stop = text.let(f"sub i64 {stop}, {step - 1}")

            def many(index: str, values: list[str]) -> list[str]:
                new: list[str] = []
                for k in range(unroll):
                    here = text.let(f"add i64 {index}, {k * lanes}") if k else index
                    new += advance(values[k * width : (k + 1) * width], here, None)
                return new

            def main() -> list[str]:
                end, values = text.loop(
                    first, main_stop, step, many, self.carried(types, init, lanes) * unroll
                )
                sets = [values[k * width : (k + 1) * width] for k in range(unroll)]
                while len(sets) > 1:
                    half = len(sets) // 2
                    combine = self.programs.combines[number]
                    sets = [
                        self.print(combine, lanes, a, b) for a, b in zip(sets, sets[half:])
                    ] + sets[2 * half :]
                return [end, *sets[0]]

            long = text.let(f"icmp slt i64 {first}, {main_stop}")
            kinds = ["i64", *(vector(lanes, llvm_type(t)) for t in types)]
            begin, *accs = text.when(long, main, lambda: [first, *init], kinds)
        carried = self.carried(types, accs, lanes)
        if lanes == 1 or not self.masked or unroll == 1:
            whole_stop = text.let(f"sub i64 {stop}, {lanes - 1}")
            begin, accs = text.loop(
                begin, whole_stop, lanes, lambda i, values: advance(values, i, None), carried
            )
            carried = self.carried(types, accs, lanes)
        if lanes == 1:
            return accs
        last = text.let(f"sub i64 {stop}, 1")

        def rest(index: str, values: list[str]) -> list[str]:
            left = text.let(f"sub i64 {stop}, {index}")
            bits, which = self.partial(left, index, last)
            return self.choose(bits, types, advance(values, index, which), values, lanes)

        return text.loop(begin, stop, lanes, rest, carried)[1]

    def fold(
        self, program: Program, types: Sequence[str], values: list[str], lanes: int
    ) -> list[str]:
        """Combine the lanes of accumulators by halves into scalars."""
        text = self.text
        while lanes > 1:
            half = lanes // 2
            sides: list[list[str]] = [[], []]
            for type, value in zip(types, values, strict=True):
                whole = vector(lanes, llvm_type(type))
                for side in (0, 1):
                    if half == 1:
                        piece = f"extractelement {whole} {value}, i32 {side}"
                    else:
                        order = ", ".join(f"i32 {side * half + k}" for k in range(half))
                        piece = (
                            f"shufflevector {whole} {value}, {whole} poison, "
                            f"<{half} x i32> <{order}>"
                        )
                    sides[side].append(text.let(piece))
            values = self.print(program, half, *sides)
            lanes = half
        return values


class ColumnKernel(Kernel):
    """Each lane is one output along dim 2."""

    def write(self) -> None:
        text, frame = self.text, self.frame
        scattered = any(x.letter == "g" for x in [*self.outs, *self.ins])
        if scattered:
            self.lanes = min(self.lanes, 16)
        number = max(len(p.accs) for p in self.reduction.phases)
        strip = max(1, STRIP // number) if self.programs.cost <= 20 and not scattered else 1
        columns = frame.size[2]
        step = strip * self.lanes
        start = "0"
        stop = text.let(f"sub i64 {columns}, {step - 1}")
        start, _ = text.loop("0", stop, step, lambda c, _: self.strip(c, strip, None))
        if self.lanes == 1:
            text.loop(start, columns, 1, lambda c, _: self.strip(c, 1, None))
            return
        last = text.let(f"sub i64 {columns}, 1")

        def rest(column: str, _: list[str]) -> list[str]:
            left = text.let(f"sub i64 {columns}, {column}")
            _, which = self.partial(left, column, last)
            return self.strip(column, 1, which)

        text.loop(start, columns, self.lanes, rest)

    def strip(self, column: str, width: int, which: Lanes) -> list[str]:
        text, frame, reduction, lanes = self.text, self.frame, self.reduction, self.lanes
        number = len(self.outs)
        columns = [
            text.let(f"add i64 {column}, {k * lanes}") if k else column for k in range(width)
        ]
        start = self.identities(reduction.totals, reduction.start, lanes) * width

        def line(j: str, totals: list[str]) -> list[str]:
            bases = [frame.at(number + k, 1, j) for k in range(len(self.ins))]
            before = text.let(f"mul i64 {j}, {frame.size[0]}")
            return self.blocks_of(bases, columns, which, before, totals)

        carried = self.carried(reduction.totals * width, start, lanes)
        totals = text.loop("0", frame.size[1], 1, line, carried)[1]
        size = len(reduction.totals)
        count = broadcast(text, "i64", self.count, lanes)
        for k, operand in enumerate(self.outs):
            operand.pointer = frame.bases[k]
            operand.stride = frame.stride[2][k]
        for k, here in enumerate(columns):
            mine = totals[k * size : (k + 1) * size]
            results = self.print(self.programs.finish, lanes, mine, [count])
            for out in self.outs:
                parts, results = results[: out.parts], results[out.parts :]
                out.store(text, parts, here, lanes, which)
        return []

    def blocks_of(
        self, bases: list[str], columns: list[str], which: Lanes, before: str, totals: list[str]
    ) -> list[str]:
        text, reduction, lanes = self.text, self.reduction, self.lanes
        width = len(columns)

        def block(first: str, values: list[str]) -> list[str]:
            stop = text.let(f"add i64 {first}, {STEPS}")
            stop = text.call("i64", "llvm.smin.i64", ("i64", stop), ("i64", self.frame.size[0]))
            results: list[list[str]] = [[] for _ in columns]
            count = text.let(f"sub i64 {stop}, {first}")
            place = text.let(f"add i64 {before}, {first}")
            extras = [broadcast(text, "i64", x, lanes) for x in (count, place)]
            for number in range(len(reduction.phases)):
                found = self.phase(number, first, stop, bases, columns, which, results)
                for mine, accs in zip(results, found, strict=True):
                    mine += self.print(self.programs.closes[number], lanes, accs, extras[:1])
            new: list[str] = []
            size = len(reduction.totals)
            for k in range(width):
                collected = self.print(self.programs.collect, lanes, results[k], extras)
                old = values[k * size : (k + 1) * size]
                new += self.print(self.programs.combine, lanes, old, collected)
            return new

        carried = self.carried(reduction.totals * width, totals, lanes)
        return text.loop("0", self.frame.size[0], STEPS, block, carried)[1]

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
        phase = self.reduction.phases[number]
        size = len(phase.accs)
        init = self.identities(phase.accs, phase.init, lanes) * len(columns)

        def row(i: str, values: list[str]) -> list[str]:
            for k, operand in enumerate(self.ins):
                place = len(self.outs) + k
                operand.pointer = self.frame.at(place, 0, i, bases[k])
                operand.stride = self.frame.stride[2][place]
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
