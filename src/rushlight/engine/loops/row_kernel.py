"""Row programs: phases reduce a row to a few scalars, then a body rewrites the row with them.

Softmax and the normalisations are row programs. Dim 0 is the row and dim 1 is kept; the row stays
in the caches between phases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from rushlight.engine.loops import casts
from rushlight.engine.loops.arguments import KernelOperand
from rushlight.engine.loops.expr import Value, const, convert, fma, maximum, sqrt
from rushlight.engine.loops.kernels import described_address
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.phase_loops import ColumnPhases, RowPhases
from rushlight.engine.loops.phase_programs import PhasePrograms, stored
from rushlight.engine.loops.printed import computed, store_parts
from rushlight.engine.loops.reduction import Phase, Values
from rushlight.engine.loops.row_loop import RowLoop
from rushlight.engine.loops.strip_mining import Strips, stages_of
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.vector_memory import Lanes, Operand
from rushlight.engine.native.lowlevel import Pointer, broadcast, inlined, kernel_text
from rushlight.engine.native.lowlevel.memory import room
from rushlight.engine.native.records import dataclass

Function = Callable[[Value], Value]


# Longer rows have no buffers.
LONGEST_BUFFERED = 4096


@dataclass(frozen=True)
class Buffered:
    """A value of each element that several passes need: ``value(xs, results)``, of a type in memory.

    It is computed before a phase (or the body, whose number is that of the phases), and from then on stands
    behind the inputs' elements among ``xs``.
    """

    type: str
    before: int
    value: Callable[[Sequence[Any], Values], Any]


@dataclass(frozen=True)
class RowProgram:
    """Phases over the whole row, then ``body(xs, results)`` for each element.

    ``results`` are those of all phases; ``scalars(results)`` makes outputs of one number a row,
    which follow the body's outputs. Where rows are short enough, ``buffered`` values are computed once.
    """

    params: tuple[str, ...]
    phases: tuple[Phase, ...]
    body: Callable[[Sequence[Any], Values], Any]
    scalars: Callable[[Values], Sequence[Any]] | None = None
    buffered: tuple[Buffered, ...] = ()

    def extended(self, xs: Sequence[Any], results: Values, before: int) -> list[Any]:
        """The elements with the values that are buffered before a phase, computed."""
        found = list(xs)
        for one in self.buffered:
            if one.before <= before:
                found.append(casts.cast(one.value(found, results), one.type))
        return found

    def without_buffers(self) -> RowProgram:
        """The same program, which computes everything where it needs it."""
        if not self.buffered:
            return self

        def around(number: int, phase: Phase) -> Phase:
            def step(accs: Values, xs: Sequence[Any], index: Value, earlier: Values) -> Values:
                return phase.step(accs, self.extended(xs, earlier, number), index, earlier)

            return Phase(phase.accs, phase.init, step, phase.combine, phase.close, phase.cascades)

        def body(xs: Sequence[Any], results: Values) -> Any:
            return self.body(self.extended(xs, results, len(self.phases)), results)

        phases = tuple(around(k, phase) for k, phase in enumerate(self.phases))
        return RowProgram(self.params, phases, body, self.scalars)


def row_ir(
    program: RowProgram,
    outs: Sequence[str],
    ins: Sequence[str],
    inner: str,
    *,
    kept: bool = False,
    buffers: bool = False,
    target: Target | None = None,
) -> str:
    """The IR of a row kernel from memory types ``ins`` to ``outs``; with ``buffers``, for rows that are not long.

    ``inner`` has one letter per operand, outputs first, for its stride along dim 0, or along
    dim 1 with ``kept`` (`map_ir` has the letters; those of row scalars are ignored).
    """
    target = target or host_target()
    return kernel_text(_kernel(program, outs, ins, inner, kept, buffers, target).run)


def row_address(
    program: RowProgram, outs: Sequence[str], ins: Sequence[str], inner: str, kept: bool,
    buffers: bool = False,
) -> int:  # fmt: skip
    """The address of the kernel that `row_ir` writes for this processor."""
    kernel = _kernel(program, outs, ins, inner, kept, buffers, host_target())
    said = f"row|{outs}{ins}{inner}{kept}{buffers}|{host_target()}|{kernel.programs.description()}"
    return described_address(said, lambda: kernel_text(kernel.run))


def _kernel(
    program: RowProgram,
    outs: Sequence[str],
    ins: Sequence[str],
    inner: str,
    kept: bool,
    buffers: bool,
    target: Target,
) -> _Rows | _Columns:
    operands = [Operand(m, x) for m, x in zip([*outs, *ins], inner, strict=True)]
    if not buffers or kept:
        program = program.without_buffers()
    programs = RowPrograms(program, outs, ins, target)
    for k, operand in enumerate(operands[: len(outs)]):
        if k >= programs.full:
            operand.letter = "c"
        # A store to one place for a whole row is as scattered as any other.
        operand.letter = operand.letter.replace("s", "g")
    shape = _Columns if kept else _Rows
    return shape(programs, operands[: len(outs)], operands[len(outs) :])


class RowPrograms(PhasePrograms):
    """The phases' expressions, the body's and the row scalars'."""

    def __init__(
        self, program: RowProgram, outs: Sequence[str], ins: Sequence[str], target: Target
    ) -> None:
        buffered = [one.type for one in program.buffered]
        super().__init__(program.phases, [*program.params, *buffered], [*ins, *buffered], target)
        self.buffered = program.buffered
        self.values = [self._value_of(one) for one in program.buffered]
        known = self.known[-1]
        make_scalars = program.scalars
        self.full = len(outs)
        if make_scalars:
            self.full -= len(make_scalars([const(t, 0) for t in known]))
            self.scalars = self.build(
                lambda results: stored(make_scalars(results), outs[self.full :]), known
            )

        def body(*groups: list[Value]) -> Sequence[Value]:
            *parts, results = groups
            return stored(program.body(self.elements(parts), results), outs[: self.full])

        self.body = self.build(body, *self.raws, known)

    def _value_of(self, one: Buffered) -> Program:
        """The expression of what a buffer holds."""

        def value(*groups: list[Value]) -> Sequence[Value]:
            *parts, results = groups
            return stored(one.value(self.elements(parts), results), [one.type])

        return self.build(value, *self.raws, self.known[one.before])

    @property
    def widest(self) -> int:
        return max(super().widest, self.body.widest, *(p.widest for p in self.values))


class _Rows(RowPhases):
    dims = 2
    stores_vectors = True
    programs: RowPrograms

    def __init__(
        self, programs: RowPrograms, outs: Sequence[Operand], ins: Sequence[Operand]
    ) -> None:
        self.buffers = [Operand(one.type, "c") for one in programs.buffered]
        super().__init__(programs, outs, [*ins, *self.buffers])
        self.read = len(ins)

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        self.begin(data, sizes, strides)
        for buffer in self.buffers:
            buffer.point(room(LONGEST_BUFFERED * buffer.bytes), buffer.bytes)
        self.filling = [
            self.loop(program, [buffer])
            for program, buffer in zip(self.programs.values, self.buffers, strict=True)
        ]
        self.body = self.loop(self.programs.body, self.outs[: self.programs.full])
        for outer in range(self.size[1]):
            self.row(outer)

    def loop(self, program: Program, outs: Sequence[Operand]) -> RowLoop | Strips:
        """The loop of a program over a row."""
        memories = [operand.memory for operand in outs], [operand.memory for operand in self.ins]
        stages = stages_of(program, *memories) if self.lanes > 1 else []
        if len(stages) < 2:
            return RowLoop(program, outs, self.ins, self.lanes)
        strips = Strips(stages, [*outs, *self.ins], self.lanes)
        strips.begin()
        return strips

    def before_phase(self, number: int, results: list[Any]) -> None:
        repeated = [operand.repeated for operand in self.ins]
        for one, loop in zip(self.programs.buffered, self.filling, strict=True):
            if one.before == number:
                loop.extra = self.spread(results)
                loop.write(self.size[0])
        # A loop reads what is the same throughout by itself, where it has elements at all: phases have their own.
        for operand, own in zip(self.ins, repeated, strict=True):
            operand.repeated = own

    def row(self, outer: int) -> None:
        """The phases over a row, then the body."""
        programs, size = self.programs, self.size[0]
        self.enter_row(1, outer, [x.base for x in self.given_ins])
        results = self.results(0, size, size)
        self.before_phase(len(programs.phases), results)
        scalars = self.outs[programs.full :]
        for out, x in zip(self.outs, self.given_outs, strict=True):
            out.point(x.at(1, outer), x.stride[0])
        # The row was read by the phases just now: this pass over it comes from the nearest cache.
        self.body.extra = self.spread(results)
        self.body.write(size)
        if scalars:
            store_parts(scalars, computed(programs.scalars, 1, results), 0, 1, None)


class _Columns(ColumnPhases):
    dims = 2
    stores_vectors = True
    programs: RowPrograms

    @inlined
    def strip(self, columns: list[int], which: Lanes) -> None:
        programs, lanes, size = self.programs, self.lanes, self.size[0]
        bases = [x.base for x in self.given_ins]
        count = broadcast(size, lanes)
        results = self.results(0, size, bases, columns, which, count)
        full, scalars = self.outs[: programs.full], self.outs[programs.full :]
        for i in range(size):
            for operand, x in zip([*full, *self.ins], self.given_full()):
                operand.point(x.at(0, i), x.stride[1])
                self.repeat(operand)
            for column, mine in zip(columns, results, strict=True):
                found = computed(programs.body, lanes, self.load(column, which), mine)
                store_parts(full, found, column, lanes, which)
        for out, x in zip(scalars, self.given_outs[programs.full :]):
            out.point(x.base, x.stride[1])
        if scalars:
            for column, mine in zip(columns, results, strict=True):
                found = computed(programs.scalars, lanes, mine)
                store_parts(scalars, found, column, lanes, which)

    def given_full(self) -> list[KernelOperand]:
        """The parameters of what has whole rows."""
        return [*self.given_outs[: self.programs.full], *self.given_ins]


# -- the library's row programs --


def _sum(type: str, term: Callable[[Sequence[Any], Values], Value], close: Any = None) -> Phase:
    return Phase(
        (type,),
        (0,),
        lambda accs, xs, index, earlier: [accs[0] + term(xs, earlier)],
        lambda a, b: [a[0] + b[0]],
        close,
    )


def _shifted_exponentials(type: str, exp: Function) -> tuple[Phase, Phase]:
    # With the largest subtracted no exponential overflows, and one of them is 1, so that the sum
    # is never 0.
    largest = Phase(
        (type,),
        (-math.inf,),
        lambda accs, xs, index, earlier: [maximum(accs[0], xs[0])],
        lambda a, b: [maximum(a[0], b[0])],
    )
    return largest, _sum(type, lambda xs, earlier: exp(xs[0] - earlier[0]))


@cache
def softmax(type: str, exp: Function) -> RowProgram:
    largest, _ = _shifted_exponentials(type, exp)
    # One division for the row instead of one for each element.
    inverted = _sum(type, lambda xs, earlier: xs[1], lambda accs, count: [1 / accs[0]])
    shifted = Buffered(type, 1, lambda xs, got: exp(xs[0] - got[0]))
    return RowProgram(
        (type,), (largest, inverted), lambda xs, got: xs[1] * got[1], buffered=(shifted,)
    )


@cache
def log_softmax(type: str, exp: Function, log: Function) -> RowProgram:
    largest, total = _shifted_exponentials(type, exp)
    closed = Phase(
        total.accs, total.init, total.step, total.combine, lambda accs, count: [log(accs[0])]
    )
    return RowProgram((type,), (largest, closed), lambda xs, got: (xs[0] - got[0]) - got[1])


@cache
def softmax_backward(type: str) -> RowProgram:
    """From the gradient and the softmax."""
    total = _sum(type, lambda xs, earlier: xs[0] * xs[1])
    return RowProgram((type, type), (total,), lambda xs, got: xs[1] * (xs[0] - got[0]))


@cache
def log_softmax_backward(type: str, exp: Function) -> RowProgram:
    """From the gradient and the log of the softmax."""
    total = _sum(type, lambda xs, earlier: xs[0])
    return RowProgram((type, type), (total,), lambda xs, got: xs[0] - exp(xs[1]) * got[0])


@cache
def layer_norm(type: str, eps: float, weight: bool, bias: bool) -> RowProgram:
    """The row normalised, its mean and its reciprocal standard deviation.

    Inputs: the row, then the weight and the bias if there are any. Deviations from the rounded
    mean are summed along with their squares and correct both the mean and the variance.
    """

    def mean(accs: Values, count: Value) -> Values:
        return [accs[0] / convert(count, type)]

    def deviation(accs: Values, xs: Sequence[Any], index: Value, earlier: Values) -> Values:
        # Squares of deviations, not of elements: a large mean would take all digits of the
        # variance.
        off = xs[0] - earlier[0]
        return [accs[0] + off, fma(off, off, accs[1])]

    def combine(a: Values, b: Values) -> Values:
        return [a[0] + b[0], a[1] + b[1]]

    def close(accs: Values, count: Value) -> Values:
        number = convert(count, type)
        slip = accs[0] / number
        # What rounding leaves below zero has no root.
        variance = maximum(accs[1] / number - slip * slip, 0)
        return [slip, 1 / sqrt(variance + eps)]

    def body(xs: Sequence[Any], got: Values) -> Value:
        x = ((xs[0] - got[0]) - got[1]) * got[2]
        return _affine(x, xs[1:], weight, bias)

    phases = (
        _sum(type, lambda xs, earlier: xs[0], mean),
        Phase((type, type), (0, 0), deviation, combine, close),
    )
    params = (type,) * (1 + weight + bias)
    return RowProgram(params, phases, body, lambda got: [got[0] + got[1], got[2]])


def layer_norm_backward(type: str, weight: bool) -> RowProgram:
    """The gradient of the row before it was normalised.

    Inputs: the gradient, the row, its mean and reciprocal standard deviation, perhaps the weight.
    """

    def parts(xs: Sequence[Any]) -> tuple[Value, Value]:
        grad = xs[0] * xs[4] if weight else xs[0]
        return grad, (xs[1] - xs[2]) * xs[3]

    def step(accs: Values, xs: Sequence[Any], index: Value, earlier: Values) -> Values:
        grad, normal = parts(xs)
        return [accs[0] + grad, fma(grad, normal, accs[1])]

    def means(accs: Values, count: Value) -> Values:
        number = convert(count, type)
        return [accs[0] / number, accs[1] / number]

    def body(xs: Sequence[Any], got: Values) -> Value:
        grad, normal = parts(xs)
        return xs[3] * (grad - got[0] - normal * got[1])

    phase = Phase((type, type), (0, 0), step, lambda a, b: [a[0] + b[0], a[1] + b[1]], means)
    return RowProgram((type,) * (4 + weight), (phase,), body)


def rms_norm(type: str, eps: float, weight: bool) -> RowProgram:
    """The row over its root mean square, and the reciprocal of that."""

    def reciprocal(accs: Values, count: Value) -> Values:
        return [1 / sqrt(accs[0] / convert(count, type) + eps)]

    return RowProgram(
        (type,) * (1 + weight),
        (_sum(type, lambda xs, earlier: xs[0] * xs[0], reciprocal),),
        lambda xs, got: _affine(xs[0] * got[0], xs[1:], weight, False),
        lambda got: [got[0]],
    )


def _affine(x: Value, others: Sequence[Value], weight: bool, bias: bool) -> Value:
    if weight and bias:
        return fma(x, others[0], others[1])
    if weight:
        return x * others[0]
    return x + others[0] if bias else x
