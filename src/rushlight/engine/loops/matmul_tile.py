"""A tile of C: some rows of some vectors, held in registers while the sum goes on.

In each step a row of B, of which a vector or a few are loaded, is multiplied with one element from
each of several rows of A. Tiles at the edges repeat their last row and mask their last vector.
"""

from __future__ import annotations

from rushlight.engine.loops.lanes import Lanes
from rushlight.engine.loops.target import Target
from rushlight.engine.native.lowlevel import (
    Mask,
    Pointer,
    Scalar,
    Vector,
    apart,
    bits_as,
    inlined,
    intrinsic,
    minimum,
    prefetch,
    registers,
    shifted,
    unroll,
)

# From this depth on a tile's work takes longer than the way to memory.
FETCH_DEPTH = 128


class Tiles(Lanes):
    """The tiles of a product of one element type, on a target.

    If the factors are ``paired``, their elements are neighbours along the sum: two in bf16, as large as an
    f32; or four bytes, as large as an i32.
    """

    def __init__(self, type: str, target: Target, paired: bool) -> None:
        super().__init__(type, target)
        self.paired = paired
        self.vectors = 3
        self.heights = (8, 4, 2) if target.vector_bytes == 64 else (4, 2)
        self.width = self.vectors * self.lanes

    @apart
    def tile(
        self,
        a: Pointer, am: int, ak: int, b: Pointer, bk: int, c: Pointer, cm: int, x: Pointer, xm: int,
        depth: int, height: int, last: int, alpha: Scalar, beta: Scalar, adds: bool, padded: bool,
        *, rows: int, vectors: int,
    ) -> None:  # fmt: skip
        """Up to ``rows`` rows of C, ``vectors`` vectors wide, the last of them ``last`` lanes.

        A factor's step along a dimension is called by both: ``am`` bytes lie between rows of A. With
        ``adds``, beta X is added. B is ``padded`` if whole vectors of it may be read.
        """
        final = height - 1
        # Rows that there are not repeat the last one: what comes of them is not stored.
        row = [minimum(final, i) * am if i else 0 for i in unroll(rows)]
        mask = self.mask(last)
        every = last == self.lanes
        # Masks cost a place among the multiplications, and copies of B end in zeros.
        if not self.target.masks or every | padded:
            sums = self.sums(a, row, ak, b, bk, depth, None, vectors)
        else:
            sums = self.sums(a, row, ak, b, bk, depth, mask, vectors)
        factors = self.spread(alpha), self.spread(beta)
        if adds:
            self.finish(sums, factors, c, cm, x, xm, height, mask, every, vectors, True)
        else:
            self.finish(sums, factors, c, cm, x, xm, height, mask, every, vectors, False)

    @inlined
    def sums(
        self,
        a: Pointer, row: list[int], ak: int, b: Pointer, bk: int,
        depth: int, mask: Mask | None, vectors: int,
    ) -> list[Vector]:  # fmt: skip
        """The sums over the depth, row by row."""
        sums = registers(len(row) * vectors, self.zero)
        for _ in range(depth):
            line = [
                self.load_right(b, j, mask if j == vectors - 1 else None) for j in unroll(vectors)
            ]
            for i in unroll(len(row)):
                left = self.load_element(a + row[i])
                for j in unroll(vectors):
                    sums[i * vectors + j] = self.accumulate(left, line[j], sums[i * vectors + j])
            a += ak
            b += bk
        return sums

    def load_right(self, b: Pointer, j: int, mask: Mask | None) -> Vector:
        """A vector of a row of B."""
        place = b + j * self.vector_bytes
        return self.load(place) if mask is None else self.load_some(place, mask)

    def accumulate(self, a: Vector, b: Vector, c: Vector) -> Vector:
        """``c + a b`` for elements of the factors; for neighbours, with all their products."""
        if not self.paired:
            return self.multiply_add(a, b, c)
        if self.name == "i32":
            return self.accumulate_bytes(a, b, c)
        pairs = f"<{2 * self.lanes} x bfloat>"
        dot = "llvm.x86.avx512bf16.dpbf16ps.512"
        return intrinsic(self.vector, dot, c, bits_as(a, pairs), bits_as(b, pairs))

    def accumulate_bytes(self, a: Vector, b: Vector, c: Vector) -> Vector:
        """``c`` and the four products of bytes in each lane."""
        if self.target.quads:
            name = f"llvm.x86.avx512.vpdpbusd.{8 * self.vector_bytes}"
            return intrinsic(self.vector, name, c, a, b)
        for k in unroll(4):
            left = shifted(a << 24 - 8 * k, 24)
            c += left * (b << 24 - 8 * k >> 24)
        return c

    @inlined
    def finish(
        self,
        sums: list[Vector], factors: tuple[Vector, Vector], c: Pointer, cm: int, x: Pointer, xm: int,
        height: int, mask: Mask, every: bool, vectors: int, adds: bool,
    ) -> None:  # fmt: skip
        """Store the rows that there are: alpha times the sums, and beta X where that is added."""
        alpha, beta = factors
        for i in unroll(len(sums) // vectors):
            if i > 0 and height <= i:
                return
            to, beside = c + cm * i, x + xm * i if adds else x
            for j in unroll(vectors):
                offset, is_edge = j * self.vector_bytes, j == vectors - 1
                value = alpha * sums[i * vectors + j]
                if adds:
                    other = self.load_edge(beside + offset, mask, every, is_edge)
                    value = self.multiply_add(beta, other, value)
                self.store_edge(to + offset, value, mask, every, is_edge)

    def load_edge(self, place: Pointer, mask: Mask, every: bool, is_edge: bool) -> Vector:
        """A vector of a row; of the last one the lanes that there are."""
        if not is_edge:
            return self.load(place)
        if self.target.masks:
            return self.load_some(place, mask)
        return self.load_unmasked(place, mask, every)

    @inlined
    def load_unmasked(self, place: Pointer, mask: Mask, every: bool) -> Vector:
        # Where masks cost much, a whole vector goes without.
        return self.load(place) if every else self.load_some(place, mask)

    def store_edge(
        self, place: Pointer, value: Vector, mask: Mask, every: bool, is_edge: bool
    ) -> None:
        if not is_edge:
            self.store(place, value)
        elif self.target.masks:
            self.store_some(place, value, mask)
        else:
            self.store_unmasked(place, value, mask, every)

    @inlined
    def store_unmasked(self, place: Pointer, value: Vector, mask: Mask, every: bool) -> None:
        if every:
            self.store(place, value)
        else:
            self.store_some(place, value, mask)

    @inlined
    def fetch(self, c: Pointer, cm: int, deep: int) -> None:
        """Ask for a tile of C early: it is written once the whole depth is multiplied."""
        if deep >= FETCH_DEPTH:
            for i in unroll(self.heights[0]):
                for j in unroll(self.vectors):
                    prefetch(c + cm * i + j * self.vector_bytes, writes=True, level=2)
