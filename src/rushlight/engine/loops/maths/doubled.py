"""Arithmetic on unevaluated sums of two values, and polynomials.

A pair ``(high, low)`` holds about twice the precision of its type. The pairs here are normalised
where it is said: ``high`` is then the rounded sum.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.loops.casts import INTEGER, MAGIC
from rushlight.engine.loops.expr import Operand, Value, bitcast, const, fma, select

Pair = tuple[Value, Value]


def polynomial(x: Value, coefficients: Sequence[float]) -> Value:
    """The polynomial with these coefficients, lowest power first, by Horner's rule."""
    total = const(x.type, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = fma(total, x, c)
    return total


def two_sum(a: Value, b: Operand) -> Pair:
    """``a + b`` exactly, normalised."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def fast_two_sum(a: Operand, b: Value) -> Pair:
    """``a + b`` exactly, normalised, where ``|a| >= |b|`` or ``a`` is zero."""
    total = a + b
    return total, b - (total - a)


def two_product(a: Value, b: Operand) -> Pair:
    """``a * b`` exactly (short of underflow), normalised."""
    product = a * b
    return product, fma(a, b, -product)


def add_pairs(a: Pair, b: Pair) -> Pair:
    high, low = two_sum(a[0], b[0])
    return fast_two_sum(high, low + (a[1] + b[1]))


def multiply_pairs(a: Pair, b: Pair) -> Pair:
    high, low = two_product(a[0], b[0])
    return fast_two_sum(high, fma(a[0], b[1], fma(a[1], b[0], low)))


def divide_pairs(a: Pair, b: Pair) -> Pair:
    inverse = 1 / b[0]
    high = a[0] * inverse
    rest = fma(-high, b[0], a[0]) + (a[1] - high * b[1])
    return fast_two_sum(high, rest * inverse)


def nearest_integer(x: Value, scale: float = 1.0) -> tuple[Value, Value]:
    """The integer next to ``x * scale`` (a small number), as a float and as an integer.

    Adding 1.5 * 2^(mantissa bits) leaves the integer in the low bits: no conversion instruction,
    and NaN needs no care.
    """
    magic, bits = MAGIC[x.type]
    moved = x + magic if scale == 1.0 else fma(x, scale, magic)
    return moved - magic, bitcast(moved, INTEGER[x.type]) - bits


def clamp(x: Value, low: float, high: float) -> Value:
    """``x`` kept within the bounds; NaN stays NaN."""
    x = select(x < low, const(x.type, low), x)
    return select(x > high, const(x.type, high), x)
