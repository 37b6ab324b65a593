"""sin, cos, tan and their inverses.

An angle is reduced to r within pi/4 of zero and the number k of quarter turns, with 2/pi known to
as many bits as the largest argument needs: x / 2^e is an integer where 2^e is in use, so multiples
of 4 may be dropped from 2^e * 2/pi beforehand, and the table of what remains serves every x.
"""

from __future__ import annotations

import math

from rushlight.engine.loops.casts import power_of_two
from rushlight.engine.loops.dual import elementary
from rushlight.engine.loops.expr import (
    Value,
    bitcast,
    const,
    convert,
    copysign,
    fma,
    rarely,
    rint,
    select,
    sqrt,
    table,
)
from rushlight.engine.loops.maths import coefficients as c
from rushlight.engine.loops.maths.doubled import (
    Pair,
    divide_pairs,
    fast_two_sum,
    multiply_pairs,
    nearest_integer,
    polynomial,
    two_product,
    two_sum,
)

PI = {"f32": (3.1415927410125732, -8.742277657347586e-08), "f64": (math.pi, 1.2246467991473532e-16)}
HALF_PI = {t: (high / 2, low / 2) for t, (high, low) in PI.items()}
# A number this small is its own sine.
TINY = 2.0**-27


def _block(x: Value, mantissa: int, log2_step: int, last: int) -> tuple[Value, Value]:
    """The table's row for an f64 ``x`` of so many mantissa bits, and x in units of that row."""
    exponent = ((bitcast(x, "i64") >> 52) & 0x7FF) - (1023 + mantissa)
    row = select(exponent < 0, const("i64", 0), exponent) >> log2_step
    row = select(row > last, const("i64", last), row)
    return row, x * power_of_two(-(row << log2_step))


# Up to here few enough quarter turns fit for each part of the product to be exact.
QUICK = 2.0**20
QUICK_F32 = 2.0**12
# pi / 2 in three parts
QUARTERS_F32 = (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15)
QUARTERS = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)


def reduce_f32(x: Value) -> tuple[Value, Value]:
    """r (in f64) and k for an f32 angle."""
    wide = convert(x, "f64")
    whole, k = nearest_integer(wide, 2 / math.pi)
    r = fma(whole, -QUARTERS[1], fma(whole, -QUARTERS[0], wide))
    large = abs(x) >= QUICK
    far_r, far_k = _reduce_far_f32(wide)
    return rarely(large, far_r, r), rarely(large, far_k, k)


def _reduce_far_f32(x: Value) -> tuple[Value, Value]:
    row, scaled = _block(x, 23, 3, 13)
    turns, rest = two_product(scaled, table(c.TWO_OVER_PI_F32_0, row, "f64"))
    whole, k = nearest_integer(turns)
    rest = fma(scaled, table(c.TWO_OVER_PI_F32_1, row, "f64"), rest)
    return ((turns - whole) + rest) * (math.pi / 2), k


def _modulo_4(x: Value) -> Value:
    return fma(rint(x * 0.25), -4, x)


def reduce_f64(x: Value) -> tuple[Pair, Value]:
    """r in two parts and k for an f64 angle."""
    whole, k = nearest_integer(x, 2 / math.pi)
    product, rest = two_product(whole, QUARTERS[1])
    high, low = two_sum(fma(whole, -QUARTERS[0], x), -product)
    high, low = fast_two_sum(high, low - fma(whole, QUARTERS[2], rest))
    large = abs(x) >= QUICK
    (far_high, far_low), far_k = _reduce_far_f64(x)
    return (rarely(large, far_high, high), rarely(large, far_low, low)), rarely(large, far_k, k)


def _reduce_far_f64(x: Value) -> tuple[Pair, Value]:
    """Of an angle of any size.

    The nearest that an f64 comes to a multiple of pi/2 is 2^-61, so the sum of the partial
    products is kept to about 2^-120.
    """
    row, scaled = _block(x, 52, 5, 30)
    p0, e0 = two_product(scaled, table(c.TWO_OVER_PI_F64_0, row, "f64"))
    p1, e1 = two_product(scaled, table(c.TWO_OVER_PI_F64_1, row, "f64"))
    p2, e2 = two_product(scaled, table(c.TWO_OVER_PI_F64_2, row, "f64"))
    last = scaled * table(c.TWO_OVER_PI_F64_3, row, "f64")
    total = _modulo_4(p0)
    rests = []
    for term in (_modulo_4(e0), _modulo_4(p1), e1, p2):
        total, rest = two_sum(total, term)
        rests.append(rest)
    high, low = rests[0], last
    for term in (*rests[1:], e2):
        high, rest = two_sum(high, term)
        low = low + rest
    whole, k = nearest_integer(total)
    high, rest = two_sum(total - whole, high)
    turns = fast_two_sum(high, rest + low)
    return multiply_pairs(turns, (const("f64", math.pi / 2), const("f64", HALF_PI["f64"][1]))), k


def _sin_cos_f32(x: Value) -> tuple[Value, Value, Value]:
    """sin(r) and cos(r) in f64, and k."""
    r, k = reduce_f32(x)
    s = r * r
    sine = fma(-(r * s), polynomial(s, c.SIN_F32), r)
    cosine = fma(s * s, polynomial(s, c.COS_F32), fma(s, -0.5, 1))
    return sine, cosine, k


def sin_cos_pair(x: Value) -> tuple[Pair, Pair, Value]:
    """sin(r) and cos(r), normalised, and k, for an f64 angle."""
    (r, low), k = reduce_f64(x)
    s = r * r
    half = s * 0.5
    correction = fma(low, 1 - half, -(r * s * polynomial(s, c.SIN_F64)))
    w = 1 - half
    rest = fma(s * s, polynomial(s, c.COS_F64), ((1 - w) - half) - r * low)
    # half an ulp of r * r counts in the cosine
    rest = fma(fma(r, r, -s), -0.5, rest)
    return fast_two_sum(r, correction), fast_two_sum(w, rest), k


def _negate_if(condition: Value, x: Value) -> Value:
    return select(condition, -x, x)


@elementary
def sin(x: Value) -> Value:
    return _wave(x, 0)


@elementary
def cos(x: Value) -> Value:
    return _wave(x, 1)


def _sin_cos_quick(x: Value) -> tuple[Value, Value, Value]:
    """As `_sin_cos_f32`, but in f32: half the width, and within two units of the result."""
    r, k = _reduce_within_f32(x)
    s = r * r
    sine = fma(-(r * s), polynomial(s, c.SIN_F32), r)
    cosine = fma(s * s, polynomial(s, c.COS_F32), fma(s, -0.5, 1))
    return sine, cosine, k


def _reduce_within_f32(x: Value) -> tuple[Value, Value]:
    """r and k for an f32 angle; only angles that are far or near k quarter turns need f64.

    The first product cancels exactly: both its terms are multiples of 2^-24.
    """
    whole, k = nearest_integer(x, 2 / math.pi)
    first, second, third = QUARTERS_F32
    r = fma(whole, -third, fma(whole, -second, fma(whole, -first, x)))
    wide, turns = _reduce_far_f32(convert(x, "f64"))
    far = abs(x) >= QUICK_F32
    return rarely(far, convert(wide, "f32"), r), rarely(far, convert(turns, "i32"), k)


def _wave(x: Value, quarter: int) -> Value:
    """The sine of ``x`` plus so many quarter turns."""
    if x.type == "f32":
        sine, cosine, k = _sin_cos_quick(x)
    else:
        sine_pair, cosine_pair, k = sin_cos_pair(x)
        sine, cosine = sine_pair[0], cosine_pair[0]
    k = k + quarter
    result = _negate_if((k & 2) != 0, select((k & 1) != 0, cosine, sine))
    result = convert(result, x.type)
    return result if quarter else select(abs(x) < TINY, x, result)


def sin_cos(x: Value) -> tuple[Value, Value]:
    """Both at once, for less than the price of two."""
    if x.type == "f32":
        sine, cosine, k = _sin_cos_quick(x)
    else:
        sine_pair, cosine_pair, k = sin_cos_pair(x)
        sine, cosine = sine_pair[0], cosine_pair[0]
    odd = (k & 1) != 0
    s = _negate_if((k & 2) != 0, select(odd, cosine, sine))
    cs = _negate_if(((k + 1) & 2) != 0, select(odd, sine, cosine))
    return select(abs(x) < TINY, x, convert(s, x.type)), convert(cs, x.type)


@elementary
def tan(x: Value) -> Value:
    if x.type == "f32":
        sine, cosine, k = _sin_cos_f32(x)
        odd = (k & 1) != 0
        result = convert(select(odd, -cosine, sine) / select(odd, sine, cosine), "f32")
    else:
        s, cs, k = sin_cos_pair(x)
        odd = (k & 1) != 0
        top = (select(odd, -cs[0], s[0]), select(odd, -cs[1], s[1]))
        bottom = (select(odd, s[0], cs[0]), select(odd, s[1], cs[1]))
        result = divide_pairs(top, bottom)[0]
    return select(abs(x) < TINY, x, result)


def _arc(x: Value) -> tuple[Value, Value, Value]:
    """|x| <= 1/2 or not, and t + rest = asin(|x|), or half of acos(|x|) where |x| > 1/2."""
    a = abs(x)
    small = a <= 0.5
    s = select(small, a * a, fma(a, -0.5, 0.5))
    t = select(small, a, sqrt(s))
    return small, t, t * s * polynomial(s, c.ASIN_F32 if x.type == "f32" else c.ASIN_F64)


@elementary
def asin(x: Value) -> Value:
    small, t, rest = _arc(x)
    high, low = HALF_PI[x.type]
    first, carry = fast_two_sum(const(x.type, high), t * -2)
    large = first + (carry - (rest * 2 - low))
    return copysign(select(small, t + rest, large), x)


@elementary
def acos(x: Value) -> Value:
    small, t, rest = _arc(x)
    negative = x < 0
    high, low = HALF_PI[x.type]
    # near zero: pi/2 - asin; else twice the half angle, or pi minus that
    base = select(small, const(x.type, high), const(x.type, 2 * high))
    base_low = select(small, const(x.type, low), const(x.type, 2 * low))
    factor = select(small, copysign(1, x), const(x.type, -2))
    first, carry = fast_two_sum(base, select(small, -(t * factor), t * factor))
    turn = select(small, -(rest * factor), rest * factor)
    result = first + (carry + (turn + base_low))
    return select(small | negative, result, (t + rest) * 2)


@elementary
def atan(x: Value) -> Value:
    return copysign(_atan_of_ratio(abs(x)), x)


def _atan_of_ratio(a: Value) -> Value:
    """atan of a number that is not negative; infinity gives pi/2."""
    if a.type == "f32":
        large = a > 1
        angle = _atan_within_one(select(large, 1 / a, a))
        right, right_low = HALF_PI["f32"]
        return select(large, right - (angle - right_low), angle)
    top, bottom = a, const("f64", 1)
    high = low = const("f64", 0)
    for bound, numerator, denominator, base, base_low in _ATAN_STEPS:
        past = ~(a < bound)
        top = select(past, numerator(a), top)
        bottom = select(past, denominator(a), bottom)
        high = select(past, const("f64", base), high)
        low = select(past, const("f64", base_low), low)
    t = top / bottom
    s = t * t
    rest = fma(t * s, polynomial(s, c.ATAN_SHORT_F64), low)
    # where the base angle is zero the sum must not lose t's sign or its last bits
    return high + (rest + t)


def _atan_within_one(t: Value) -> Value:
    """atan of an f32 number from 0 to 1."""
    s = t * t
    return fma(t * s, polynomial(s, c.ATAN_F32), t)


# From each bound on: atan(a) = angle + atan((a - b) / (1 + a * b)) with b = tan(angle).
_ATAN_STEPS = (
    (7 / 16, lambda a: fma(a, 2, -1), lambda a: a + 2, math.atan(0.5), 2.2698777452961687e-17),
    (11 / 16, lambda a: a - 1, lambda a: a + 1, math.pi / 4, 3.061616997868383e-17),
    (19 / 16, lambda a: a - 1.5, lambda a: fma(a, 1.5, 1), math.atan(1.5), 1.3903311031230998e-17),
    (39 / 16, lambda a: const("f64", -1), lambda a: a, math.pi / 2, 6.123233995736766e-17),
)


def _ratio(a: Value, b: Value) -> Value:
    """a / b; 0 for zeros and 1 for infinities: the ratios on the axis and on the diagonal."""
    both = select(a == 0, const(a.type, 0), const(a.type, 1))
    return select(a == b, both, a / b)


@elementary
def atan2(y: Value, x: Value) -> Value:
    """The angle of the point (x, y), with C's choice of sign for zeros and infinities."""
    ay, ax = abs(y), abs(x)
    left = copysign(1, x) < 0
    high, low = PI[x.type]
    if x.type == "f64":
        angle = _atan_of_ratio(_ratio(ay, ax))
        return copysign(select(left, high - (angle - low), angle), y)
    # From the nearer axis: what is added to pi/2 or pi is small, and nothing on the axes.
    steep = ay > ax
    angle = _atan_within_one(_ratio(select(steep, ax, ay), select(steep, ay, ax)))
    angle = select(left ^ steep, -angle, angle)
    axis, axis_low = (
        select(steep, const("f32", n / 2), select(left, const("f32", n), const("f32", 0)))
        for n in (high, low)
    )
    return copysign(axis + (angle + axis_low), y)
