"""Registers hold bits; this reads them as numbers of PTX's types, and back."""

from __future__ import annotations

import numpy as np

NATIVE = {
    "u8": np.uint8, "s8": np.int8, "b8": np.uint8, "u16": np.uint16, "s16": np.int16, "b16": np.uint16,
    "u32": np.uint32, "s32": np.int32, "b32": np.uint32, "u64": np.uint64, "s64": np.int64,
    "b64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip
FLOATS = ("f16", "bf16", "f32", "f64")


def is_type(part: str) -> bool:
    return part in NATIVE or part in ("bf16", "pred", "f16x2", "bf16x2")


def width(kind: str) -> int:
    """The bytes of a type."""
    if kind in ("f16x2", "bf16x2"):
        return 4
    return 2 if kind == "bf16" else np.dtype(NATIVE[kind]).itemsize


def bits_type(nbytes: int) -> type:
    return np.dtype(f"u{nbytes}").type


def read(bits: np.ndarray, kind: str) -> np.ndarray:
    """Bits of a register, which may be wider, as numbers of a type; bf16 as f32."""
    if kind == "pred":
        return bits
    if bits.dtype.itemsize != width(kind):
        bits = bits.astype(bits_type(width(kind)))
    if kind == "bf16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return bits.view(NATIVE[kind])


def written(values: np.ndarray, kind: str) -> np.ndarray:
    """The bits of numbers of a type; those of bf16 come as f32 or wider."""
    if kind == "pred":
        return values.astype(np.bool_)
    if kind == "bf16":
        return bf16_bits(values)
    values = np.asarray(values, NATIVE[kind])
    return values.view(bits_type(width(kind)))


def bf16_bits(values: np.ndarray) -> np.ndarray:
    """Rounded to the nearest, ties to even."""
    single = np.asarray(values, np.float32)
    bits = single.view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    with np.errstate(over="ignore"):
        rounded = ((bits + np.uint32(0x7FFF) + odd) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(single), np.uint16(0x7FFF), rounded)


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray, kind: str) -> np.ndarray:
    """``a * b + c`` rounded once."""
    if kind != "f64":
        product, added = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
        total = product + added
        target = np.float32 if kind == "bf16" else NATIVE[kind]
        if kind == "f32" and not _may_round_twice(total):
            return total.astype(target)
        return _rounded_once(product, added, kind)
    product, low = _product(a, b)
    total = product + c
    part = total - product
    rest = (product - (total - part)) + (c - part)
    exact = total + (rest + low)
    return np.where(np.isfinite(exact), exact, a * b + c)


def _may_round_twice(total: np.ndarray) -> np.bool_:
    """Whether a number of double precision may lie between two of single precision only since it was rounded."""
    half = (total.view(np.int64) & 0x1FFFFFFF) == 0x10000000
    tiny = (np.abs(total) < 2.0**-126) & (total != 0)
    return (half | tiny).any()


def two_halves(high: np.ndarray, low: np.ndarray, kind: str) -> np.ndarray:
    """Two numbers of a half type as the bits of one register."""
    upper, lower = (written(converted(x, "f32", kind, ()), kind) for x in (high, low))
    return upper.astype(np.uint32) << np.uint32(16) | lower.astype(np.uint32)


def _rounded_once(product: np.ndarray, c: np.ndarray, kind: str) -> np.ndarray:
    """The sum of numbers of double precision in a narrower type, without rounding in between."""
    total = product + c
    part = total - product
    rest = (product - (total - part)) + (c - part)
    # Round to odd: a sum that is not exact must not look like a tie.
    bits = total.view(np.int64)
    inexact = np.isfinite(total) & (rest != 0) & (bits & 1 == 0)
    away = np.where((rest > 0) == (total > 0), 1, -1)
    odd = np.where(inexact, (bits + away), bits).view(np.float64)
    target = np.float32 if kind == "bf16" else NATIVE[kind]
    return odd.astype(target)


def _product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A product and what its rounding has lost, after Dekker."""
    whole = a * b
    split = np.float64(134217729.0)
    high_a, high_b = a * split, b * split
    high_a, high_b = high_a - (high_a - a), high_b - (high_b - b)
    low_a, low_b = a - high_a, b - high_b
    lost = ((high_a * high_b - whole) + high_a * low_b + low_a * high_b) + low_a * low_b
    return whole, lost


def converted(values: np.ndarray, source: str, target: str, modes: tuple[str, ...]) -> np.ndarray:
    """Numbers of one type as another's, by ``cvt``'s rules."""
    if source in FLOATS and target not in FLOATS:
        return _to_integer(values, target, modes)
    if source in FLOATS:
        rounding = {"rni": np.rint, "rmi": np.floor, "rpi": np.ceil, "rzi": np.trunc}
        for mode in modes:
            if mode in rounding:
                values = rounding[mode](values)
        if "sat" in modes:
            values = np.where(np.isnan(values), 0, np.clip(values, 0, 1))
        return values if target == "bf16" else values.astype(NATIVE[target])
    if target in FLOATS:
        return (
            values.astype(np.float64 if target == "f64" else np.float32)
            if target != "f16"
            else values.astype(np.float16)
        )
    if "sat" in modes:
        limits = np.iinfo(NATIVE[target])
        return np.array([min(max(int(v), limits.min), limits.max) for v in values], NATIVE[target])
    return values.astype(NATIVE[target])


def _to_integer(values: np.ndarray, target: str, modes: tuple[str, ...]) -> np.ndarray:
    """Rounded as a mode says, and kept within the type; what is no number becomes 0."""
    rounding = {"rni": np.rint, "rmi": np.floor, "rpi": np.ceil, "rzi": np.trunc}
    whole = next(rounding[m] for m in modes if m in rounding)(values.astype(np.float64))
    limits = np.iinfo(NATIVE[target])
    low, high = float(limits.min), float(limits.max)
    inside = np.where(np.isnan(whole) | (whole <= low) | (whole >= high), 0, whole)
    found = inside.astype(NATIVE[target])
    found = np.where(whole >= high, limits.max, found)
    found = np.where(whole <= low, limits.min, found)
    return np.where(np.isnan(whole), 0, found).astype(NATIVE[target])


def high_product(a: np.ndarray, b: np.ndarray, kind: str) -> np.ndarray:
    """The upper half of a product."""
    size = 8 * width(kind)
    if size < 64:
        wide = np.int64 if kind[0] == "s" else np.uint64
        product = a.astype(wide) * b.astype(wide)
        return (product >> wide(size)).astype(NATIVE[kind])
    signed = kind[0] == "s"
    low, high = np.uint64(0xFFFFFFFF), np.uint64(32)
    one, other = a.view(np.uint64), b.view(np.uint64)
    a0, a1, b0, b1 = one & low, one >> high, other & low, other >> high
    middle = a1 * b0 + (a0 * b0 >> high)
    rest = a0 * b1 + (middle & low)
    found = a1 * b1 + (middle >> high) + (rest >> high)
    if signed:
        found = found - np.where(a < 0, other, np.uint64(0)) - np.where(b < 0, one, np.uint64(0))
    return found.view(NATIVE[kind])


def divided(a: np.ndarray, b: np.ndarray, kind: str, remainder: bool) -> np.ndarray:
    """Quotients towards zero; a division by zero has all bits set."""
    safe = np.where(b == 0, 1, b).astype(b.dtype)
    with np.errstate(all="ignore"):
        if kind[0] == "u":
            found = a % safe if remainder else a // safe
        else:
            left = np.fmod(a, safe)
            found = left if remainder else ((a - left) // safe).astype(a.dtype)
    missing = a if remainder else np.full_like(a, -1 if kind[0] == "s" else np.iinfo(a.dtype).max)
    return np.where(b == 0, missing, found)
