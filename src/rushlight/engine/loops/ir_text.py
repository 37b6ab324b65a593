"""How LLVM spells the types and constants of expressions."""

from __future__ import annotations

import math
import struct

from rushlight.engine.loops.expr import BITS


def llvm_type(type: str) -> str:
    """The LLVM scalar type that holds an expression type; halves are held as their bits."""
    if type == "f32":
        return "float"
    if type == "f64":
        return "double"
    return f"i{BITS[type]}"


def vector(lanes: int, scalar: str) -> str:
    return scalar if lanes == 1 else f"<{lanes} x {scalar}>"


def literal(type: str, value: float | int | bool) -> str:
    """A constant of an expression type as LLVM spells it."""
    if type == "bool":
        return "true" if value else "false"
    if type in ("f32", "f64"):
        if type == "f32":
            value = round_to_f32(float(value))
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    if type == "f16":
        return str(half_bits(float(value)))
    if type == "bf16":
        return str(bfloat_bits(float(value)))
    return str(int(value))


def splat(type: str, value: float | int | bool, lanes: int) -> str:
    """A constant in every lane."""
    written = literal(type, value)
    return written if lanes == 1 else f"splat ({llvm_type(type)} {written})"


def suffix(type: str, lanes: int) -> str:
    """How an intrinsic's name spells a type."""
    scalar = type if type in ("f32", "f64") else llvm_type(type)
    return scalar if lanes == 1 else f"v{lanes}{scalar}"


def round_to_f32(value: float) -> float:
    if math.isinf(value) or math.isnan(value):
        return value
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def half_bits(value: float) -> int:
    try:
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    except OverflowError:
        return 0xFC00 if value < 0 else 0x7C00


def bfloat_bits(value: float) -> int:
    if math.isnan(value):
        return 0x7FC0
    bits = int(struct.unpack("<I", struct.pack("<f", round_to_f32(value)))[0])
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
