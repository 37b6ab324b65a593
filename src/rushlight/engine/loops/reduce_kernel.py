"""Reduction kernels: dims 0 and 1 are reduced, dim 2 is kept.

Along contiguous rows, the lanes of several vectors accumulate separately and are folded at the
end. Where the kept dimension is the contiguous one, each lane is an output of its own, and strips
of columns are walked down together. Block boundaries depend on sizes only.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.loops.cascade import LONGEST
from rushlight.engine.loops.llvm_text import broadcast
from rushlight.engine.loops.phase_loops import ColumnPhases, RowPhases
from rushlight.engine.loops.phase_programs import Programs
from rushlight.engine.loops.reduction import Reduction
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.vector_memory import Lanes, Operand
from rushlight.engine.native.lowlevel import Text

STEPS = 64  # elements each accumulator takes in before it is collected


def reduce_ir(
    reduction: Reduction,
    outs: Sequence[str],
    ins: Sequence[str],
    inner: str,
    *,
    kept: bool = False,
    far: bool = False,
    target: Target | None = None,
) -> str:
    """The IR of a reduction kernel from memory types ``ins`` to ``outs``.

    ``inner`` has one letter per operand, outputs first. Without ``kept`` it is for the inputs'
    strides along dim 0 (`map_ir` has the letters; outputs' letters are ignored). With ``kept`` it
    is for all operands' strides along dim 2, whose elements then are the lanes. Rows are ``far`` if
    there are more of them than caches hold.
    """
    target = target or host_target()
    operands = [Operand(m, x) for m, x in zip([*outs, *ins], inner, strict=True)]
    for operand in operands[: len(outs)]:
        operand.letter = operand.letter.replace("s", "g")
    programs = Programs(reduction, outs, ins, target)
    results, given = operands[: len(outs)], operands[len(outs) :]
    kernel = _Columns(programs, results, given) if kept else _Rows(programs, results, given, far)
    kernel.write()
    return kernel.text.module()


def _block_end(text: Text, first: str, length: int, size: str) -> str:
    stop = text.let(f"add i64 {first}, {length}")
    return text.call("i64", "llvm.smin.i64", ("i64", stop), ("i64", size))


class _Rows(RowPhases):
    programs: Programs

    def write(self) -> None:
        sizes = self.frame.size
        self.count = self.text.let(f"mul i64 {sizes[0]}, {sizes[1]}")
        self.text.loop("0", sizes[2], 1, self._output)

    def _output(self, outer: str, _: list[str]) -> list[str]:
        text, frame, reduction = self.text, self.frame, self.programs.reduction
        bases = [frame.at(len(self.outs) + k, 2, outer) for k in range(len(self.ins))]
        start = self.identities(reduction.totals, reduction.start, 1)

        def line(j: str, totals: list[str]) -> list[str]:
            self.enter_row(1, j, bases)
            before = text.let(f"mul i64 {j}, {frame.size[0]}")
            length = self._block_length()
            carried = self.carried(reduction.totals, totals, 1)

            def block(first: str, values: list[str]) -> list[str]:
                stop = _block_end(text, first, length, frame.size[0])
                return self._block(first, stop, before, values)

            return text.loop("0", frame.size[0], length, block, carried)[1]

        carried = self.carried(reduction.totals, start, 1)
        totals = text.loop("0", frame.size[1], 1, line, carried)[1]
        results = self.print(self.programs.finish, 1, totals, [self.count])
        for k, out in enumerate(self.outs):
            out.pointer, out.stride = frame.at(k, 2, outer), "0"
            mine, results = results[: out.parts], results[out.parts :]
            out.store(text, mine, "0", 1, None)
        return []

    def _block_length(self) -> int:
        return LONGEST if self.cascades else self.lanes * self.unroll * len(self.ins) * STEPS

    def _block(self, first: str, stop: str, before: str, totals: list[str]) -> list[str]:
        count = self.text.let(f"sub i64 {stop}, {first}")
        place = self.text.let(f"add i64 {before}, {first}")
        results = self.results(first, stop, count)
        found = self.print(self.programs.collect, 1, results, [count, place])
        return self.print(self.programs.combine, 1, totals, found)


class _Columns(ColumnPhases):
    programs: Programs
    stores_vectors = True

    def strip(self, columns: list[str], which: Lanes) -> None:
        text, frame, reduction, lanes = self.text, self.frame, self.programs.reduction, self.lanes
        size = len(reduction.totals)
        start = self.identities(reduction.totals, reduction.start, lanes) * len(columns)

        def line(j: str, totals: list[str]) -> list[str]:
            bases = [frame.at(len(self.outs) + k, 1, j) for k in range(len(self.ins))]
            before = text.let(f"mul i64 {j}, {frame.size[0]}")

            def block(first: str, values: list[str]) -> list[str]:
                stop = _block_end(text, first, STEPS, frame.size[0])
                count = text.let(f"sub i64 {stop}, {first}")
                place = text.let(f"add i64 {before}, {first}")
                extras = [broadcast(text, "i64", x, lanes) for x in (count, place)]
                results = self.results(first, stop, bases, columns, which, extras[0])
                new: list[str] = []
                for k, mine in enumerate(results):
                    found = self.print(self.programs.collect, lanes, mine, extras)
                    old = values[k * size : (k + 1) * size]
                    new += self.print(self.programs.combine, lanes, old, found)
                return new

            carried = self.carried(reduction.totals * len(columns), totals, lanes)
            return text.loop("0", frame.size[0], STEPS, block, carried)[1]

        carried = self.carried(reduction.totals * len(columns), start, lanes)
        totals = text.loop("0", frame.size[1], 1, line, carried)[1]
        count = text.let(f"mul i64 {frame.size[0]}, {frame.size[1]}")
        counts = broadcast(text, "i64", count, lanes)
        for k, operand in enumerate(self.outs):
            operand.pointer = frame.bases[k]
            operand.stride = frame.stride[2][k]
        for k, here in enumerate(columns):
            mine = totals[k * size : (k + 1) * size]
            results = self.print(self.programs.finish, lanes, mine, [counts])
            for out in self.outs:
                parts, results = results[: out.parts], results[out.parts :]
                out.store(text, parts, here, lanes, which)
