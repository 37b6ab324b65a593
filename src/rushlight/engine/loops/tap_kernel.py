"""Sums of the products of one plane with several others: a depthwise weight's gradient.

    C[t] = sum over rows and elements of A[row, element] * B[b(t) + row, element]

Dim 0 runs along a row, dim 1 counts rows. Operands: C, whose elements are neighbours, A, B, and a
table of byte offsets, one for each tap. Every vector of A meets one of B for each tap, whose sums stay
in registers.
"""

from __future__ import annotations

from rushlight.engine.loops.arguments import Arguments
from rushlight.engine.loops.lanes import Lanes
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.native.lowlevel import (
    Mask,
    Pointer,
    Vector,
    inlined,
    kernel_text,
    load,
    registers,
    store,
    sum_of_lanes,
    unroll,
)

# So many sums, and what they are made of, have a register each.
MOST_TAPS = 12


def taps_ir(type: str, taps: int, target: Target | None = None) -> str:
    """The IR of the sums for so many taps; A and B are contiguous along dim 0."""
    return kernel_text(_Taps(type, taps, target or host_target()).run)


class _Taps(Lanes):
    def __init__(self, type: str, taps: int, target: Target) -> None:
        super().__init__(type, target)
        self.taps = taps

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        given = Arguments(data, sizes, strides, 4, 2)
        c, a, b, table = given.operands
        others = [b.base + load(table.base + 8 * t) for t in unroll(self.taps)]
        width, height = given.size
        whole = width & -self.lanes
        mask = self.mask(width - whole)
        is_odd = width != whole
        sums = registers(self.taps, self.zero)
        for i in range(height):
            down = i * b.stride[1]
            line = a.at(1, i)
            rows = [other + down for other in others]
            for first in range(0, whole, self.lanes):
                sums = self.add(sums, line, rows, first, None)
            if is_odd:
                sums = self.add(sums, line, rows, whole, mask)
        for t in unroll(self.taps):
            store(c.base + t * self.item, sum_of_lanes(sums[t]))

    def add(
        self, sums: list[Vector], line: Pointer, rows: list[Pointer], first: int, mask: Mask | None
    ) -> list[Vector]:
        """The sums, with the products of a vector; of its lanes that a mask has, if there is one."""
        offset = first * self.item
        a = self.read(line + offset, mask)
        return [
            self.multiply_add(a, self.read(row + offset, mask), total)
            for row, total in zip(rows, sums, strict=True)
        ]

    def read(self, place: Pointer, mask: Mask | None) -> Vector:
        return self.load(place) if mask is None else self.load_some(place, mask)


__all__ = ["MOST_TAPS", "taps_ir"]
