"""Scan kernels (cumulative sums and their like): dim 0 is scanned, dim 1 is kept.

Along a contiguous row, a vector is scanned in log2 steps, each joining every lane with one some
lanes before it; what came before the vector joins last, so only one operation depends on the
previous vector. Where the kept dimension is contiguous, each lane scans a row of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.loops import casts
from rushlight.engine.loops.arguments import Arguments
from rushlight.engine.loops.expr import (
    Complex,
    Value,
    arg,
    isnan,
    maximum,
    minimum,
    select,
)
from rushlight.engine.loops.kernels import described_address
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.printed import (
    computed,
    load_parts,
    numbers,
    repeat,
    store_parts,
)
from rushlight.engine.loops.reduction import Number, Values
from rushlight.engine.loops.reductions import highest, lowest
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.vector_memory import Lanes, Operand, clamped, partial_mask
from rushlight.engine.native.lowlevel import (
    Pointer,
    Vector,
    broadcast,
    inlined,
    kernel_text,
    lane,
    lanes_from,
    narrowed,
    shuffle,
    unroll,
)
from rushlight.engine.native.lowlevel import select as select_lanes
from rushlight.engine.native.records import dataclass

STRIP = 8  # vectors of state that walk down the columns together


@dataclass(frozen=True)
class Scan:
    """A scan: every output is made of the elements up to its place.

    ``lift(xs, index)`` makes a state of one element and its place, which has the type ``index``
    (i32 is faster, and right for rows of less than 2**31 elements); ``combine(earlier,
    later)`` joins states of neighbouring stretches, ``init`` is the state of no elements (only
    ever the earlier one), and ``emit(state)`` gives the outputs.
    """

    params: tuple[str, ...]
    state: tuple[str, ...]
    init: tuple[Number, ...]
    lift: Callable[[Sequence[Any], Value], Values]
    combine: Callable[[Values, Values], Values]
    emit: Callable[[Values], Any]
    index: str = "i64"


def scan_ir(
    scan: Scan,
    outs: Sequence[str],
    ins: Sequence[str],
    inner: str,
    *,
    kept: bool = False,
    target: Target | None = None,
) -> str:
    """The IR of a scan kernel from memory types ``ins`` to ``outs``.

    ``inner`` has one letter per operand, outputs first, for its stride along dim 0, or along
    dim 1 with ``kept`` (`map_ir` has the letters).
    """
    return kernel_text(scan_kernel(scan, outs, ins, inner, kept, target or host_target()).run)


def scan_address(
    scan: Scan, outs: Sequence[str], ins: Sequence[str], inner: str, kept: bool
) -> int:
    """The address of the kernel that `scan_ir` writes for this processor."""
    kernel = scan_kernel(scan, outs, ins, inner, kept, host_target())
    said = f"scan|{outs}{ins}{inner}{kept}|{host_target()}|{kernel.description()}"
    return described_address(said, lambda: kernel_text(kernel.run))


def scan_kernel(
    scan: Scan, outs: Sequence[str], ins: Sequence[str], inner: str, kept: bool, target: Target
) -> _Kernel:
    """The kernel whose text `scan_ir` is."""
    operands = [Operand(m, x) for m, x in zip([*outs, *ins], inner, strict=True)]
    for operand in operands[: len(outs)]:
        operand.letter = operand.letter.replace("s", "g")
    how = _Columns if kept else _Rows
    return how(scan, operands[: len(outs)], operands[len(outs) :], target)


class ScanPrograms:
    """The expressions of a scan."""

    def __init__(self, scan: Scan, outs: Sequence[str], ins: Sequence[str], target: Target) -> None:
        raws = [arg(k, t) for k, t in enumerate(t for m in ins for t in _raw(m))]
        place = len(raws)
        xs = []
        for memory, wanted in zip(ins, scan.params, strict=True):
            mine, raws = raws[: casts.parts(memory)], raws[casts.parts(memory) :]
            xs.append(casts.from_memory(mine, memory, wanted))
        self.lift = Program(list(scan.lift(xs, arg(place, scan.index))), target)
        self.indexed = any(v.op == "arg" and v.attr == place for v in self.lift.order)
        first = [arg(k, t) for k, t in enumerate(scan.state)]
        second = [arg(k + len(first), t) for k, t in enumerate(scan.state)]
        self.combine = Program(list(scan.combine(first, second)), target)
        results = scan.emit(first)
        if not isinstance(results, (tuple, list)):
            results = (results,)
        pairs = zip(results, outs, strict=True)
        self.emit = Program([p for x, m in pairs for p in casts.to_memory(x, m)], target)


def _raw(memory: str) -> list[str]:
    return [casts.raw_type(memory)] * casts.parts(memory)


class _Kernel:
    def __init__(
        self,
        scan: Scan,
        outs: Sequence[Operand],
        ins: Sequence[Operand],
        target: Target,
    ) -> None:
        self.scan = scan
        self.outs = outs
        self.ins = ins
        self.programs = ScanPrograms(
            scan, [o.memory for o in outs], [o.memory for o in ins], target
        )
        self.operands = [*outs, *ins]
        # Outputs may be wider than the state: then a vector is stored in pieces.
        programs = (self.programs.lift, self.programs.combine)
        widest = max(*(p.widest for p in programs), *(o.part_bytes for o in ins))
        self.lanes = max(1, target.vector_bytes // widest)
        self.masked = target.masks and all(o.letter in "cs" or o.gathers for o in self.operands)
        self.gathers = any(o.letter == "g" for o in self.operands)

    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        """The whole kernel."""
        raise NotImplementedError

    def description(self) -> str:
        """What it computes, for who wants to know whether another computes the same."""
        scan, programs = self.scan, self.programs
        computed = [p.description() for p in (programs.lift, programs.combine, programs.emit)]
        return f"{scan.state}{scan.init}{scan.index}{computed}"

    def identity(self, lanes: int) -> list[Vector]:
        """The state of no elements."""
        return numbers(self.scan.state, self.scan.init, lanes)

    def lift(self, index: int, place: int, lanes: int, which: Lanes, along: bool) -> list[Vector]:
        """The states of single elements, whose places count ``along`` the lanes."""
        parts = load_parts(self.ins, index, lanes, which)
        if not self.programs.indexed:
            return computed(self.programs.lift, lanes, parts)
        kind = self.scan.index
        position = broadcast(place if kind == "i64" else narrowed(place, kind), lanes)
        if along and lanes > 1:
            position = position + lanes_from(range(lanes), kind)
        return computed(self.programs.lift, lanes, parts, [position])

    def combine(self, before: list[Vector], after: list[Vector], lanes: int) -> list[Vector]:
        return computed(self.programs.combine, lanes, before, after)

    def store(self, state: list[Vector], index: int, lanes: int, which: Lanes) -> None:
        results = computed(self.programs.emit, lanes, state)
        store_parts(self.outs, results, index, lanes, which)


class _Rows(_Kernel):
    """Dim 0 is contiguous, or nothing is."""

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        if self.gathers:
            self.lanes = 1
        given = Arguments(data, sizes, strides, len(self.operands), 2)
        for row in range(given.size[1]):
            for operand, x in zip(self.operands, given.operands):
                operand.point(x.at(1, row), x.stride[0])
            self.scan_row(given.size[0])

    @inlined
    def scan_row(self, size: int) -> None:
        lanes = self.lanes
        state = self.identity(lanes)
        i = 0
        if lanes > 1:
            repeat(self.operands, lanes)
            while i < size - (lanes - 1):
                state = self.vector(i, state, None)
                i += lanes
            if self.masked:
                left = size - i
                if left > 0:
                    self.vector(i, state, partial_mask(lanes, left))
                return
            state = [lane(x, 0) for x in state]
        repeat(self.ins, 1)
        while i < size:
            state = self.combine(state, self.lift(i, i, 1, None, True), 1)
            self.store(state, i, 1, None)
            i += 1

    def vector(self, index: int, before: list[Vector], which: Lanes) -> list[Vector]:
        """Scan one vector; the state after it, in every lane."""
        lanes = self.lanes
        state = self.lift(index, index, lanes, which, True)
        distance = 1
        while distance < lanes:
            # The first lanes wrap around and are put back: cheaper than shifting in identities.
            wrapped = [shuffle(x, [(k - distance) % lanes for k in range(lanes)]) for x in state]
            joined = self.combine(wrapped, state, lanes)
            beyond = lanes_from([k >= distance for k in range(lanes)], "i1")
            state = [select_lanes(beyond, new, old) for new, old in zip(joined, state, strict=True)]
            distance *= 2
        whole = [shuffle(x, [lanes - 1] * lanes) for x in state]
        self.store(self.combine(before, state, lanes), index, lanes, which)
        return self.combine(before, whole, lanes)


class _Columns(_Kernel):
    """Dim 1 is contiguous: each lane scans a row of its own."""

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        if self.gathers:
            self.lanes = min(self.lanes, 16)
        lanes = self.lanes
        cheap = self.programs.combine.cost <= 8
        width = max(1, STRIP // len(self.scan.state)) if cheap else 1
        self.given = Arguments(data, sizes, strides, len(self.operands), 2)
        columns = self.given.size[1]
        column = 0
        while column < columns - (width * lanes - 1):
            self.strip(column, width, None)
            column += width * lanes
        last = columns - 1
        while column < columns:
            self.strip(column, 1, self.rest(column, columns, last))
            column += lanes

    def rest(self, column: int, columns: int, last: int) -> Lanes:
        """Which columns of the last vectors there are."""
        if self.lanes == 1:
            return None
        if self.masked:
            return partial_mask(self.lanes, columns - column)
        return clamped(self.lanes, column, last)

    @inlined
    def strip(self, column: int, width: int, which: Lanes) -> None:
        """Vectors of columns walked down together."""
        lanes = self.lanes
        columns = [column + k * lanes for k in unroll(width)]
        states = [self.identity(lanes) for _ in columns]
        for i in range(self.given.size[0]):
            for operand, x in zip(self.operands, self.given.operands):
                operand.point(x.at(0, i), x.stride[1])
            repeat(self.operands, lanes)
            for k, place in enumerate(columns):
                lifted = self.lift(place, i, lanes, which, False)
                states[k] = self.combine(states[k], lifted, lanes)
                self.store(states[k], place, lanes, which)


# -- the library's scans --


def cumulative_sum(type: str) -> Scan:
    """Sums; f32 elements should arrive as f64, so that long rows stay accurate."""
    return Scan(
        (type,), (type,), (0,), lambda xs, index: [xs[0]], lambda a, b: [a[0] + b[0]], _first
    )


def cumulative_product(type: str) -> Scan:
    return Scan(
        (type,), (type,), (1,), lambda xs, index: [xs[0]], lambda a, b: [a[0] * b[0]], _first
    )


def cumulative_complex(type: str, product: bool = False) -> Scan:
    """Sums or products of complex elements arriving as ``type``."""
    part = casts.COMPLEX[type]

    def combine(a: Values, b: Values) -> Values:
        x, y = Complex(*a), Complex(*b)
        result = x * y if product else x + y
        return [result.real, result.imag]

    return Scan(
        (type,),
        (part, part),
        (1 if product else 0, 0),
        lambda xs, index: [xs[0].real, xs[0].imag],
        combine,
        lambda state: Complex(*state),
    )


def cumulative_max(type: str, index: str = "i64") -> Scan:
    """The largest so far and the last place where it is; NaN stays."""
    return _extreme(type, index, lowest(type), lambda later, best: later >= best)


def cumulative_min(type: str, index: str = "i64") -> Scan:
    return _extreme(type, index, highest(type), lambda later, best: later <= best)


def _extreme(type: str, index: str, worst: Number, beats: Callable[[Value, Value], Value]) -> Scan:
    def combine(a: Values, b: Values) -> Values:
        take = beats(b[0], a[0])
        if a[0].is_float:
            take = take | isnan(b[0])
        return [select(take, b[0], a[0]), select(take, b[1], a[1])]

    return Scan(
        (type,),
        (type, index),
        (worst, -1),
        lambda xs, place: [xs[0], place],
        combine,
        lambda state: list(state),
        index,
    )


def cumulative_log_sum_exp(
    type: str, exp: Callable[[Value], Value], log1p: Callable[[Value], Value]
) -> Scan:
    def combine(a: Values, b: Values) -> Values:
        low, high = minimum(a[0], b[0]), maximum(a[0], b[0])
        # Equal infinities would give inf - inf; their sum is either of them.
        plain = (low == high) & (abs(high) == math.inf)
        return [select(plain, high, high + log1p(exp(low - high)))]

    return Scan((type,), (type,), (-math.inf,), lambda xs, index: [xs[0]], combine, _first)


def linear_recurrence(type: str) -> Scan:
    """Every element, and the result before it times a factor of the element's own."""

    def combine(a: Values, b: Values) -> Values:
        return [a[0] * b[0], a[1] * b[0] + b[1]]

    def lift(xs: Sequence[Any], index: Value) -> Values:
        return [xs[1], xs[0]]

    return Scan((type, type), (type, type), (1, 0), lift, combine, lambda state: state[1])


def _first(state: Values) -> Value:
    return state[0]
