"""Elements as integers in the same order, for the machine code that sorts and selects.

NaN is the largest key, and both zeros are one. Everything that is compiled together with these
functions belongs to one module.
"""

from __future__ import annotations

from rushlight.engine.native.lowlevel import Module, load, load32, store

# Compiled on its own, when something is first sorted.
module = Module("selection")

# Types whose keys are found here; the others come as integers of eight bytes.
FLOAT32, FLOAT64, INT32, INT64 = range(4)
_BIAS = 1 << 31
_LARGEST = (1 << 63) - 1


@module.function
def key_at(source: int, k: int, kind: int) -> int:
    """An element's key."""
    if kind == FLOAT32:
        bits = load32(source + k * 4)
        size = bits & 0x7FFFFFFF
        key = -size if bits < 0 else bits
        return (2 * _BIAS - 1) if size > 0x7F800000 else key + _BIAS
    if kind == FLOAT64:
        bits = load(source + k * 8)
        size = bits & _LARGEST
        key = -size if bits < 0 else bits
        return _LARGEST if size > 0x7FF0000000000000 else key
    if kind == INT32:
        return load32(source + k * 4) + _BIAS
    return load(source + k * 8)


@module.function
def element_of(key: int, kind: int) -> int:
    """The bits of the element that has a key, unless it is a NaN or a negative zero."""
    if kind == FLOAT32:
        bits = key - _BIAS
        return (-bits | _BIAS) if bits < 0 else bits
    if kind == FLOAT64:
        return (-key | (-_LARGEST - 1)) if key < 0 else key
    return key - _BIAS if kind == INT32 else key


@module.function
def width_of(kind: int) -> int:
    """The bytes of an element."""
    if kind == FLOAT32:
        return 4
    return 4 if kind == INT32 else 8


@module.function
def write_keys(source: int, count: int, kind: int, flip: int, keys: int) -> None:
    """The keys of neighbours; ``flip`` is -1 to turn the order around.

    One loop for each type, so that the optimiser makes vectors of it.
    """
    if kind == FLOAT32:
        for k in range(count):
            store(keys + k * 8, key_at(source, k, FLOAT32) ^ flip)
    elif kind == FLOAT64:
        for k in range(count):
            store(keys + k * 8, key_at(source, k, FLOAT64) ^ flip)
    elif kind == INT32:
        for k in range(count):
            store(keys + k * 8, key_at(source, k, INT32) ^ flip)
    else:
        for k in range(count):
            store(keys + k * 8, key_at(source, k, INT64) ^ flip)


@module.function
def lost_bits(source: int, count: int, kind: int, flip: int, keys: int) -> int:
    """Not 0 if one of the elements does not follow from its key."""
    lost = 0
    if kind == FLOAT32:
        for k in range(count):
            found = element_of(load(keys + k * 8) ^ flip, FLOAT32) ^ load32(source + k * 4)
            lost = lost | (found & 0xFFFFFFFF)
    elif kind == FLOAT64:
        for k in range(count):
            found = element_of(load(keys + k * 8) ^ flip, FLOAT64)
            lost = lost | (found ^ load(source + k * 8))
    return lost
