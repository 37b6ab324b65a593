"""log, log2, log10, log1p, and the logarithm in two parts that pow and others need.

x = 2^k * m with m between sqrt(1/2) and sqrt(2). In f32 log(m) is one polynomial. In f64 a table
gives 1/c and log(c) for a c near m, and log(m) = log(c) + log1p(m/c - 1).
"""

from __future__ import annotations

import math

from rushlight.engine.loops.casts import power_of_two
from rushlight.engine.loops.dual import elementary
from rushlight.engine.loops.expr import Value, bitcast, const, convert, fma, select, table
from rushlight.engine.loops.maths import coefficients as c
from rushlight.engine.loops.maths.doubled import (
    Pair,
    fast_two_sum,
    multiply_pairs,
    polynomial,
    two_sum,
)

# ln2 in two parts; k times the first is exact and has the grain of the table's first part.
LN2 = {
    "f32": (0.693145751953125, 1.428606765330187e-06),
    "f64": (0.6931471805598903, 5.497923018708371e-14),
}
LOG2E = (1.4426950408889634, 2.0355273740931033e-17)
LOG10E = (0.4342944819032518, 1.098319650216765e-17)
SMALLEST_NORMAL = {"f32": 2.0**-126, "f64": 2.0**-1022}
# The bits of the number where a binade of m starts: sqrt(1/2), or the table's first interval,
# which lies so that 1 is well inside an interval of its own.
SQRT_HALF = 0x3F3504F3
TABLE_START = (0x3FF0 << 48) - 75 * 2**45 - 2**44


def split(x: Value, low: Value | None) -> tuple[Value, Value, Value]:
    """k, m and l with x + low = 2^k * (m + l); ``low`` is at most half an ulp of ``x``."""
    small = x < SMALLEST_NORMAL[x.type]
    shift, mantissa_bits, integer, start = (
        (30, 23, "i32", SQRT_HALF) if x.type == "f32" else (60, 52, "i64", TABLE_START)
    )
    x = select(small, x * 2.0**shift, x)
    bits = bitcast(x, integer)
    k = (bits - start) >> mantissa_bits
    m = bitcast(bits - (k << mantissa_bits), x.type)
    tail = const(x.type, 0)
    if low is not None:
        # at the far ends, where 2^-k overflows, a low part does not matter
        bound = 120 if x.type == "f32" else 1000
        near = (k < bound) & (k > -bound)
        tail = select(near, low, tail) * power_of_two(select(near, -k, k * 0))
    return select(small, k - shift, k), m, tail


def special(x: Value, result: Value) -> Value:
    """The logarithm of zero, infinity, NaN and negative numbers, else ``result``."""
    result = select((x < math.inf) & (x > 0), result, x)
    result = select(x < 0, const(x.type, math.nan), result)
    return select(x == 0, const(x.type, -math.inf), result)


def log_f32(x: Value, low: Value | None = None) -> Value:
    """log(x + low) of a positive finite f32."""
    k, m, tail = split(x, low)
    f = (m - 1) + tail
    k = convert(k, "f32")
    square = f * f
    rest = fma(square * f, polynomial(f, c.LOG_F32), k * LN2["f32"][1])
    rest = fma(square, -0.5, rest)
    if low is not None:
        rest = rest + (tail - (f - (m - 1)))
    base = k * LN2["f32"][0]
    high, carry = two_sum(base, f)
    return high + (carry + rest)


def log_pair(x: Value, low: Value | None = None) -> Pair:
    """log(x + low) of a positive finite f64, normalised, with a relative error below 2^-66."""
    k, m, tail = split(x, low)
    index = ((bitcast(m, "i64") - TABLE_START) >> 45) & 127
    inverse = table(c.LOG_INVERSE, index, "f64")
    r = fma(m, inverse, -1)
    kf = convert(k, "f64")
    high, carry = two_sum(fma(kf, LN2["f64"][0], table(c.LOG_HIGH, index, "f64")), r)
    half = r * -0.5
    square = r * half
    total, carry2 = fast_two_sum(high, square)
    rest = carry + fma(kf, LN2["f64"][1], table(c.LOG_LOW, index, "f64"))
    rest = rest + (carry2 + fma(half, r, -square))
    if low is not None:
        tail = tail * inverse
        rest = fma(tail, fma(r, r, -r), tail) + rest
    return fast_two_sum(total, fma(r * r * r, polynomial(r, c.LOG_TABLE_F64), rest))


@elementary
def log_quick(x: Value, low: Value | None = None) -> Value:
    """log(x + low) of a positive normal f64 to about 37 bits: what an f32 result needs."""
    bits = bitcast(x, "i64")
    k = (bits - TABLE_START) >> 52
    m = bitcast(bits - (k << 52), "f64")
    index = ((bits - TABLE_START) >> 45) & 127
    inverse = table(c.LOG_INVERSE, index, "f64")
    r = fma(m, inverse, -1)
    if low is not None:
        r = fma(low * power_of_two(-k), inverse, r)
    base = fma(convert(k, "f64"), math.log(2), table(c.LOG_HIGH, index, "f64"))
    return base + fma(r * r, polynomial(r, (-1 / 2, 1 / 3, -1 / 4, 1 / 5)), r)


@elementary
def log(x: Value) -> Value:
    if x.type == "f32":
        return special(x, log_f32(x))
    high, low = log_pair(x)
    return special(x, high + low)


def _scaled(x: Value, factor: Pair) -> Value:
    high, low = multiply_pairs(log_pair(x), factor)
    return high + low


@elementary
def log2(x: Value) -> Value:
    if x.type == "f32":
        return special(x, convert(log_quick(convert(x, "f64")) * LOG2E[0], "f32"))
    return special(x, _scaled(x, (const("f64", LOG2E[0]), const("f64", LOG2E[1]))))


@elementary
def log10(x: Value) -> Value:
    if x.type == "f32":
        return special(x, convert(log_quick(convert(x, "f64")) * LOG10E[0], "f32"))
    return special(x, _scaled(x, (const("f64", LOG10E[0]), const("f64", LOG10E[1]))))


def log1p_pair(x: Value, low: Value | None = None) -> Pair:
    """log(1 + x + low) for an f64 ``x`` above -1, normalised."""
    total, rest = two_sum(x, 1)
    return log_pair(total, rest if low is None else rest + low)


@elementary
def log1p(x: Value) -> Value:
    total, rest = two_sum(x, 1)
    if x.type == "f32":
        result = log_f32(total, rest)
    else:
        high, low = log_pair(total, rest)
        result = high + low
    tiny = abs(x) < (2.0**-26 if x.type == "f32" else 2.0**-55)
    return select(tiny, x, special(total, result))
