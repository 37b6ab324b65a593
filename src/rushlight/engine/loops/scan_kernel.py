"""Scan kernels (cumulative sums and their like): dim 0 is scanned, dim 1 is kept.

Along a contiguous row, a vector is scanned in log2 steps, each joining every lane with one some
lanes before it; what came before the vector joins last, so only one operation depends on the
previous vector. Where the kept dimension is contiguous, each lane scans a row of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rushlight.engine.loops import casts
from rushlight.engine.loops.expr import (
    Complex,
    Value,
    arg,
    isnan,
    maximum,
    minimum,
    select,
)
from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.ir_text import llvm_type, splat, vector
from rushlight.engine.loops.llvm_text import Program, broadcast
from rushlight.engine.loops.reduction import Number, Values
from rushlight.engine.loops.reductions import highest, lowest
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.vector_memory import Lanes, Operand, clamped, partial_mask
from rushlight.engine.native.lowlevel import Text

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
    target = target or host_target()
    operands = [Operand(m, x) for m, x in zip([*outs, *ins], inner, strict=True)]
    for operand in operands[: len(outs)]:
        operand.letter = operand.letter.replace("s", "g")
    return _Kernel(scan, operands[: len(outs)], operands[len(outs) :], target, kept).text.module()


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
        kept: bool,
    ) -> None:
        self.scan = scan
        self.outs = outs
        self.ins = ins
        self.text = Text()
        self.frame = Frame(self.text, len(outs) + len(ins), 2)
        self.programs = ScanPrograms(
            scan, [o.memory for o in outs], [o.memory for o in ins], target
        )
        operands = [*outs, *ins]
        # Outputs may be wider than the state: then a vector is stored in pieces.
        programs = (self.programs.lift, self.programs.combine)
        widest = max(*(p.widest for p in programs), *(o.part_bytes for o in ins))
        self.lanes = max(1, target.vector_bytes // widest)
        self.masked = target.masks and all(o.letter in "cs" or o.gathers for o in operands)
        if kept:
            self._columns()
        else:
            if any(o.letter == "g" for o in operands):
                self.lanes = 1
            self.text.loop("0", self.frame.size[1], 1, self._row)

    def _print(self, program: Program, lanes: int, *groups: Sequence[str]) -> list[str]:
        names = [name for group in groups for name in group]
        return program.print(self.text, lanes, dict(enumerate(names)))

    def _identity(self, lanes: int) -> list[str]:
        return [splat(t, v, lanes) for t, v in zip(self.scan.state, self.scan.init, strict=True)]

    def _carried(self, values: Sequence[str], lanes: int) -> list[tuple[str, str]]:
        types = self.scan.state * (len(values) // len(self.scan.state))
        return [(vector(lanes, llvm_type(t)), v) for t, v in zip(types, values, strict=True)]

    def _lift(self, index: str, place: str, lanes: int, which: Lanes, along: bool) -> list[str]:
        text = self.text
        parts = [p for x in self.ins for p in x.load(text, index, lanes, which)]
        position = ""
        if self.programs.indexed:
            kind = self.scan.index
            if kind == "i32":
                place = text.let(f"trunc i64 {place} to i32")
            position = broadcast(text, kind, place, lanes)
            if along and lanes > 1:
                order = ", ".join(f"{kind} {k}" for k in range(lanes))
                position = text.let(f"add <{lanes} x {kind}> {position}, <{order}>")
        return self._print(self.programs.lift, lanes, parts, [position])

    def _store(self, state: list[str], index: str, lanes: int, which: Lanes) -> None:
        results = self._print(self.programs.emit, lanes, state)
        for out in self.outs:
            mine, results = results[: out.parts], results[out.parts :]
            out.store(self.text, mine, index, lanes, which)

    # -- rows --
    def _row(self, outer: str, _: list[str]) -> list[str]:
        text, lanes = self.text, self.lanes
        size = self.frame.size[0]
        for k, operand in enumerate([*self.outs, *self.ins]):
            operand.pointer = self.frame.at(k, 1, outer)
            operand.stride = self.frame.stride[0][k]
            if operand.letter == "s" and lanes > 1:
                operand.load_repeated(text, lanes)
        begin, state = "0", self._identity(lanes)
        if lanes > 1:
            stop = text.let(f"sub i64 {size}, {lanes - 1}")
            begin, state = text.loop(
                "0", stop, lanes, lambda i, s: self._vector(i, s, None), self._carried(state, lanes)
            )
            if self.masked:
                left = text.let(f"sub i64 {size}, {begin}")
                some = text.let(f"icmp sgt i64 {left}, 0")

                def rest() -> list[str]:
                    self._vector(begin, state, partial_mask(text, lanes, left))
                    return []

                text.when(some, rest, list)
                return []
            state = [
                text.let(f"extractelement {vector(lanes, llvm_type(t))} {s}, i32 0")
                for t, s in zip(self.scan.state, state, strict=True)
            ]
        for operand in self.ins:
            if operand.letter == "s":
                operand.load_repeated(text, 1)

        def one(index: str, before: list[str]) -> list[str]:
            lifted = self._lift(index, index, 1, None, True)
            after = self._print(self.programs.combine, 1, before, lifted)
            self._store(after, index, 1, None)
            return after

        text.loop(begin, size, 1, one, self._carried(state, 1))
        return []

    def _vector(self, index: str, before: list[str], which: Lanes) -> list[str]:
        """Scan one vector; the state after it, in every lane."""
        lanes = self.lanes
        state = self._lift(index, index, lanes, which, True)
        distance = 1
        while distance < lanes:
            # The first lanes wrap around and are put back: cheaper than shifting in identities.
            wrapped = self._shuffle(state, [(k - distance) % lanes for k in range(lanes)])
            joined = self._print(self.programs.combine, lanes, wrapped, state)
            state = self._beyond(distance, joined, state)
            distance *= 2
        whole = self._shuffle(state, [lanes - 1] * lanes)
        self._store(self._print(self.programs.combine, lanes, before, state), index, lanes, which)
        return self._print(self.programs.combine, lanes, before, whole)

    def _shuffle(self, state: list[str], order: list[int]) -> list[str]:
        written = ", ".join(f"i32 {k}" for k in order)
        names = []
        for type, x in zip(self.scan.state, state, strict=True):
            whole = vector(self.lanes, llvm_type(type))
            names.append(
                self.text.let(
                    f"shufflevector {whole} {x}, {whole} poison, <{self.lanes} x i32> <{written}>"
                )
            )
        return names

    def _beyond(self, distance: int, new: list[str], old: list[str]) -> list[str]:
        """``new`` in the lanes from ``distance`` on, ``old`` in those before."""
        bits = ", ".join("i1 " + ("true" if k >= distance else "false") for k in range(self.lanes))
        names = []
        for type, a, b in zip(self.scan.state, new, old, strict=True):
            whole = vector(self.lanes, llvm_type(type))
            names.append(
                self.text.let(f"select <{self.lanes} x i1> <{bits}>, {whole} {a}, {whole} {b}")
            )
        return names

    # -- columns --
    def _columns(self) -> None:
        text, lanes, columns = self.text, self.lanes, self.frame.size[1]
        if any(o.letter == "g" for o in [*self.outs, *self.ins]):
            lanes = self.lanes = min(lanes, 16)
        strip = max(1, STRIP // len(self.scan.state)) if self.programs.combine.cost <= 8 else 1
        stop = text.let(f"sub i64 {columns}, {strip * lanes - 1}")
        start, _ = text.loop("0", stop, strip * lanes, lambda c, _: self._strip(c, strip, None))
        last = text.let(f"sub i64 {columns}, 1")

        def rest(column: str, _: list[str]) -> list[str]:
            if lanes == 1:
                return self._strip(column, 1, None)
            if self.masked:
                left = text.let(f"sub i64 {columns}, {column}")
                return self._strip(column, 1, partial_mask(text, lanes, left))
            return self._strip(column, 1, clamped(text, lanes, column, last))

        text.loop(start, columns, lanes, rest)

    def _strip(self, column: str, width: int, which: Lanes) -> list[str]:
        text, lanes, size = self.text, self.lanes, len(self.scan.state)
        columns = [
            text.let(f"add i64 {column}, {k * lanes}") if k else column for k in range(width)
        ]

        def down(i: str, values: list[str]) -> list[str]:
            for k, operand in enumerate([*self.outs, *self.ins]):
                operand.pointer = self.frame.at(k, 0, i)
                operand.stride = self.frame.stride[1][k]
                if operand.letter == "s":
                    operand.load_repeated(text, lanes)
            new: list[str] = []
            for k, here in enumerate(columns):
                lifted = self._lift(here, i, lanes, which, False)
                old = values[k * size : (k + 1) * size]
                state = self._print(self.programs.combine, lanes, old, lifted)
                self._store(state, here, lanes, which)
                new += state
            return new

        carried = self._carried(self._identity(lanes) * width, lanes)
        text.loop("0", self.frame.size[0], 1, down, carried)
        return []


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
