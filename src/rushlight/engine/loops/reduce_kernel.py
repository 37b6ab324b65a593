"""Reduction kernels: dims 0 and 1 are reduced, dim 2 is kept.

Along contiguous rows, the lanes of several vectors accumulate separately and are folded at the
end. Where the kept dimension is the contiguous one, each lane is an output of its own, and strips
of columns are walked down together. Block boundaries depend on sizes only.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.loops.cascade import LONGEST
from rushlight.engine.loops.kernels import described_address
from rushlight.engine.loops.phase_loops import ColumnPhases, RowPhases
from rushlight.engine.loops.phase_programs import Programs
from rushlight.engine.loops.printed import computed, numbers, store_parts
from rushlight.engine.loops.reduction import Reduction
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.vector_memory import Lanes, Operand
from rushlight.engine.native.lowlevel import (
    Pointer,
    Value,
    Vector,
    broadcast,
    inlined,
    kernel_text,
    minimum,
)

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
    kernel = _kernel(reduction, outs, ins, inner, kept, far, target or host_target())
    return kernel_text(kernel.run)


def reduce_address(
    reduction: Reduction, outs: Sequence[str], ins: Sequence[str], inner: str, kept: bool, far: bool
) -> int:
    """The address of the kernel that `reduce_ir` writes for this processor."""
    kernel = _kernel(reduction, outs, ins, inner, kept, far, host_target())
    said = f"reduction|{outs}{ins}{inner}{kept}{far}|{host_target()}"
    return described_address(
        f"{said}|{kernel.programs.description()}", lambda: kernel_text(kernel.run)
    )


def _kernel(
    reduction: Reduction,
    outs: Sequence[str],
    ins: Sequence[str],
    inner: str,
    kept: bool,
    far: bool,
    target: Target,
) -> _Rows | _Columns:
    operands = [Operand(m, x) for m, x in zip([*outs, *ins], inner, strict=True)]
    for operand in operands[: len(outs)]:
        operand.letter = operand.letter.replace("s", "g")
    programs = Programs(reduction, outs, ins, target)
    results, given = operands[: len(outs)], operands[len(outs) :]
    return _Columns(programs, results, given) if kept else _Rows(programs, results, given, far)


class _Rows(RowPhases):
    programs: Programs

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        self.begin(data, sizes, strides)
        self.count = self.size[0] * self.size[1]
        for outer in range(self.size[2]):
            self.output(outer)

    @inlined
    def output(self, outer: int) -> None:
        """One result of each output."""
        reduction, length = self.programs.reduction, self.block_length()
        bases = [x.at(2, outer) for x in self.given_ins]
        totals = numbers(reduction.totals, reduction.start, 1)
        for j in range(self.size[1]):
            self.enter_row(1, j, bases)
            before = j * self.size[0]
            for first in range(0, self.size[0], length):
                stop = minimum(first + length, self.size[0])
                totals = self.block(first, stop, before, totals)
        results = computed(self.programs.finish, 1, totals, [self.count])
        for out, x in zip(self.outs, self.given_outs, strict=True):
            out.point(x.at(2, outer), 0)
        store_parts(self.outs, results, 0, 1, None)

    def block_length(self) -> int:
        return LONGEST if self.cascades else self.lanes * self.unroll * len(self.ins) * STEPS

    def block(self, first: int, stop: int, before: int, totals: list[Value]) -> list[Value]:
        """The totals with those of a block."""
        count = stop - first
        place = before + first
        results = self.results(first, stop, count)
        found = computed(self.programs.collect, 1, results, [count, place])
        return computed(self.programs.combine, 1, totals, found)


class _Columns(ColumnPhases):
    programs: Programs
    stores_vectors = True

    @inlined
    def strip(self, columns: list[int], which: Lanes) -> None:
        reduction, lanes = self.programs.reduction, self.lanes
        totals = [numbers(reduction.totals, reduction.start, lanes) for _ in columns]
        for j in range(self.size[1]):
            bases = [x.at(1, j) for x in self.given_ins]
            before = j * self.size[0]
            for first in range(0, self.size[0], STEPS):
                stop = minimum(first + STEPS, self.size[0])
                totals = self.block(first, stop, before, bases, columns, which, totals)
        counts = broadcast(self.size[0] * self.size[1], lanes)
        for out, x in zip(self.outs, self.given_outs, strict=True):
            out.point(x.base, x.stride[2])
        for k, column in enumerate(columns):
            results = computed(self.programs.finish, lanes, totals[k], [counts])
            store_parts(self.outs, results, column, lanes, which)

    def block(
        self, first: int, stop: int, before: int, bases: list[Pointer], columns: list[int],
        which: Lanes, totals: list[list[Vector]],
    ) -> list[list[Vector]]:  # fmt: skip
        """The totals of each vector of columns with those of a block."""
        count, place = stop - first, before + first
        extras = [broadcast(x, self.lanes) for x in (count, place)]
        results = self.results(first, stop, bases, columns, which, extras[0])
        new = []
        for old, mine in zip(totals, results, strict=True):
            found = computed(self.programs.collect, self.lanes, mine, extras)
            new.append(computed(self.programs.combine, self.lanes, old, found))
        return new
