"""Reductions and row programs for NVIDIA's processors: a block of threads makes one output, or row, at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.phase_programs import PhasePrograms, Programs
from rushlight.engine.loops.printed import computed, numbers
from rushlight.engine.loops.ptx_shared import Shared, barrier
from rushlight.engine.loops.ptx_text import GPU, GpuKernel, special
from rushlight.engine.loops.reduction import Reduction
from rushlight.engine.loops.row_kernel import RowPrograms
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import (
    Pointer,
    Value,
    bits_as,
    constant,
    divided,
    extended,
    inlined,
    intrinsic,
    left_over,
    narrowed,
    select,
    shifted,
)
from rushlight.engine.native.lowlevel.values import is_float

WARP = 32
MOST_WARPS = 32


def reduce_ptx_ir(
    reduction: Reduction, outs: Sequence[str], ins: Sequence[str], *, dims: int = 3,
    numbers: Sequence[int] = (), alone: bool = False,
) -> str:  # fmt: skip
    """The IR of a reduction: dims 0 and 1 are reduced, the others are kept.

    A block of threads (a multiple of 32) makes one output at a time. Each thread takes every so
    manyth element; threads join by warp shuffles, warps through shared memory. ``alone``: each thread makes
    an output by itself, as is better where neighbouring outputs are made of neighbouring elements.
    ``numbers``: which of the inputs are given by value.
    """
    kernel = _Reduction(Programs(reduction, outs, ins, GPU), outs, ins, dims, numbers)
    kernel.alone = alone
    return kernel.text()


def row_ptx_ir(
    programs: RowPrograms, outs: Sequence[str], ins: Sequence[str], *, dims: int, alone: bool
) -> str:
    """The IR of a row program, see `row_ir`: dim 0 is the row, the others are kept.

    A block of threads goes through a row together; with ``alone``, each thread has its own.
    """
    kernel = _Rows(programs, outs, ins, dims, ())
    kernel.alone = alone
    return kernel.text()


class _Phases(GpuKernel):
    """Phases over the elements of some dimensions, and what is made of them, for each index of the others."""

    # How many dimensions are gone through for one of the others.
    inner: int
    # Whether each thread does that by itself, not a block of them together.
    alone = False

    def __init__(
        self, programs: PhasePrograms, outs: Sequence[str], ins: Sequence[str], dims: int,
        numbers: Sequence[int],
    ) -> None:  # fmt: skip
        super().__init__([*outs, *ins], dims, [len(outs) + k for k in numbers])
        self.programs: Any = programs
        self.outs = [Operand(m, "s") for m in outs]
        self.ins = [Operand(m, "s") for m in ins]

    @inlined
    def run(self) -> None:
        self.count = self.sizes[0]
        for size in self.sizes[1 : self.inner]:
            self.count = self.count * size
        width, thread = special("ntid.x"), special("tid.x")
        first, step = special("ctaid.x"), special("nctaid.x")
        if self.alone:
            self.thread, self.width = 0, 1
            first = first * width + thread
            step = step * width
        else:
            self.thread, self.width = thread, width
        for outer in range(first, self.kept(), step):
            self.output(outer, self.bases(outer))

    def output(self, outer: int, bases: dict[int, Pointer]) -> None:
        """What is made for one index of the dimensions that are kept."""
        raise NotImplementedError

    def kept(self) -> int:
        """How many outputs there are."""
        total = self.sizes[self.inner]
        for size in self.sizes[self.inner + 1 :]:
            total = total * size
        return total  # type: ignore[no-any-return]

    def bases(self, outer: int) -> dict[int, Pointer]:
        """Where the elements of one output begin, and it itself."""
        places = []
        for size in self.sizes[self.inner : -1]:
            places.append(left_over(outer, size))
            outer = divided(outer, size)
        places.append(outer)
        found = {}
        for k, pointer in self.pointers.items():
            offset = places[0] * self.strides[self.inner][k]
            for place, strides in zip(places[1:], self.strides[self.inner + 1 :], strict=True):
                offset = offset + place * strides[k]
            found[k] = pointer + offset
        return found

    def offset(self, index: int, k: int) -> int:
        """An operand's byte offset at a linear index over the inner dimensions."""
        if self.inner == 1:
            return index * self.strides[0][k]  # type: ignore[no-any-return]
        inner, outer = left_over(index, self.sizes[0]), divided(index, self.sizes[0])
        return inner * self.strides[0][k] + outer * self.strides[1][k]  # type: ignore[no-any-return]

    def load(self, index: int, bases: dict[int, Pointer]) -> list[Value]:
        """The parts of the inputs' elements at a linear index over the inner dimensions."""
        parts: list[Value] = []
        for k, operand in enumerate(self.ins, start=len(self.outs)):
            if k in bases:
                parts += operand.load_one(bases[k] + self.offset(index, k))
            else:
                parts += self.number(k, operand)
        return parts

    def results(self, bases: dict[int, Pointer]) -> list[Value]:
        """All phases, one after another."""
        results: list[Value] = []
        for number, phase in enumerate(self.programs.phases):
            accs = self.phase(number, bases, results)
            identity = numbers(phase.accs, phase.init, 1)
            accs = self.fold(self.programs.combines[number], phase.accs, identity, accs)
            results += computed(self.programs.closes[number], 1, accs, [self.count])
        return results

    @inlined
    def phase(self, number: int, bases: dict[int, Pointer], earlier: list[Value]) -> list[Value]:
        """The accumulators of one thread."""
        phase = self.programs.phases[number]
        accs = numbers(phase.accs, phase.init, 1)
        for index in range(self.thread, self.count, self.width):
            parts = self.load(index, bases)
            counted = [narrowed(index, "i32")]
            accs = computed(self.programs.steps[number], 1, parts, accs, counted, earlier)
        return accs

    # -- threads join --
    def fold(
        self, combine: Program, types: Sequence[str], identity: list[Value], values: list[Value]
    ) -> list[Value]:
        """Combine the values of all threads of the block; every thread gets the result."""
        if self.alone:
            return values
        values = self.fold_warp(combine, values)
        buffers = [Shared(self, type, MOST_WARPS) for type in types]
        lane, warp = self.thread & (WARP - 1), shifted(self.thread, 5)
        warps = shifted(self.width, 5)
        self.exchange(buffers, values, lane == 0, warp)
        is_inside = lane < warps
        place = select(is_inside, lane, 0)
        joined = []
        for buffer, neutral in zip(buffers, identity, strict=True):
            joined.append(select(is_inside, buffer.read(place), neutral))
        joined = self.fold_warp(combine, joined)
        leader = self.thread == 0
        barrier()
        self.exchange(buffers, joined, leader, 0)
        results = [buffer.read(0) for buffer in buffers]
        barrier()
        return results

    def fold_warp(self, combine: Program, values: list[Value]) -> list[Value]:
        """Combine the values of the threads of a warp."""
        distance = WARP // 2
        while distance:
            values = computed(combine, 1, values, [further(v, distance) for v in values])
            distance //= 2
        return values

    @inlined
    def exchange(self, buffers: list[Shared], values: list[Value], who: bool, index: int) -> None:
        """Some threads write; all wait."""
        if who:
            for buffer, value in zip(buffers, values, strict=True):
                buffer.write(value, index)
        barrier()


class _Reduction(_Phases):
    inner = 2

    @inlined
    def output(self, outer: int, bases: dict[int, Pointer]) -> None:
        """One result of each output."""
        programs, reduction = self.programs, self.programs.reduction
        results = self.results(bases)
        start = numbers(reduction.totals, reduction.start, 1)
        found = computed(programs.collect, 1, results, [self.count, 0])
        some = self.count > 0
        totals = [select(some, a, b) for a, b in zip(found, start, strict=True)]
        for k, out in enumerate(self.outs):
            out.point(bases[k], 0)
        if self.thread == 0:
            self.store_one(self.outs, computed(programs.finish, 1, totals, [self.count]))


class _Rows(_Phases):
    inner = 1

    @inlined
    def output(self, outer: int, bases: dict[int, Pointer]) -> None:
        """The phases over a row, then its results."""
        programs = self.programs
        results = self.results(bases)
        full, scalars = self.outs[: programs.full], self.outs[programs.full :]
        for index in range(self.thread, self.count, self.width):
            parts = self.load(index, bases)
            for k, out in enumerate(full):
                out.point(bases[k] + self.offset(index, k), 0)
            self.store_one(full, computed(programs.body, 1, parts, results))
        for k, out in enumerate(scalars, start=programs.full):
            out.point(bases[k], 0)
        if scalars:  # noqa: SIM102 (Python decides the first, the kernel the second)
            if self.thread == 0:
                self.store_one(scalars, computed(programs.scalars, 1, results))


def further(value: Value, distance: int) -> Value:
    """The value of the thread some lanes further on in the warp."""
    bits = {"float": 32, "double": 64}.get(value.kind) or int(value.kind[1:])
    whole = bits_as(value, f"i{bits}") if is_float(value.kind) else value
    if bits == 64:
        low, high = narrowed(whole, "i32"), narrowed(shifted(whole, 32), "i32")
        low = extended(_shuffled(low, distance), signed=False)
        high = extended(_shuffled(high, distance), signed=False)
        moved = (high << 32) | low
    elif bits == 32:
        moved = _shuffled(whole, distance)
    else:
        word = _shuffled(extended(whole, "i32", signed=False), distance)
        moved = narrowed(word, f"i{bits}")
    return bits_as(moved, value.kind) if is_float(value.kind) else moved


def _shuffled(word: Value, distance: int) -> Value:
    """A word of 32 bits of another thread."""
    every, last = constant(-1, "i32"), constant(WARP - 1, "i32")
    name = "llvm.nvvm.shfl.sync.down.i32"
    return intrinsic("i32", name, every, word, constant(distance, "i32"), last)
