"""Integer division with Python's signs, gcd and lcm.

The machine traps on a zero divisor and on the smallest number over -1, so neither reaches it:
a zero divisor counts as one here, and whoever must report it looks beforehand.
"""

from __future__ import annotations

import math

from rushlight.engine.loops.expr import (
    BITS,
    UNSIGNED,
    Value,
    bitcast,
    const,
    convert,
    fma,
    rarely,
    select,
    trunc,
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


def gcd(x: Value, y: Value) -> Value:
    """The greatest common divisor, by Euclid's algorithm.

    It is not negative, but where a number has no positive counterpart in its type. Integers that are
    exact as real numbers are divided as such: processors have no vectors of integer quotients.
    """
    bits = BITS[x.type]
    a, b = abs(y), abs(x)
    if bits <= 16:
        return convert(convert(_real_gcd(a, b, "f32", bits), "i32"), x.type)
    if bits <= 32:
        return convert(convert(_real_gcd(a, b, "f64", bits), "i64"), x.type)
    is_large = (bitcast(a, "u64") | bitcast(b, "u64")) >= 1 << _EXACT_BITS
    c, d = a, b
    for _ in range(_rounds(bits - _EXACT_BITS)):
        c, d = _divided(c, d, truncated_remainder(c, d))
    large = select(d == 0, c, convert(_real_gcd(c, d, "f64", _EXACT_BITS), x.type))
    return rarely(is_large, large, convert(_real_gcd(a, b, "f64", _EXACT_BITS), x.type))


# Integers of so many bits are exact as `f64`.
_EXACT_BITS = 53


def _rounds(bits: int) -> int:
    """How many divisions take so many bits off: neighbours in the Fibonacci series need most."""
    # One more may change the numbers' order, another one make the second as small as the first.
    return math.ceil(bits * math.log(2, (1 + math.sqrt(5)) / 2)) + 2


def _divided(a: Value, b: Value, rest: Value) -> tuple[Value, Value]:
    """One round: the divisor and the rest; nothing changes once there is no rest."""
    return select(b == 0, a, b), select(b == 0, b, rest)


def _real_gcd(x: Value, y: Value, real: str, bits: int) -> Value:
    """More and more rounds at a time, of which those that no number needs are skipped."""

    def after(a: Value, b: Value, rounds: int, left: int) -> Value:
        for _ in range(min(rounds, left)):
            # A quotient of numbers that are exact never rounds to the next integer.
            a, b = _divided(a, b, fma(-trunc(a / b), b, a))
        return a if rounds >= left else rarely(b != 0, after(a, b, 2 * rounds, left - rounds), a)

    return after(convert(x, real), convert(y, real), 4, _rounds(bits))


def lcm(x: Value, y: Value) -> Value:
    """The least common multiple, in at least 32 bits before it wraps."""
    wide = x.type if BITS[x.type] >= 32 else "i32"
    quotient = convert(truncated_divide(x, gcd(x, y)), wide)
    return convert(abs(quotient * convert(y, wide)), x.type)
