"""Between memory and expressions: half precision, float8, bool bytes, complex pairs.

Everything is written as expressions over integers and f32, so each printer and the evaluator get
it for free. `lower` rewrites what a processor has no instruction for in the same way.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.loops.expr import (
    BITS,
    FLOATS,
    INTS,
    Complex,
    Value,
    bitcast,
    const,
    convert,
    isnan,
    select,
    trunc,
)
from rushlight.engine.loops.target import Target

COMPLEX = {"c32": "f16", "c64": "f32", "c128": "f64"}
# Float8 formats: exponent bits, mantissa bits, bias, whether only the NaN pattern is special
# (fn, fnuz) and whether negative zero is the NaN (fnuz).
FLOAT8 = {
    "f8e4m3fn": (4, 3, 7, True, False),
    "f8e5m2": (5, 2, 15, False, False),
    "f8e4m3fnuz": (4, 3, 8, True, True),
    "f8e5m2fnuz": (5, 2, 16, True, True),
}
MEMORY_BYTES = (
    {t: max(1, BITS[t] // 8) for t in BITS}
    | dict.fromkeys(FLOAT8, 1)
    | {"c32": 4, "c64": 8, "c128": 16}
)


def raw_type(memory: str) -> str:
    """The expression type of one part of an element as it lies in memory."""
    if memory in COMPLEX:
        return COMPLEX[memory]
    return "u8" if memory == "bool" or memory in FLOAT8 else memory


def parts(memory: str) -> int:
    return 2 if memory in COMPLEX else 1


def from_memory(raw: Sequence[Value], memory: str, wanted: str) -> Any:
    """The loaded parts of an element as the type a body wants it in."""
    if memory in COMPLEX:
        real, imag = raw
        if wanted in COMPLEX:
            part = COMPLEX[wanted]
            return Complex(cast(real, part), cast(imag, part))
        return cast(Complex(real, imag), wanted)
    value = raw[0]
    if memory == "bool":
        value = value != 0
    elif memory in FLOAT8:
        value = float8_to_f32(value, memory)
    if wanted in COMPLEX:
        part = COMPLEX[wanted]
        return Complex(cast(value, part), const(part, 0))
    return cast(value, wanted)


def to_memory(result: Any, memory: str) -> list[Value]:
    """A result as the parts that are stored."""
    if memory in COMPLEX:
        part = COMPLEX[memory]
        if isinstance(result, Complex):
            return [cast(result.real, part), cast(result.imag, part)]
        return [cast(result, part), const(part, 0)]
    if memory == "bool":
        return [convert(cast(result, "bool"), "u8")]
    if memory in FLOAT8:
        return [f32_to_float8(cast(result, "f32"), memory)]
    return [cast(result, memory)]


def cast(x: Any, type: str) -> Any:
    """``x`` converted by value; a complex number is true if either part is not zero."""
    if isinstance(x, Complex):
        if type == "bool":
            return cast(x.real, type) | cast(x.imag, type)
        return cast(x.real, type)
    if type == "bool" and x.type in ("f16", "bf16"):
        return convert(x, "f32") != 0
    return convert(x, type)


# -- float8 --


def float8_to_f32(bits: Value, memory: str) -> Value:
    """The value of a float8 given its byte."""
    exponent_bits, mantissa_bits, bias, only_nan, unsigned_zero = FLOAT8[memory]
    wide = convert(bits, "u32")
    magnitude = wide & 0x7F
    sign = (wide & 0x80) << 24
    # Normal numbers: move the fields into place and rebias; subnormals are exact small integers.
    normal = (magnitude << (23 - mantissa_bits)) + ((127 - bias) << 23)
    tiny = convert(convert(magnitude, "i32"), "f32") * 2.0 ** (1 - bias - mantissa_bits)
    is_tiny = magnitude < (1 << mantissa_bits)
    result = bitcast(select(is_tiny, bitcast(tiny, "u32"), normal) | sign, "f32")
    nan = const("f32", float("nan"))
    if unsigned_zero:
        return select(wide == 0x80, nan, result)
    if only_nan:
        return select(magnitude == 0x7F, nan, result)
    top = ((1 << exponent_bits) - 1) << mantissa_bits
    infinite = bitcast(sign | 0x7F800000, "f32")
    return select(magnitude > top, nan, select(magnitude == top, infinite, result))


def f32_to_float8(x: Value, memory: str) -> Value:
    """The byte of the nearest float8, ties to even; what does not fit becomes NaN or infinity.

    The format without infinities but with a negative zero saturates instead.
    """
    _, mantissa_bits, bias, only_nan, unsigned_zero = FLOAT8[memory]
    bits = bitcast(x, "u32")
    magnitude = bits & 0x7FFFFFFF
    sign = (bits >> 24) & 0x80
    drop = 23 - mantissa_bits
    # Round the mantissa in place, then rebias.
    odd = (magnitude >> drop) & 1
    rounded = (magnitude + ((1 << (drop - 1)) - 1) + odd) >> drop
    normal = rounded - ((127 - bias) << mantissa_bits)
    # Subnormal results: adding a power of two makes the adder round at the right place.
    shifter = 2.0 ** (24 - bias - mantissa_bits)
    summed = bitcast(bitcast(magnitude, "f32") + shifter, "u32")
    tiny = summed - const("u32", f32_bits(shifter))
    smallest_normal = (127 - bias + 1) << 23
    result = select(magnitude < smallest_normal, tiny, normal)
    if only_nan:
        largest = 0x7F if unsigned_zero else 0x7E
        over = 0x80 if unsigned_zero else largest
    else:
        largest, over = 0x7B, 0x7C
    too_big = (magnitude >= smallest_normal) & (convert(normal, "i32") > largest)
    if unsigned_zero:
        result = select(result == 0, result, result | sign)
        result = select(too_big | isnan(x), const("u32", over), result)
    else:
        nan = 0x7F
        result = select(too_big, const("u32", over), result)
        result = select(isnan(x), const("u32", nan), result) | sign
    return convert(result, "u8")


def f32_bits(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


# -- what a processor lacks --


def lower(order: Sequence[Value], outputs: Sequence[Value], target: Target) -> list[Value]:
    """Scheduled outputs using only operations that printers write as a few instructions.

    Half precision converts to and from f32 only, bf16 by integer operations (f16 too where the
    target has no ``half``); floats become i32 or i64 only; small integers are divided as floats, exactly.
    """
    replaced: dict[int, Value] = {}
    for value in order:
        args = tuple([replaced[id(a)] for a in value.args])
        rule = _RULES.get(value.op)
        new = rule(value, args, target) if rule else None
        if new is None:
            same = all(a is b for a, b in zip(args, value.args))
            new = value if same else Value(value.op, value.type, args, value.attr)
        replaced[id(value)] = new
    return [replaced[id(value)] for value in outputs]


def _lower_convert(value: Value, args: tuple[Value, ...], target: Target) -> Value:
    (x,) = args
    source, type = x.type, value.type
    if source == type:
        return x
    if source in ("f16", "bf16"):
        if source == "bf16":
            wide = _bf16_to_f32(x)
        else:
            wide = Value("convert", "f32", (x,)) if target.half else _f16_to_f32(x)
        return wide if type == "f32" else _converted(wide, type, target)
    if type in ("f16", "bf16"):
        single = x if source == "f32" else _converted(x, "f32", target)
        if type == "bf16":
            return _f32_to_bf16(single)
        return Value("convert", "f16", (single,)) if target.half else _f32_to_f16(single)
    if source in FLOATS and type in INTS:
        return _float_to_int(x, type)
    return Value("convert", type, (x,))


def _converted(x: Value, type: str, target: Target) -> Value:
    if x.type == type:
        return x
    if type == "bool":
        return x != 0
    return _lower_convert(Value("convert", type, (x,)), (x,), target)


def _float_to_int(x: Value, type: str) -> Value:
    """C's conversion; out of range it wraps the way PyTorch's x86 build does."""
    if type in ("i32", "i64"):
        return Value("convert", type, (x,))
    if type in ("i8", "i16", "u16") or (type == "u8" and x.type == "f32"):
        return convert(Value("convert", "i32", (x,)), type)
    if type == "u8" or (type == "u32" and x.type == "f64"):
        return convert(Value("convert", "i64", (x,)), type)
    signed, half_range = ("i32", 2.0**31) if type == "u32" else ("i64", 2.0**63)
    low = Value("convert", signed, (x,))
    high = Value("convert", signed, (x - half_range,)) ^ (-(2 ** (BITS[type] - 1)))
    return bitcast(select(x >= half_range, high, low), type)


def _bf16_to_f32(x: Value) -> Value:
    return bitcast(convert(bitcast(x, "u16"), "u32") << 16, "f32")


def _f32_to_bf16(x: Value) -> Value:
    bits = bitcast(x, "u32")
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return bitcast(convert(select(isnan(x), const("u32", 0x7FC0), rounded), "u16"), "bf16")


def _f16_to_f32(x: Value) -> Value:
    wide = convert(bitcast(x, "u16"), "u32")
    magnitude, sign = wide & 0x7FFF, (wide & 0x8000) << 16
    shifted = magnitude << 13
    normal = shifted + (112 << 23)
    special = shifted + (224 << 23)
    tiny = bitcast(convert(convert(magnitude, "i32"), "f32") * 2.0**-24, "u32")
    finite = select(magnitude < 0x400, tiny, normal)
    return bitcast(select(magnitude >= 0x7C00, special, finite) | sign, "f32")


def _f32_to_f16(x: Value) -> Value:
    bits = bitcast(x, "u32")
    magnitude, sign = bits & 0x7FFFFFFF, (bits >> 16) & 0x8000
    rounded = (magnitude + 0xFFF + ((magnitude >> 13) & 1)) >> 13
    normal = rounded - (112 << 10)
    tiny = bitcast(bitcast(magnitude, "f32") + 0.5, "u32") - 0x3F000000
    finite = select(magnitude < (113 << 23), tiny, normal)
    capped = select(magnitude >= 0x47800000, const("u32", 0x7C00), finite)
    result = select(isnan(x), const("u32", 0x7E00), capped) | sign
    return bitcast(convert(result, "u16"), "f16")


def _lower_divide(value: Value, args: tuple[Value, ...], target: Target) -> Value | None:
    a, b = args
    if value.type not in INTS or BITS[value.type] == 64:
        return None
    # A quotient of n-bit integers is at least 2**-n away, relatively, from the next integer, so
    # truncating the rounded float quotient is exact; a zero divisor cannot trap.
    float_type = "f64" if BITS[value.type] == 32 else "f32"
    whole = "i64" if value.type == "u32" else "i32"
    quotient = trunc(convert(a, float_type) / convert(b, float_type))
    result = convert(Value("convert", whole, (quotient,)), value.type)
    return result if value.op == "div" else a - result * b


def _lower_mulhi(value: Value, args: tuple[Value, ...], target: Target) -> Value | None:
    a, b = args
    bits = BITS[value.type]
    if bits == 64:
        return None
    double = f"{value.type[0]}{2 * bits}"
    return convert((convert(a, double) * convert(b, double)) >> bits, value.type)


# 1.5 * 2^(mantissa bits) keeps a small integer in its low bits; these are its own bits
MAGIC = {"f32": (1.5 * 2.0**23, 0x4B400000), "f64": (1.5 * 2.0**52, 0x4338 << 48)}
INTEGER = {"f32": "i32", "f64": "i64"}


def power_of_two(exponent: Value) -> Value:
    """2^exponent for an integer within the normal range; i32 gives f32 and i64 gives f64."""
    if exponent.type == "i32":
        return bitcast((exponent + 127) << 23, "f32")
    return bitcast((exponent + 1023) << 52, "f64")


def scale(x: Value, k: Value) -> Value:
    """``x * 2^k`` rounded once: half of the power at a time, so that neither half overflows."""
    half = k >> 1
    return (x * power_of_two(half)) * power_of_two(k - half)


def _lower_scaleb(value: Value, args: tuple[Value, ...], target: Target) -> Value | None:
    if target.scales:
        return None
    x, exponent = args
    magic, bits = MAGIC[value.type]
    return scale(x, bitcast(exponent + magic, INTEGER[value.type]) - bits)


_RULES: dict[str, Callable[[Value, tuple[Value, ...], Target], Value | None]] = {
    "convert": _lower_convert,
    "div": _lower_divide,
    "rem": _lower_divide,
    "mulhi": _lower_mulhi,
    "scaleb": _lower_scaleb,
}
