"""From real numbers to whole ones and back: scalar functions that kernels are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.quantized import limits_of
from rushlight.engine.loops.expr import Value, bitcast, const, convert, fma, rint, select

# From 2^23 on, numbers of single precision are whole.
NO_FRACTIONS = 1.5 * 2.0**23


def inverse_of(scale: float) -> float:
    """What elements are multiplied by, in single precision as they are."""
    with np.errstate(divide="ignore", over="ignore"):
        return float(np.float32(1) / np.float32(scale))


def within(x: Value, low: Value, high: Value) -> Value:
    """A number cut to a range; what is no number becomes the largest, as comparisons with it are false."""
    inside = select(x < high, x, high)
    return select(inside > low, inside, low)


def rounded(x: Value, kind: dtypes.dtype) -> Value:
    """The number of a type that is nearest to a real one; from halves, the even one."""
    low, high = limits_of(kind)
    if kind.itemsize == 4:
        inside = within(
            convert(rint(x), "f64"), const("f64", float(low)), const("f64", float(high))
        )
        return convert(inside, kind.memory)
    inside = within(x, const("f32", float(low)), const("f32", float(high)))
    # The sum has no room for fractions: it is rounded, and its lowest bits are the number.
    bits = bitcast(inside + const("f32", NO_FRACTIONS), "i32")
    return convert(bits, kind.memory)


def to_numbers(kind: dtypes.dtype) -> Any:
    """The function from an element, its scale's inverse and the zero point to the number."""

    def quantize(x: Value, inverse: Value, zero_point: Value) -> Value:
        # The zero point is added before: where it is odd, that decides halves.
        zero = convert(zero_point, "f32")
        whole = fma(x, inverse, zero) if kind.itemsize == 1 else x * inverse + zero
        return rounded(whole, kind)

    return quantize


def to_element(number: Value, scale: Value, zero_point: Value) -> Value:
    """The element that a number stands for."""
    return convert(convert(number, "i32") - zero_point, "f32") * scale


def to_element_fused(number: Value, scale: Value, shift: Value) -> Value:
    """The same with one rounding; ``shift`` is minus scale times zero point."""
    return fma(scale, convert(convert(number, "i32"), "f32"), shift)
