"""The reductions of the library, as records for `reduce_ir`.

Each function takes the type in which elements arrive. Sums of f32 total their blocks in f64, which
costs nothing and keeps the error of any length near that of one block.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any

from rushlight.engine.loops.expr import (
    BITS,
    FLOATS,
    SIGNED,
    Value,
    bitcast,
    convert,
    fma,
    isnan,
    maximum,
    minimum,
    select,
    sqrt,
)
from rushlight.engine.loops.reduction import Phase, Reduction, Values, simple

Finish = Callable[[Values, Value], Any]


def lowest(type: str) -> float | int | bool:
    """The value that no other is below."""
    if type in FLOATS:
        return -math.inf
    return -(2 ** (BITS[type] - 1)) if type in SIGNED else 0


def highest(type: str) -> float | int | bool:
    """The value that no other is above."""
    if type in FLOATS:
        return math.inf
    return 2 ** (BITS[type] - (type in SIGNED)) - 1


def total_type(type: str) -> str:
    """The type in which sums of blocks are added."""
    return "f64" if type in FLOATS else "i64"


def sum_type(memory: str) -> str:
    """The type in which a sum should get its elements: as narrow as a block's sum allows."""
    if memory in ("f16", "bf16", "f32") or memory.startswith("f8"):
        return "f32"
    if memory in ("bool", "i8", "u8", "i16", "u16"):
        return "i32"
    return "f64" if memory == "f64" else "i64"


def _first(totals: Values, count: Value) -> Value:
    return totals[0]


@lru_cache(maxsize=256)
def exclusive_or_of(type: str) -> Reduction:
    """The exclusive or of the elements' 64 bits."""
    return simple(
        [type],
        ["u64"],
        [0],
        lambda accs, xs: [accs[0] ^ (xs[0] if type == "u64" else bitcast(xs[0], "u64"))],
        lambda a, b: [a[0] ^ b[0]],
        _first,
    )


@lru_cache(maxsize=256)
def sum_of(
    type: str,
    term: Callable[[Value], Value] | None = None,
    finish: Finish = _first,
    cascades: bool = False,
) -> Reduction:
    """The sum of the elements, or of ``term`` of each."""
    return simple(
        [type],
        [type],
        [0],
        lambda accs, xs: [accs[0] + (term(xs[0]) if term else xs[0])],
        lambda a, b: [a[0] + b[0]],
        finish,
        [total_type(type)],
        cascades and type in FLOATS,
    )


@cache
def complex_sum_of(type: str) -> Reduction:
    """The sum of complex elements of a complex memory type."""
    from rushlight.engine.loops.casts import COMPLEX
    from rushlight.engine.loops.expr import Complex

    part = "f64" if COMPLEX[type] == "f64" else "f32"
    return simple(
        ["c128" if part == "f64" else "c64"],
        [part] * 2,
        [0, 0],
        lambda accs, xs: [accs[0] + xs[0].real, accs[1] + xs[0].imag],
        lambda a, b: [x + y for x, y in zip(a, b)],
        lambda totals, count: Complex(*totals),
        ["f64"] * 2,
    )


@cache
def mean_of(type: str) -> Reduction:
    return sum_of(type, None, lambda totals, count: totals[0] / convert(count, "f64"), True)


@cache
def nansum_of(type: str) -> Reduction:
    return sum_of(
        type, lambda x: select(isnan(x), 0 * x if x.is_int else _zero(x), x), cascades=True
    )


def _zero(x: Value) -> Value:
    from rushlight.engine.loops.expr import const

    return const(x.type, 0)


@cache
def product_of(type: str) -> Reduction:
    return simple(
        [type],
        [type],
        [1],
        lambda accs, xs: [accs[0] * xs[0]],
        lambda a, b: [a[0] * b[0]],
        _first,
        [total_type(type)],
    )


@cache
def count_nonzero() -> Reduction:
    """How many elements, arriving as bool, are true."""
    return simple(
        ["bool"],
        ["i32"],
        [0],
        lambda accs, xs: [accs[0] + convert(xs[0], "i32")],
        lambda a, b: [a[0] + b[0]],
        _first,
        ["i64"],
    )


@cache
def any_of() -> Reduction:
    return simple(
        ["bool"], ["bool"], [False],
        lambda accs, xs: [accs[0] | xs[0]], lambda a, b: [a[0] | b[0]], _first,
    )  # fmt: skip


@cache
def all_of() -> Reduction:
    return simple(
        ["bool"], ["bool"], [True],
        lambda accs, xs: [accs[0] & xs[0]], lambda a, b: [a[0] & b[0]], _first,
    )  # fmt: skip


@cache
def max_of(type: str) -> Reduction:
    return simple(
        [type], [type], [lowest(type)],
        lambda accs, xs: [maximum(accs[0], xs[0])],
        lambda a, b: [maximum(a[0], b[0])], _first,
    )  # fmt: skip


@cache
def min_of(type: str) -> Reduction:
    return simple(
        [type], [type], [highest(type)],
        lambda accs, xs: [minimum(accs[0], xs[0])],
        lambda a, b: [minimum(a[0], b[0])], _first,
    )  # fmt: skip


@cache
def min_and_max_of(type: str) -> Reduction:
    """Both, in this order."""

    def join(a: Values, b: Values) -> Values:
        return [minimum(a[0], b[0]), maximum(a[1], b[1])]

    return simple(
        [type],
        [type] * 2,
        [highest(type), lowest(type)],
        lambda accs, xs: join(accs, [xs[0], xs[0]]),
        join,
        lambda totals, count: list(totals),
    )


@cache
def max_with_place(type: str) -> Reduction:
    """The largest element and the place of the first of them; a NaN wins."""
    return _extreme_with_place(type, lowest(type), lambda a, b: a > b)


@cache
def min_with_place(type: str) -> Reduction:
    """The smallest element and the place of the first of them; a NaN wins."""
    return _extreme_with_place(type, highest(type), lambda a, b: a < b)


def _extreme_with_place(
    type: str, worst: float | int | bool, better: Callable[[Value, Value], Value]
) -> Reduction:
    def beats(x: Value, best: Value) -> Value:
        if not x.is_float:
            return better(x, best)
        return better(x, best) | (isnan(x) & ~isnan(best))

    def step(accs: Values, xs: Sequence[Any], index: Value, earlier: Values) -> Values:
        # An element equal to the worst value never enters, but then place 0 is as good.
        take = beats(xs[0], accs[0])
        return [select(take, xs[0], accs[0]), select(take, index, accs[1])]

    def combine(a: Values, b: Values) -> Values:
        tie = a[0] == b[0]
        if a[0].is_float:
            tie = tie | (isnan(a[0]) & isnan(b[0]))
        take = beats(b[0], a[0]) | (tie & (b[1] < a[1]))
        return [select(take, b[0], a[0]), select(take, b[1], a[1])]

    def place(totals: Values, first: Value) -> Values:
        return [totals[0], totals[1] + first]

    return Reduction(
        params=(type,),
        phases=(Phase((type, "i32"), (worst, 0), step, combine),),
        totals=(type, "i64"),
        # The place of no elements loses every tie.
        start=(worst, 2**63 - 1),
        collect=lambda accs, count, first: [accs[0], convert(accs[1], "i64") + first],
        combine=combine,
        finish=lambda totals, count: list(totals),
        place=place,
    )


@cache
def place_of_max(type: str) -> Reduction:
    return _second_only(max_with_place(type))


@cache
def place_of_min(type: str) -> Reduction:
    return _second_only(min_with_place(type))


def _second_only(both: Reduction) -> Reduction:
    return Reduction(
        both.params, both.phases, both.totals, both.start, both.collect, both.combine,
        lambda totals, count: totals[1], both.place,
    )  # fmt: skip


def norm_of(type: str, power: float, raise_to: Callable[[Value, float], Value] | None = None):
    """The vector norm of a power; ``raise_to(x, p)`` is needed where it is not 0, 1, 2 or inf."""
    if power == 0:
        return sum_of(type, lambda x: convert(x != 0, type))
    if power == 1:
        return sum_of(type, abs)
    if power == 2:
        return sum_of(type, lambda x: x * x, lambda totals, count: sqrt(totals[0]))
    if abs(power) == math.inf:
        extreme, start = (maximum, 0.0) if power > 0 else (minimum, math.inf)
        return simple(
            [type], [type], [start],
            lambda accs, xs: [extreme(accs[0], abs(xs[0]))],
            lambda a, b: [extreme(a[0], b[0])], _first,
        )  # fmt: skip
    assert raise_to is not None
    return sum_of(
        type,
        lambda x: raise_to(abs(x), power),
        lambda totals, count: raise_to(totals[0], 1 / power),
    )


def variance_of(type: str, finish: Finish) -> Reduction:
    """Mean and squared deviations: ``finish`` gets ``[count, mean, deviations]`` in f64.

    A block's mean is found first and deviations from it are summed in a second look, so there is
    no cancellation; blocks are joined as Chan, Golub and LeVeque describe.
    """

    def add(a: Values, b: Values) -> Values:
        return [x + y for x, y in zip(a, b)]

    def total(accs: Values, xs: Sequence[Any], index: Value, earlier: Values) -> Values:
        return [accs[0] + xs[0]]

    def mean_of_block(accs: Values, count: Value) -> Values:
        return [accs[0] / convert(count, type)]

    def deviation(accs: Values, xs: Sequence[Any], index: Value, earlier: Values) -> Values:
        off = xs[0] - earlier[0]
        return [accs[0] + off, fma(off, off, accs[1])]

    def collect(results: Values, count: Value, first: Value) -> Values:
        # The mean of a block was rounded: its deviations say by how much.
        number = convert(count, "f64")
        mean, off, squares = (convert(x, "f64") for x in results)
        slip = off / number
        return [number, mean + slip, squares - off * slip]

    def combine(a: Values, b: Values) -> Values:
        count = a[0] + b[0]
        share = select(count == 0, count, b[0] / count)
        distance = b[1] - a[1]
        mean = fma(distance, share, a[1])
        return [count, mean, a[2] + b[2] + distance * distance * a[0] * share]

    return Reduction(
        params=(type,),
        phases=(
            Phase((type,), (0,), total, add, mean_of_block),
            Phase((type, type), (0, 0), deviation, add),
        ),
        totals=("f64", "f64", "f64"),
        start=(0, 0, 0),
        collect=collect,
        combine=combine,
        finish=finish,
    )


def log_sum_exp(
    type: str, exp: Callable[[Value], Value], log: Callable[[Value], Value]
) -> Reduction:
    """The logarithm of the sum of exponentials, scaled by the largest element."""

    def largest(accs: Values, xs: Sequence[Any], index: Value, earlier: Values) -> Values:
        return [maximum(accs[0], xs[0])]

    def scaled(accs: Values, xs: Sequence[Any], index: Value, earlier: Values) -> Values:
        return [accs[0] + exp(xs[0] - _finite(earlier[0]))]

    def combine(a: Values, b: Values) -> Values:
        top = maximum(a[0], b[0])
        shift = _finite(top)
        joined = a[1] * exp(a[0] - shift) + b[1] * exp(b[0] - shift)
        return [top, joined]

    def collect(results: Values, count: Value, first: Value) -> Values:
        return list(results)

    return Reduction(
        params=(type,),
        phases=(
            Phase((type,), (-math.inf,), largest, lambda a, b: [maximum(a[0], b[0])]),
            Phase((type,), (0,), scaled, lambda a, b: [a[0] + b[0]]),
        ),
        totals=(type, type),
        start=(-math.inf, 0),
        collect=collect,
        combine=combine,
        finish=lambda totals, count: log(totals[1]) + _finite(totals[0]),
    )


def _finite(x: Value) -> Value:
    """The shift by a maximum: none if it is infinite, so that inf - inf does not appear."""
    return select(abs(x) == math.inf, _zero(x), x)
