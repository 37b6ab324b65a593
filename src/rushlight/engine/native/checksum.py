"""The check sum of archives (CRC-32), many bytes at a time where the processor multiplies polynomials.

A sum is a rest: that of the bytes as one long polynomial, divided by a fixed one. What lies far ahead of
the end may be replaced by its product with a power's rest, so four blocks of 16 bytes are folded onto the
next four until 64 bytes are left; zlib sums up these and what does not fill a block.
"""

from __future__ import annotations

import ctypes
import functools
import zlib
from typing import Any

from rushlight.engine.native import machine, runtime
from rushlight.engine.native.lowlevel import Module, immediate, intrinsic, load, pointer, store
from rushlight.engine.native.lowlevel.values import Value, let

module = Module("checksum")
_BLOCK = "<2 x i64>"
_STRIDE = 64
# Rests of the powers by which 16 bytes are moved ahead over 64, of their first and their second half.
_FIRST, _SECOND = 0x154442BD4, 0x1C6E41596
_TURNED = 0xFFFFFFFF


def _read(address: Any) -> Any:
    return load(pointer(address), _BLOCK, 1)


def _sum(a: Any, b: Any) -> Any:
    return let(_BLOCK, f"xor {a}, {b.name}")


def _folded(block: Any, ahead: Any) -> Any:
    """A block moved onto the one that lies 64 bytes behind it."""
    powers = Value(_BLOCK, f"<i64 {_FIRST}, i64 {_SECOND}>")
    low, high = (
        intrinsic(_BLOCK, "llvm.x86.pclmulqdq", block, powers, immediate(halves, "i8"))
        for halves in (0x00, 0x11)
    )
    return _sum(_sum(low, high), ahead)


@module.function
def fold_blocks(data: int, count: int, left: int) -> int:
    """Fold so many blocks of 64 bytes onto the last; ``left`` has what is added to the first, and then that."""
    a = _sum(_read(data), _read(left))
    b, c, d = _read(data + 16), _read(data + 32), _read(data + 48)
    for k in range(1, count):
        at = data + k * 64
        a = _folded(a, _read(at))
        b = _folded(b, _read(at + 16))
        c = _folded(c, _read(at + 32))
        d = _folded(d, _read(at + 48))
    store(pointer(left), a, 1)
    store(pointer(left + 16), b, 1)
    store(pointer(left + 32), c, 1)
    store(pointer(left + 48), d, 1)
    return 0


@functools.cache
def _fold() -> Any:
    """The compiled function; None on processors without the instruction."""
    features = machine.host()[1].split(",")
    return runtime.callable_from_python(fold_blocks, module) if "+pclmul" in features else None


def crc32(data: memoryview, before: int = 0) -> int:
    """What `zlib.crc32` gives for bytes that may be written, after those whose sum is ``before``."""
    fold = _fold()
    if fold is None or len(data) < _STRIDE:
        return zlib.crc32(data, before)
    count = len(data) // _STRIDE
    # The sum so far is added to the first bytes that follow; sums are kept with their bits turned over.
    left = bytearray((before ^ _TURNED).to_bytes(4, "little") + bytes(_STRIDE - 4))
    places = [ctypes.addressof(ctypes.c_char.from_buffer(x)) for x in (data, left)]
    fold(places[0], count, places[1])
    return zlib.crc32(data[count * _STRIDE :], zlib.crc32(left, _TURNED))
