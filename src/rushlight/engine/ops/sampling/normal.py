"""Normal numbers in single precision, 16 at a time.

A block of 16 uniform numbers becomes one of 16 normal ones: each of the first eight gives a radius,
its partner among the last eight an angle. The logarithm, sine and cosine are those of the Cephes
library in single precision, with products and sums fused where PyTorch's kernel fuses them: the
numbers come out the same to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Template
from rushlight.engine.loops.expr import Value, bitcast, const, convert, fma, select, sqrt
from rushlight.engine.loops.plan import Loop
from rushlight.engine.ops.kinds.elementwise import copy_loop, elementwise_loop
from rushlight.engine.ops.sampling.streams import (
    SCRATCH,
    TARGET,
    Filling,
    drawing_loop,
    unit_f32,
    words_template,
)

BLOCK = 16
_HALF = BLOCK // 2

_LOG = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
# pi/4 in three parts, negative.
_QUARTER = (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)


def _polynomial(x: Value, coefficients: Sequence[float]) -> Value:
    total: Any = const("f32", coefficients[0])
    for coefficient in coefficients[1:]:
        total = fma(total, x, coefficient)
    return total


def cephes_log(x: Value) -> Value:
    """The logarithm of a positive number."""
    bits = bitcast(x, "i32")
    exponent = convert((bits >> 23) - 126, "f32")
    fraction = bitcast((bits & 0x007FFFFF) | 0x3F000000, "f32")
    small = fraction < 0.70710678118654752
    exponent = exponent - select(small, const("f32", 1), const("f32", 0))
    y = (fraction - 1) + select(small, fraction, const("f32", 0))
    square = y * y
    tail = fma(_polynomial(y, _LOG) * y, square, exponent * -2.12194440e-4)
    tail = fma(-square, 0.5, tail)
    return fma(exponent, 0.693359375, y + tail)


def cephes_sincos(x: Value) -> tuple[Value, Value]:
    """The sine and the cosine of an angle from 0 to 2 pi."""
    octant = (convert(x * 1.27323954473516, "i32") + 1) & ~1
    y = convert(octant, "f32")
    for part in _QUARTER:
        x = fma(y, part, x)
    square = x * x
    cosine = fma(_polynomial(square, _COS) * square, square, -(square * 0.5)) + 1
    sine = fma(_polynomial(square, _SIN) * square, x, x)
    swap = (octant & 2) != 0
    first, second = select(swap, cosine, sine), select(swap, sine, cosine)
    return (
        select((octant & 4) != 0, -first, first),
        select((~(octant - 2) & 4) != 0, -second, second),
    )


def _pair(near: Value, far: Value, mean: Value, deviation: Value) -> tuple[Value, Value]:
    radius = sqrt(-2 * cephes_log(1 - unit_f32(near)))
    sine, cosine = cephes_sincos(unit_f32(far) * (2 * math.pi))
    return fma(radius * cosine, deviation, mean), fma(radius * sine, deviation, mean)


def _blocks_loop(blocks: int, at: int = 0, of: int = 0) -> Loop:
    """The loop that makes normal numbers of blocks, from one element and one word on."""
    half = Template(sizes.intern((blocks, _HALF)), (BLOCK, 1), dtypes.float32)
    ins = ["u32", "u32", "f32", "f32"]
    outs = ["f32", "f32"]
    first, second = 4 * at, 4 * (at + _HALF)
    words = 4 * of, 4 * (of + _HALF)
    return elementwise_loop(
        _pair, [half, half], [half, half, 0.0, 0.0], outs, ins, ins, [first, second, *words, 0, 0]
    )


def block_filling(out: Template) -> Filling:
    """At least 16 normal numbers of a mean and a deviation, for a contiguous tensor.

    What the blocks leave over is the end of a block of its own, over the last 16 elements. Its
    words come after those of the blocks; in single precision, after those that the rest would
    have had.
    """
    count = sizes.numel(out.size)
    single = out.dtype is dtypes.float32
    rest = count % BLOCK
    drawn = count if single else count - rest
    length = drawn + BLOCK if rest else drawn
    words = words_template(length)
    scratch = [words] if single else [words, tensors.template_for(out.size, dtypes.float32)]
    source = SCRATCH + len(scratch)
    numbers = (SCRATCH, SCRATCH, source + 1, source + 2)
    made = TARGET if single else SCRATCH + 1
    links: list[tuple[Loop, Sequence[int]]] = [
        (drawing_loop(length), [SCRATCH, source]),
        (_blocks_loop(count // BLOCK), [made, made, *numbers]),
    ]
    if rest:
        links.append((_blocks_loop(1, count - BLOCK, drawn), [made, made, *numbers]))
    if not single:
        links.append((copy_loop(out, scratch[1]), [TARGET, made]))
    return Filling(links, 3, scratch)
