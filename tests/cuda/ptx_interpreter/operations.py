"""What instructions compute that touch neither memory nor other threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ptx_interpreter import numbers
from ptx_interpreter.numbers import FLOATS, NATIVE, bits_type, read, width, written

# An operation gets the names of its modifiers, its type, and the bits of its operands.
Operation = Callable[[tuple[str, ...], str, list[np.ndarray]], np.ndarray]
TABLE: dict[str, Operation] = {}


def operation(*names: str) -> Callable[[Operation], Operation]:
    def register(function: Operation) -> Operation:
        for name in names:
            TABLE[name] = function
        return function

    return register


def _as_numbers(kind: str, bits: list[np.ndarray]) -> list[np.ndarray]:
    return [read(b, kind) for b in bits]


def _register(name: str, function: Callable[..., np.ndarray]) -> None:
    @operation(name)
    def run(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
        if kind in ("f16x2", "bf16x2"):
            return _both_halves(run, modes, kind, bits)
        found = function(*_as_numbers(kind, bits))
        if "ftz" in modes:
            found = np.where(np.abs(found) < np.finfo(np.float32).tiny, found * 0, found)
        return written(found, kind)


def _both_halves(
    run: Operation, modes: tuple[str, ...], kind: str, bits: list[np.ndarray]
) -> np.ndarray:
    low = run(modes, kind[:-2], [(b & np.uint32(0xFFFF)).astype(np.uint16) for b in bits])
    high = run(modes, kind[:-2], [(b >> np.uint32(16)).astype(np.uint16) for b in bits])
    return low.astype(np.uint32) | high.astype(np.uint32) << np.uint32(16)


for _name, _function in {
    "add": np.add, "sub": np.subtract, "neg": np.negative, "abs": np.abs, "sqrt": np.sqrt,
    "rcp": lambda a: 1 / a, "rsqrt": lambda a: 1 / np.sqrt(a), "ex2": np.exp2, "lg2": np.log2,
    "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}.items():  # fmt: skip
    _register(_name, _function)


@operation("not")
def invert(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    return ~bits[0] if kind == "pred" else ~read(bits[0], kind)


@operation("mul", "mul24")
def multiply(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    if kind in ("f16x2", "bf16x2"):
        return _both_halves(multiply, modes, kind, bits)
    a, b = _as_numbers(kind, bits[:2])
    if "wide" in modes:
        wide = f"{kind[0]}{16 * width(kind)}"
        return written(a.astype(NATIVE[wide]) * b.astype(NATIVE[wide]), wide)
    if "hi" in modes:
        return written(numbers.high_product(a, b, kind), kind)
    return written(a * b, kind)


@operation("mad")
def multiply_add(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    if kind in FLOATS:
        return fused(modes, kind, bits)
    product = multiply(modes, kind, bits)
    return product + bits[2].astype(product.dtype)


@operation("fma")
def fused(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    if kind in ("f16x2", "bf16x2"):
        return _both_halves(fused, modes, kind, bits)
    found = numbers.fused(*_as_numbers(kind, bits), kind)
    if "relu" in modes:
        found = np.maximum(found, 0)
    return written(found, kind)


@operation("div")
def divide(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    a, b = _as_numbers(kind, bits)
    return written(a / b if kind in FLOATS else numbers.divided(a, b, kind, False), kind)


@operation("rem")
def remainder(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    return written(numbers.divided(*_as_numbers(kind, bits), kind, True), kind)


def _extreme(name: str) -> None:
    whole, quiet = (np.minimum, np.fmin) if name == "min" else (np.maximum, np.fmax)

    @operation(name)
    def run(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
        a, b = _as_numbers(kind, bits)
        if kind not in FLOATS:
            return written(whole(a, b), kind)
        found = (whole if "NaN" in modes else quiet)(a, b)
        # Of two zeros, the negative one is the smaller.
        both = (a == 0) & (b == 0)
        sign = np.signbit(a) | np.signbit(b) if name == "min" else np.signbit(a) & np.signbit(b)
        return written(np.where(both, np.where(sign, -0.0, 0.0).astype(a.dtype), found), kind)


_extreme("min")
_extreme("max")


@operation("copysign")
def copy_sign(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    sign, magnitude = _as_numbers(kind, bits)
    return written(np.copysign(magnitude, sign), kind)


def _shift(name: str, function: Callable[..., np.ndarray]) -> None:
    @operation(name)
    def run(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
        value = read(bits[0], kind)
        most = 8 * width(kind)
        by = bits[1].astype(np.uint64)
        inside = np.minimum(by, np.uint64(most - 1)).astype(value.dtype)
        found = function(value, inside)
        beyond = np.where(value < 0, -1, 0) if kind[0] == "s" else np.zeros_like(value)
        return written(np.where(by >= most, beyond.astype(value.dtype), found), kind)


_shift("shl", np.left_shift)
_shift("shr", np.right_shift)


@operation("popc")
def count_ones(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    return np.bitwise_count(read(bits[0], kind)).astype(np.uint32)


@operation("clz")
def leading_zeros(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    value, size = read(bits[0], kind), 8 * width(kind)
    return np.array([size - int(v).bit_length() for v in value], np.uint32)


@operation("brev")
def reversed_bits(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    value, size = read(bits[0], kind), 8 * width(kind)
    return np.array([int(f"{int(v):0{size}b}"[::-1], 2) for v in value], bits_type(width(kind)))


@operation("bfe")
def extracted(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    size = 8 * width(kind)
    made = []
    for value, start, length in zip(read(bits[0], kind), bits[1], bits[2]):
        start, length = int(start) & 255, int(length) & 255
        found = (int(value) & (1 << size) - 1) >> start & (1 << min(length, size)) - 1
        if kind[0] == "s" and length and found >> length - 1 & 1:
            found -= 1 << length
        made.append(found & (1 << size) - 1)
    return np.array(made, bits_type(width(kind)))


@operation("prmt")
def permuted(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    a, b, choice = (x.astype(np.uint64) for x in bits)
    pool = b << np.uint64(32) | a
    made = np.zeros(len(a), np.uint64)
    for k in range(4):
        chosen = choice >> np.uint64(4 * k) & np.uint64(15)
        byte = pool >> (chosen & np.uint64(7)) * np.uint64(8) & np.uint64(255)
        sign = np.where(byte >> np.uint64(7), np.uint64(255), np.uint64(0))
        made |= np.where(chosen & np.uint64(8), sign, byte) << np.uint64(8 * k)
    return made.astype(np.uint32)


@operation("shf")
def funnel(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    low, high, by = (x.astype(np.uint64) for x in bits)
    by = by & np.uint64(31) if "wrap" in modes else np.minimum(by, np.uint64(32))
    both = high << np.uint64(32) | low
    if "l" in modes:
        return ((both << by) >> np.uint64(32)).astype(np.uint32)
    return (both >> by).astype(np.uint32)


@operation("selp")
def chosen(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    return np.where(bits[2], bits[0], bits[1])


COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "lo": np.less, "ls": np.less_equal, "hi": np.greater,
    "hs": np.greater_equal,
}  # fmt: skip


def compared(modes: tuple[str, ...], kind: str, bits: list[np.ndarray]) -> np.ndarray:
    """What ``setp`` and ``set`` find out; with a third operand, joined with it."""
    a, b = _as_numbers(kind, bits[:2])
    name = modes[0]
    if kind in FLOATS:
        unordered = np.isnan(a) | np.isnan(b)
        if name in ("num", "nan"):
            found = unordered if name == "nan" else ~unordered
        elif name in COMPARISONS:
            found = COMPARISONS[name](a, b) & ~unordered
        else:
            found = COMPARISONS[name[:-1]](a, b) | unordered
    else:
        found = COMPARISONS[name](a, b)
    for mode, join in (("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)):
        if mode in modes[1:]:
            found = join(found, bits[2])
    return found


def _arithmetic(name: str) -> Callable[..., np.ndarray]:
    return lambda kind, *bits: TABLE[name]((), kind, list(bits))


ATOMIC: dict[str, Callable[..., np.ndarray]] = {
    **{name: _arithmetic(name) for name in ("add", "min", "max", "and", "or", "xor")},
    "exch": lambda kind, old, new: new,
    "cas": lambda kind, old, expected, new: np.where(old == expected, new, old),
}


def atomically(
    words: np.ndarray, places: np.ndarray, what: str, kind: str, count: int, *values: np.ndarray
) -> np.ndarray:
    """Change memory, one thread after the other where several name a place; what was there before each."""
    places = np.broadcast_to(places, (count,))
    given = [np.broadcast_to(v, (count,)) for v in values]
    old = np.zeros(count, words.dtype)
    left = np.arange(count)
    while len(left):
        _, first = np.unique(places[left], return_index=True)
        now = left[first]
        here = places[now]
        old[now] = words[here]
        words[here] = ATOMIC[what](kind, old[now], *(v[now] for v in given))
        left = np.delete(left, first)
    return old
