"""The exact floating-point remainder as a helper function: a loop over all lanes at once."""

from __future__ import annotations

from rushlight.engine.loops.ir_text import llvm_type
from rushlight.engine.native.lowlevel import (
    Mask,
    Text,
    Value,
    Vector,
    bits_as,
    extended,
    inlined,
    intrinsic,
    multiply_add,
    narrowed,
    select,
    vector_of,
)
from rushlight.engine.native.lowlevel.text import writing
from rushlight.engine.native.lowlevel.values import spelled


def remainder_function(outer: Text, name: str, kind: str, lanes: int, fma: bool) -> str:
    """A helper function: while |a| >= |b|, a -= trunc(a / b * 2^-k) * 2^k * b, each step exact.

    ``k`` keeps the quotient within the significand, so the product and the difference are exact
    with fma; without it f32 is computed in f64, where the product always fits.
    """
    remainder = _Remainder(kind, lanes, fma)
    text = Text(outer)
    a, b = Value(remainder.whole, "%a"), Value(remainder.whole, "%b")
    with writing(text):
        result = remainder.of(a, b)
    head = f"define internal {remainder.whole} @{name}({a}, {b}) noinline"
    return text.function(head, f"ret {result}")


class _Remainder:
    def __init__(self, kind: str, lanes: int, fma: bool) -> None:
        self.kind = kind
        self.lanes = lanes
        self.fma = fma
        self.whole = vector_of(lanes, llvm_type(kind))
        self.integers = vector_of(lanes, "i32" if kind == "f32" else "i64")
        self.exponent = {"f32": 0x7F800000, "f64": 0x7FF0000000000000}[kind]
        self.biggest = {"f32": 2.0**127, "f64": 2.0**1023}[kind]
        # With the divisor scaled up so that quotients stay below 2 * limit, every one is exact.
        self.limit = {"f32": 2.0**22, "f64": 2.0**51}[kind]

    @inlined
    def of(self, x: Vector, y: Vector) -> Vector:
        rest, b = self.call("fabs", x), self.call("fabs", y)
        is_defined = (rest < float("inf")) & (b > 0.0)
        while True:
            is_active = (rest >= b) & is_defined
            if not self.any_lane(is_active):
                break
            divisor = self.scaled(rest * (1 / self.limit), b)
            reduced = self.reduced(rest, divisor)
            # The quotient may have been rounded up to the next integer: one divisor goes back.
            fixed = select(reduced < 0.0, reduced + divisor, reduced)
            rest = select(is_active, fixed, rest)
        # A NaN divisor is not usable either, so every undefined case is NaN already.
        return self.call("copysign", select(is_defined, rest, float("nan")), x)

    def scaled(self, stop: Vector, b: Vector) -> Vector:
        """The divisor times the largest power of two not above ``stop`` / b, and at least 1.

        In two steps, since that power itself may overflow.
        """
        divisor = b
        for _ in range(2):
            ratio = stop / divisor
            ratio = select(ratio > self.biggest, self.biggest, ratio)
            ratio = select(ratio >= 1.0, ratio, 1.0)
            power = bits_as(ratio, self.integers) & self.exponent
            divisor = divisor * bits_as(power, self.whole)
        return divisor

    def reduced(self, rest: Vector, divisor: Vector) -> Vector:
        """The rest less the whole quotient times the divisor, exactly."""
        quotient = self.call("trunc", rest / divisor)
        if self.fma:
            return multiply_add(-quotient, divisor, rest)
        if self.kind == "f64":
            return rest - quotient * divisor
        wide = vector_of(self.lanes, "double")
        q, d, r = (extended(x, wide) for x in (quotient, divisor, rest))
        return narrowed(r - q * d, self.whole)

    def call(self, name: str, *operands: Vector) -> Vector:
        return intrinsic(self.whole, f"llvm.{name}.{spelled(self.whole)}", *operands)

    def any_lane(self, mask: Mask) -> Mask:
        if self.lanes == 1:
            return mask
        return intrinsic("i1", f"llvm.vector.reduce.or.{spelled(mask.kind)}", mask)
