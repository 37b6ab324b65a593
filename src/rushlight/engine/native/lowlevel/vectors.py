"""Words of the language for vectors: lanes, masks, squares of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.native.lowlevel.numbers import intrinsic, maximum
from rushlight.engine.native.lowlevel.text import here
from rushlight.engine.native.lowlevel.values import (
    Value,
    let,
    lifted,
    literal,
    scalar_of,
    spelled,
    vector_of,
)


def unroll(count: int) -> range:
    """Indices of a loop whose body is repeated in the code; each index is a constant."""
    return range(count)


def registers(count: int, value: Any) -> list[Any]:
    """So many values of one kind, which have constant indices. Assigning an element makes a new list."""
    return [value] * count


def broadcast(value: Any, lanes: int) -> Any:
    """The same element in every lane."""
    one = lifted(value)
    if lanes == 1:
        return one
    kind = vector_of(lanes, one.kind)
    first = let(kind, f"insertelement {kind} poison, {one}, i64 0")
    order = f"<{lanes} x i32> zeroinitializer"
    return let(kind, f"shufflevector {first}, {kind} poison, {order}")


def lanes_from(values: Sequence[Any], scalar: str) -> Value:
    """A vector of constants."""
    written = ", ".join(f"{scalar} {literal(scalar, x)}" for x in values)
    return Value(vector_of(len(values), scalar), f"<{written}>")


def shuffle(a: Value, order: Sequence[int], b: Value | None = None) -> Any:
    """The lanes of one vector, or of two one behind the other, in another order."""
    other = "poison" if b is None else b.name
    written = ", ".join(f"i32 {lane}" for lane in order)
    kind = vector_of(len(order), scalar_of(a.kind))
    return let(kind, f"shufflevector {a}, {a.kind} {other}, <{len(order)} x i32> <{written}>")


def lane(vector: Value, number: int) -> Any:
    """One lane of a vector."""
    return let(scalar_of(vector.kind), f"extractelement {vector}, i32 {number}")


def put_lane(vector: Value | None, number: int, element: Value, lanes: int) -> Any:
    """A vector with another element in one lane; none is one whose lanes are yet to come."""
    kind = vector_of(lanes, element.kind)
    before = f"{kind} poison" if vector is None else repr(vector)
    return let(kind, f"insertelement {before}, {element}, i32 {number}")


def lane_mask(count: Any, lanes: int) -> Any:
    """True in the first ``count`` lanes."""
    name = f"llvm.get.active.lane.mask.v{lanes}i1.i64"
    return intrinsic(f"<{lanes} x i1>", name, 0, lifted(count, "i64"))


def first_lanes(count: Any, lanes: int) -> Any:
    """The same where the count may be negative: then it holds nowhere."""
    return lane_mask(maximum(count, 0), lanes)


def transpose(rows: Sequence[Value]) -> list[Any]:
    """A square of vectors, turned around by exchanging blocks of halving size."""
    rows, side = list(rows), len(rows)
    half = side // 2
    while half:
        turned = list(rows)
        first = [k if not k & half else side + k - half for k in range(side)]
        second = [k + half if not k & half else side + k for k in range(side)]
        for k in range(side):
            if not k & half:
                turned[k] = shuffle(rows[k], first, rows[k + half])
                turned[k + half] = shuffle(rows[k], second, rows[k + half])
        rows, half = turned, half // 2
    return rows


def sum_of_lanes(vector: Value) -> Any:
    """The sum of all lanes, in whatever order is fastest."""
    scalar = scalar_of(vector.kind)
    name = f"llvm.vector.reduce.fadd.{spelled(vector.kind)}"
    operands = [(scalar, literal(scalar, 0.0)), (vector.kind, vector.name)]
    return Value(scalar, here().call(scalar, name, *operands, flags="reassoc"))
