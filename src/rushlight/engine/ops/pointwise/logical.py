"""Truth values and bits."""

from __future__ import annotations

from typing import Any

from rushlight.engine.loops.expr import BITS, SIGNED, Value, const, select
from rushlight.engine.ops.kinds.pointwise import ALIKE, boolean, pointwise
from rushlight.engine.ops.pointwise.questions import truth

LOGICAL = {"result": boolean, "allowed": "bihfc"}


@pointwise("logical_not", **LOGICAL)
def logical_not(x: Any) -> Value:
    return ~truth(x)


@pointwise("logical_and", **LOGICAL)
def logical_and(a: Any, b: Any) -> Value:
    return truth(a) & truth(b)


@pointwise("logical_or", **LOGICAL)
def logical_or(a: Any, b: Any) -> Value:
    return truth(a) | truth(b)


@pointwise("logical_xor", **LOGICAL)
def logical_xor(a: Any, b: Any) -> Value:
    return truth(a) ^ truth(b)


@pointwise("bitwise_not", allowed="bi", exact=ALIKE)
def bitwise_not(x: Value) -> Value:
    return ~x


@pointwise("bitwise_and.Tensor", "bitwise_and.Scalar", "bitwise_and.Scalar_Tensor", allowed="biu")
def bitwise_and(a: Value, b: Value) -> Value:
    return a & b


@pointwise("bitwise_or.Tensor", "bitwise_or.Scalar", "bitwise_or.Scalar_Tensor", allowed="biu")
def bitwise_or(a: Value, b: Value) -> Value:
    return a | b


@pointwise("bitwise_xor.Tensor", "bitwise_xor.Scalar", "bitwise_xor.Scalar_Tensor", allowed="biu")
def bitwise_xor(a: Value, b: Value) -> Value:
    return a ^ b


def _out_of_range(count: Value) -> Value:
    """Whether a shift leaves no bit in place; negative ones count as long ones."""
    too_far = count >= BITS[count.type]
    return too_far | (count < 0) if count.type in SIGNED else too_far


def _shifts(name: str) -> tuple[str, ...]:
    return (f"{name}.Tensor", f"{name}.Tensor_Scalar", f"{name}.Scalar_Tensor")


@pointwise(*_shifts("bitwise_left_shift"), allowed="i", kernel="lshift_cpu")
def bitwise_left_shift(x: Value, count: Value) -> Value:
    lost = _out_of_range(count)
    zero = const(x.type, 0)
    return select(lost, zero, x << select(lost, zero, count))


@pointwise(*_shifts("bitwise_right_shift"), allowed="i", kernel="rshift_cpu")
def bitwise_right_shift(x: Value, count: Value) -> Value:
    lost = _out_of_range(count)
    last = const(x.type, BITS[x.type] - 1)
    if x.type in SIGNED:
        return x >> select(lost, last, count)
    return select(lost, const(x.type, 0), x >> select(lost, last, count))
