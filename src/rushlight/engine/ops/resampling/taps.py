"""Which old elements make up each new one along a dimension, and how much each counts.

The tables are computed by position, so calls with ever new sizes need nothing but other numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.expr import (
    Value,
    bitcast,
    const,
    convert,
    floor,
    maximum,
    minimum,
    select,
)
from rushlight.engine.loops.plan import Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.ops.creation.positions import by_position
from rushlight.engine.ops.kinds.elementwise import Constant


class Filter(NamedTuple):
    """How a new element is made of its neighbours.

    Args:
        first: where the first one lies, counted from the old element before the new one
        weights: what each counts, given how far behind that element the new one lies
        copies: whether new elements before the first old one lie on it, and a length that stays
            the same is copied whatever the factor was
    """

    first: int
    weights: Callable[[Value], list[Value]]
    copies: bool

    @property
    def taps(self) -> int:
        return len(self.weights(const("f64", 0.5)))


def _cubic_weights(t: Value) -> list[Value]:
    a = -0.75

    def near(x: Value) -> Value:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Value) -> Value:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


LINEAR = Filter(0, lambda t: [1 - t, t], True)
CUBIC = Filter(-1, _cubic_weights, False)


class Line(NamedTuple):
    """One dimension of an image, and what becomes of it.

    Args:
        old: how long it is
        new: how long it becomes
        factor: how many times as long, if a program says so
        align_corners: whether first and last elements stay where they are
    """

    old: Any
    new: Any
    factor: float | None = None
    align_corners: bool = False

    @property
    def kind(self) -> tuple[bool, bool]:
        """What kernels know of it; the lengths and the factor they are given."""
        return bool(self.factor), self.align_corners

    @property
    def values(self) -> list[Constant]:
        bits = struct.unpack("<q", struct.pack("<d", self.factor or 0.0))[0]
        return [Constant(x, "i64") for x in (self.old, self.new, bits)]


def _source(i: Value, kind: tuple[bool, bool], old: Value, new: Value, factor: Value) -> Value:
    """Where a new element lies among the old ones; all are whole numbers in f64 but the factor."""
    has_factor, align_corners = kind
    if align_corners:
        return i * select(new > 1, (old - 1) / maximum(new - 1, 1), const("f64", 0))
    step = 1 / factor if has_factor else old / new
    return (i + 0.5) * step - 0.5


def _tap_of(p: Value, filter: Filter, kind: tuple[bool, bool], given: tuple[Value, ...]) -> Any:
    """Of a place in a table the tap; the old element before the new one, and how far behind it that lies."""
    old, new = (convert(x, "f64") for x in given[:2])
    place = convert(p, "f64")
    tap = floor(place / new)
    i = place - tap * new
    at = _source(i, kind, old, new, bitcast(given[2], "f64"))
    if filter.copies:
        at = select(old == new, i, maximum(at, 0))
    first = floor(at)
    return tap, first, at - first, old


def places(line: Line, filter: Filter) -> Tensor:
    """The old elements: a row for each tap."""
    kind = line.kind

    def place(p: Value, *given: Value) -> Value:
        tap, before, _, old = _tap_of(p, filter, kind, given)
        return convert(minimum(maximum(before + filter.first + tap, 0), old - 1), "i64")

    size = (filter.taps, line.new)
    return _table(("places", filter, line), size, dtypes.int64, place, line)


def factors(line: Line, filter: Filter, type: dtype, dims: int) -> Tensor:
    """What they are multiplied by: a row for each tap, with dimensions of size 1 behind.

    Args:
        type: that of the factors
        dims: how many dimensions of the image begin with this one
    """
    kind = line.kind

    def factor(p: Value, *given: Value) -> Value:
        tap, _, behind, _ = _tap_of(p, filter, kind, given)
        found, *others = filter.weights(behind)
        for k, weight in enumerate(others, 1):
            found = select(tap == k, weight, found)
        return found

    size = (filter.taps, line.new, *[1] * (dims - 1))
    return _table(("factors", filter, line, type, dims), size, type, factor, line)


def nearest(line: Line, is_exact: bool) -> Tensor:
    """The old element for each new one, in single precision, as in PyTorch."""
    has_factor = bool(line.factor)

    def place(p: Value, *given: Value) -> Value:
        old, new = (convert(x, "f32") for x in given[:2])
        factor = bitcast(given[2], "f64")
        step = convert(1 / factor, "f32") if has_factor else old / new
        if is_exact:
            at = convert((convert(p, "f64") + 0.5) * convert(step, "f64"), "f32")
        else:
            at = convert(p, "f32") * step
        return minimum(convert(floor(at), "i64"), given[0] - 1)

    return _table(("nearest", line, is_exact), (line.new,), dtypes.int64, place, line)


def multiples(line: Line) -> Tensor:
    """The old element for each new one of a dimension that keeps its length or doubles it."""

    def place(p: Value, *given: Value) -> Value:
        return convert(floor(convert(p * given[0], "f64") / convert(given[1], "f64")), "i64")

    return _table(("multiples", line), (line.new,), dtypes.int64, place, line)


_plans = PlanTable()


def _table(
    key: Any, size: tuple[Any, ...], kind: dtype, body: Callable[..., Value], line: Line
) -> Tensor:
    plan = _plans.get(key)
    if plan is None:
        target = tensors.template_for(sizes.intern(size), kind)
        chain, scratch = by_position(target, body, line.values, "i64")
        plan = _plans[key] = Plan(chain, [target, *scratch], len(scratch))
    return steps.Produced.note(plan, (), plan.produce())  # type: ignore[no-any-return]
