"""Kernels that pick elements by a mask: counted block by block, then written one after the other.

Both have one dimension, the blocks. A block's count says where the elements of the following ones
go, so threads may do blocks in any order. Masks are bytes.
"""

from __future__ import annotations

from rushlight.engine.loops.arguments import Arguments
from rushlight.engine.loops.target import host_target
from rushlight.engine.native.lowlevel import (
    Mask,
    Pointer,
    Vector,
    broadcast,
    count_of,
    extended,
    inlined,
    kernel_text,
    lanes_from,
    load,
    store,
    store_together,
    vector_of,
)

_COUNT_LANES = 64


def count_ir() -> str:
    """Operands: the blocks' counts (written), their lengths, the mask."""
    return kernel_text(_count)


def choose_ir(bits: int) -> str:
    """Write the chosen elements, or with ``bits`` 0 their positions.

    Operands: the target, where each block's part of it begins, the blocks' lengths, the mask, the
    source (or the position of each block's first element).
    """
    return kernel_text(_Choice(bits).run)


@inlined
def _count(data: Pointer, sizes: Pointer, strides: Pointer) -> None:
    given = Arguments(data, sizes, strides, 3, 1)
    for block in range(given.size[0]):
        counts, lengths, mask = (x.at(0, block) for x in given.operands)
        length = load(lengths)
        found, j = 0, 0
        while j < length - (_COUNT_LANES - 1):
            found += count_of(_bits(mask + j, _COUNT_LANES))
            j += _COUNT_LANES
        while j < length:
            found += extended(_bits(mask + j, 1), signed=False)
            j += 1
        store(counts, found)


def _bits(place: Pointer, lanes: int) -> Mask:
    """Where so many bytes are not zero."""
    return load(place, vector_of(lanes, "i8")) != 0


class _Choice:
    """Chosen elements of so many bits, or positions."""

    def __init__(self, bits: int) -> None:
        self.takes_elements = bits != 0
        width = bits or 64
        self.item, self.scalar = width // 8, f"i{width}"
        most = host_target().vector_bytes // self.item
        self.lanes = max(1, min(64, most)) if width <= 64 else 1

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        given = Arguments(data, sizes, strides, 5, 1)
        targets, *operands = given.operands
        for block in range(given.size[0]):
            starts, lengths, mask, source = (x.at(0, block) for x in operands)
            to = targets.base + load(starts) * self.item
            length = load(lengths)
            first = 0 if self.takes_elements else load(source)
            j = 0
            if self.lanes > 1:
                while j < length - (self.lanes - 1):
                    chosen = _bits(mask + j, self.lanes)
                    store_together(to, self.elements(source, first, j), chosen)
                    to += count_of(chosen) * self.item
                    j += self.lanes
            while j < length:
                is_chosen = _bits(mask + j, 1)
                if is_chosen:
                    store(to, self.element(source, first, j), align=1)
                to += extended(is_chosen, signed=False) * self.item
                j += 1

    def elements(self, source: Pointer, first: int, j: int) -> Vector:
        """A vector of elements, or of positions."""
        if self.takes_elements:
            return load(source + j * self.item, vector_of(self.lanes, self.scalar), align=1)
        return broadcast(first + j, self.lanes) + lanes_from(range(self.lanes), "i64")

    def element(self, source: Pointer, first: int, j: int) -> int:
        if self.takes_elements:
            return load(source + j * self.item, self.scalar, align=1)
        return first + j
