"""Integer division with Python's signs, gcd and lcm.

The machine traps on a zero divisor and on the smallest number over -1, so neither reaches it:
a zero divisor counts as one here, and whoever must report it looks beforehand.
"""

from __future__ import annotations

from rushlight.engine.loops.expr import (
    BITS,
    UNSIGNED,
    Value,
    bitcast,
    clz,
    const,
    convert,
    minimum,
    select,
)


def _safe(x: Value, y: Value) -> Value:
    if y.type in UNSIGNED:
        return select(y == 0, const(y.type, 1), y)
    return select((y == 0) | (y == -1), const(y.type, 1), y)


def truncated_divide(x: Value, y: Value) -> Value:
    """The quotient rounded towards zero; it wraps."""
    quotient = x / _safe(x, y)
    return quotient if y.type in UNSIGNED else select(y == -1, -x, quotient)


def truncated_remainder(x: Value, y: Value) -> Value:
    """What `truncated_divide` leaves, with the dividend's sign."""
    return x % _safe(x, y)


def floor_divide(x: Value, y: Value) -> Value:
    """The quotient rounded down, as Python's ``//``; it wraps."""
    quotient = truncated_divide(x, y)
    if y.type in UNSIGNED:
        return quotient
    rest = truncated_remainder(x, y)
    return select((rest != 0) & ((rest ^ y) < 0), quotient - 1, quotient)


def remainder(x: Value, y: Value) -> Value:
    """What `floor_divide` leaves, with the divisor's sign, as Python's ``%``."""
    rest = truncated_remainder(x, y)
    if y.type in UNSIGNED:
        return rest
    return select((rest != 0) & ((rest ^ y) < 0), rest + y, rest)


def _trailing_zeros(x: Value) -> Value:
    """Of an unsigned number; as many as the width, less one, for zero."""
    lowest = x & (~x + 1)
    zeros = const(x.type, BITS[x.type] - 1) - clz(lowest)
    return select(x == 0, const(x.type, BITS[x.type] - 1), zeros)


def gcd(x: Value, y: Value) -> Value:
    """The greatest common divisor, not negative, by halving and subtracting.

    Each round takes a bit off the larger number at least, so their number is fixed.
    """
    unsigned = "u" + str(BITS[x.type])
    a, b = bitcast(abs(x), unsigned), bitcast(abs(y), unsigned)
    shared = _trailing_zeros(a | b)
    total = a | b
    either_zero = (a == 0) | (b == 0)
    a, b = a >> _trailing_zeros(a), b >> _trailing_zeros(b)
    for _ in range(2 * BITS[x.type] - 2):
        difference = select(a > b, a - b, b - a)
        b = minimum(a, b)
        a = difference >> _trailing_zeros(difference)
        # equal numbers leave zero; the other one is the answer and stays
        a = select(difference == 0, b, a)
    return bitcast(select(either_zero, total, b << shared), x.type)


def lcm(x: Value, y: Value) -> Value:
    """The least common multiple, in at least 32 bits before it wraps."""
    wide = x.type if BITS[x.type] >= 32 else "i32"
    quotient = convert(truncated_divide(x, gcd(x, y)), wide)
    return convert(abs(quotient * convert(y, wide)), x.type)
