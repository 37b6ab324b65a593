"""What a reduction is: accumulators, how elements enter them, how they join and end.

A reduction works in blocks, so that sums of many elements stay accurate and a second look at the
data finds it in the cache. For each block every phase runs over the block's elements; its results
are collected into totals (often of a wider type), and totals of blocks are combined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Union

from rushlight.engine.loops.expr import Value, convert, maximum
from rushlight.engine.native.records import dataclass

Number = Union[bool, int, float]
Values = Sequence[Value]


@dataclass(frozen=True)
class Phase:
    """One pass over a block.

    ``step(accs, xs, index, earlier)`` gives the accumulators after one more element: ``xs`` is
    the element of each input, ``index`` its place in the block (i32), ``earlier`` the results of
    the phases before. ``combine(a, b)`` joins accumulators of different elements. ``init`` are
    the accumulators of no elements. ``close(accs, count)``, if given, makes the phase's results
    of the block's accumulators and number of elements (i64). A sum with ``cascades`` is taken in
    the order of `Cascade` where it can be.
    """

    accs: tuple[str, ...]
    init: tuple[Number, ...]
    step: Callable[[Values, Sequence[Any], Value, Values], Values]
    combine: Callable[[Values, Values], Values]
    close: Callable[[Values, Value], Values] | None = None
    cascades: bool = False


@dataclass(frozen=True)
class Reduction:
    """A whole reduction; ``params`` are the types in which steps get the inputs.

    ``collect(results, count, first)`` turns the results of all phases into totals: ``count`` is
    the number of elements in the block and ``first`` the place of its first element (both i64).
    ``finish(totals, count)`` gives the outputs, where count is that of all elements.
    ``place(totals, first)`` moves places found in a part by where it starts; it is None if totals
    hold no places.
    """

    params: tuple[str, ...]
    phases: tuple[Phase, ...]
    totals: tuple[str, ...]
    start: tuple[Number, ...]
    collect: Callable[[Values, Value, Value], Values]
    combine: Callable[[Values, Values], Values]
    finish: Callable[[Values, Value], Any]
    place: Callable[[Values, Value], Values] | None = None


def simple(
    params: Sequence[str],
    accs: Sequence[str],
    init: Sequence[Number],
    step: Callable[[Values, Sequence[Any]], Values],
    combine: Callable[[Values, Values], Values],
    finish: Callable[[Values, Value], Any],
    totals: Sequence[str] | None = None,
    cascades: bool = False,
) -> Reduction:
    """A reduction of one phase without places, whose totals are its accumulators, perhaps wider."""
    wide = tuple(totals or accs)
    return Reduction(
        params=tuple(params),
        phases=(
            Phase(
                tuple(accs),
                tuple(init),
                lambda a, xs, index, earlier: step(a, xs),
                combine,
                cascades=cascades,
            ),
        ),
        totals=wide,
        start=tuple(init),
        collect=lambda accs, count, first: [convert(a, t) for a, t in zip(accs, wide)],
        combine=combine,
        finish=finish,
    )


@lru_cache(maxsize=256)
def partial(reduction: Reduction) -> Reduction:
    """The same, with the totals themselves as outputs: for one part of a long reduction."""
    return Reduction(
        reduction.params,
        reduction.phases,
        reduction.totals,
        reduction.start,
        reduction.collect,
        reduction.combine,
        lambda totals, count: list(totals),
        reduction.place,
    )


@lru_cache(maxsize=256)
def final(reduction: Reduction) -> Reduction:
    """Reduces the totals of equal parts.

    Its inputs are the totals, then two repeated i64 numbers: the count of all elements and the
    count in each part but the last.
    """
    totals = reduction.totals
    number = len(totals)

    def collect(results: Values, count: Value, first: Value) -> Values:
        return results

    def step(accs: Values, xs: Sequence[Any], index: Value, earlier: Values) -> Values:
        found = xs[:number]
        if reduction.place:
            found = reduction.place(found, convert(index, "i64") * xs[number + 1])
        return [*reduction.combine(accs[:number], found), xs[number]]

    def combine(a: Values, b: Values) -> Values:
        joined = reduction.combine(a[:number], b[:number])
        return [*joined, maximum(a[number], b[number])]

    accs = (*totals, "i64")
    init = (*reduction.start, 0)
    return Reduction(
        params=(*totals, "i64", "i64"),
        phases=(Phase(accs, init, step, combine),),
        totals=accs,
        start=init,
        collect=collect,
        combine=combine,
        finish=lambda found, count: reduction.finish(found[:number], found[number]),
    )
