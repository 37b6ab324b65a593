"""fmod and the operators made of it, and functions of a float's bits."""

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
    floor,
    fma,
    isnan,
    rarely,
    rint,
    select,
    trunc,
)
from rushlight.engine.loops.maths.doubled import two_product

INTEGER = {"f32": "i32", "f64": "i64"}


def _mantissa_and_exponent(x: Value) -> tuple[Value, Value]:
    """The 53-bit integer m and e with x = m * 2^e, for a positive finite f64."""
    small = x < 2.0**-1022
    bits = bitcast(select(small, x * 2.0**54, x), "i64")
    m = bitcast((bits & ((1 << 52) - 1)) | (1075 << 52), "f64")
    e = (bits >> 52) - 1075
    return m, select(small, e - 54, e)


def _product_modulo(a: Value, b: Value, m: Value) -> Value:
    """a * b modulo m, between -m/2 and m/2, of integers up to 2^52 in size; m is below 2^53."""
    high, low = two_product(a, b)
    rest = fma(-rint(high / m), m, high)
    return _nearest_residue(_nearest_residue(rest, m) + low, m)


def _nearest_residue(r: Value, m: Value) -> Value:
    half = m * 0.5
    r = select(r > half, r - m, r)
    return select(r < -half, r + m, r)


def _fmod_wide(x: Value, y: Value, halvings: int) -> Value:
    """fmod of positive finite f64 by powers of two modulo y's mantissa.

    The exponents differ by less than ``2^halvings * 32``.
    """
    mx, ex = _mantissa_and_exponent(x)
    my, ey = _mantissa_and_exponent(y)
    d = ex - ey
    d = select(d < 0, const("i64", 0), d)
    power = power_of_two(d >> halvings)
    power = fma(-rint(power / my), my, power)
    for bit in reversed(range(halvings)):
        power = _product_modulo(power, power, my)
        doubled = _nearest_residue(power + power, my)
        power = select(((d >> bit) & 1) != 0, doubled, power)
    mx = _nearest_residue(mx - select(mx >= my, my, my * 0), my)
    r = _product_modulo(mx, power, my)
    r = select(r < 0, r + my, r)
    # 2^ey in two halves: it may be below the smallest normal number
    half = ey >> 1
    r = (r * power_of_two(half)) * power_of_two(ey - half)
    return select(x < y, x, r)


# A quotient below this is off by one at most when truncated in f64.
SOUND_QUOTIENT = 2.0**50


def _fmod_quick(a: Value, b: Value, quotient: Value) -> Value:
    """fmod of positive f64 by one division; the subtraction is exact."""
    r = fma(-trunc(quotient), b, a)
    r = select(r < 0, r + b, r)
    return select(r >= b, r - b, r)


@elementary
def fmod(x: Value, y: Value) -> Value:
    """x minus y times the truncated quotient, exactly, however large the quotient; x's sign."""
    a, b = convert(abs(x), "f64"), convert(abs(y), "f64")
    quotient = a / b
    is_quick = (quotient < SOUND_QUOTIENT) & (b < math.inf)
    quick = convert(_fmod_quick(a, b, quotient), x.type)
    return copysign(rarely(~is_quick, _fmod_always(x, y, a, b), quick), x)


def _fmod_always(x: Value, y: Value, a: Value, b: Value) -> Value:
    """The size of fmod, of any numbers."""
    sound = (abs(x) < math.inf) & (b > 0)
    one = const("f64", 1)
    divisor = select((b > 0) & (b < math.inf), b, one)
    result = _fmod_wide(select(sound, a, one), divisor, 4 if x.type == "f32" else 7)
    result = select(b == math.inf, a, result)
    result = select(sound, convert(result, x.type), const(x.type, math.nan))
    return select(isnan(y), y, result)


@elementary
def remainder(x: Value, y: Value) -> Value:
    """The remainder with the divisor's sign, as Python's ``%``."""
    r = fmod(x, y)
    return select((r != 0) & ((y < 0) != (r < 0)), r + y, r)


@elementary
def floor_divide(x: Value, y: Value) -> Value:
    """The floor of the quotient, consistent with `remainder`."""
    r = fmod(x, y)
    quotient = (x - r) / y
    quotient = select((r != 0) & ((y < 0) != (r < 0)), quotient - 1, quotient)
    whole = floor(quotient)
    whole = select(quotient - whole > 0.5, whole + 1, whole)
    whole = select(quotient == 0, copysign(0, x / y), whole)
    return select(y == 0, x / y, whole)


def nextafter(x: Value, y: Value) -> Value:
    """The next representable number from ``x`` towards ``y``."""
    integer = INTEGER[x.type]
    bits = bitcast(x, integer)
    away = (y > x) == (x > 0)
    stepped = bitcast(select(away, bits + 1, bits - 1), x.type)
    smallest = bitcast(const(integer, 1), x.type)
    stepped = select(x == 0, copysign(smallest, y), stepped)
    stepped = select(x == y, y, stepped)
    return select(isnan(x) | isnan(y), x + y, stepped)


def frexp(x: Value) -> tuple[Value, Value]:
    """A mantissa from 1/2 to 1 and an i32 exponent with x = mantissa * 2^exponent."""
    integer, digits, bias = ("i32", 23, 126) if x.type == "f32" else ("i64", 52, 1022)
    mask = 0xFF if x.type == "f32" else 0x7FF
    a = abs(x)
    small = a < (2.0**-126 if x.type == "f32" else 2.0**-1022)
    bits = bitcast(select(small, x * 2.0**64, x), integer)
    exponent = ((bits >> digits) & mask) - bias
    exponent = select(small, exponent - 64, exponent)
    mantissa = bitcast((bits & ~const(integer, mask << digits)) | (bias << digits), x.type)
    plain = (a < math.inf) & (x != 0)
    exponent = select(plain, exponent, exponent * 0)
    return select(plain, mantissa, x), convert(exponent, "i32")


@elementary
def ldexp(x: Value, exponent: Value) -> Value:
    """``x * 2^exponent`` rounded once, for any i32 or i64 exponent."""
    integer, limit = ("i32", 300) if x.type == "f32" else ("i64", 2200)
    n = select(exponent > limit, exponent * 0 + limit, exponent)
    n = convert(select(n < -limit, n * 0 - limit, n), integer)
    # steps of the whole range up, or towards subnormals with the last step alone inexact
    step = 126 if x.type == "f32" else 1022
    m = x
    for _ in range(3):
        part = select(n > step, n * 0 + step, select(n < -step, n * 0 - step, n))
        safe = select(n < -step, part + (64 if x.type == "f32" else 128), part)
        m = m * power_of_two(safe)
        n = n - safe
    part = select(n > step, n * 0 + step, select(n < -step, n * 0 - step, n))
    return m * power_of_two(part)


@elementary
def round_decimals(x: Value, decimals: int) -> Value:
    """Rounded to so many decimals, halves to even after scaling."""
    if decimals == 0:
        return rint(x)
    ten = 10.0 ** abs(decimals)
    return rint(x * ten) / ten if decimals > 0 else rint(x / ten) * ten
