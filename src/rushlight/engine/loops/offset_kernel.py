"""Products whose factors lie where tables say: convolutions, and their gradients for weights.

    C[m, v] = bias[m] + sum over k of A[p(m) + a(k)] * B[b(k) + v]

A row of B is a vector that begins at a table's offset for the step of the sum, plus another one's
for the place along the result. Windows of an image are such rows, so the image is read where it
lies, once for every tile of the result, and never copied into columns.

Dim 0 is summed over, dim 1 counts vectors, dim 2 runs along rows of A and C. A tile of C is held in
registers over the whole sum (`offset_tile`). The tables are words of bytes:

- a step of the sum: the offset in A, the offset in B; the last one `AHEAD` times more;
- a vector: its offset in B, where it goes in C if all of it goes there in one piece, else -1, then
  where each lane goes, -1 for lanes that count for nothing;
- a row, if rows are placed by a table rather than at equal distances: its offset in A.
"""

from __future__ import annotations

from rushlight.engine.loops.arguments import Arguments, KernelOperand
from rushlight.engine.loops.offset_tile import AHEAD, OffsetTiles, vector_words
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.tile_choice import choose_tile
from rushlight.engine.native.lowlevel import (
    Pointer,
    inlined,
    kernel_text,
    maximum,
    minimum,
    select,
)

# How much of A stays in cache while all vectors of B go by.
ROWS_BYTES = 1 << 19
# So many vectors of B, over all steps, stay in cache themselves.
FEW_VECTORS = 1 << 13


def offset_product_ir(
    type: str,
    biased: bool,
    block: int = 0,
    lone: bool = False,
    placed: bool = False,
    target: Target | None = None,
) -> str:
    """The IR of a product by tables.

    Operands: C, A, B, the bias if ``biased``, the table of steps, the table of vectors. With a
    ``block``, sums are continued from block to block of so many steps: all vectors go to C in one
    piece and are added to what is there. A ``lone`` row of A takes more vectors at once. Rows
    that are ``placed`` have a table for the last operand, and overlap so much that all of them stay
    in cache.
    """
    tiles = OffsetTiles(type, target or host_target(), biased, block > 0, lone, placed)
    return kernel_text(_OffsetProduct(tiles, block).run)


class _OffsetProduct:
    """The loops around the tiles: blocks of the sum, bands of rows, vectors, tiles' heights."""

    def __init__(self, tiles: OffsetTiles, block: int) -> None:
        self.tiles = tiles
        self.block = block
        self.high = tiles.heights[0]

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        tiles = self.tiles
        given = Arguments(data, sizes, strides, 5 + tiles.biased + tiles.placed, 3)
        self.c, self.a, self.b, *others = given.operands
        # What is not there is C instead, and not used.
        self.bias = others[0] if tiles.biased else self.c
        self.steps, self.vectors = others[tiles.biased : tiles.biased + 2]
        self.places = others[-1]
        self.depth, self.count, self.rows = given.size
        block = self.block if self.block else self.depth + 1
        for k in range(0, maximum(self.depth, 1), block):
            self.add_block(k, minimum(self.depth - k, block))

    @inlined
    def add_block(self, k: int, deep: int) -> None:
        """Add a block of the sum to C."""
        step = self.steps.at(0, k)
        high = self.band_rows(deep)
        for m in range(0, self.rows, high):
            band = minimum(self.rows - m, high)
            bases = [x.at(2, m) for x in self.along_rows()]
            for n in range(0, self.count, self.tiles.vectors):
                width = minimum(self.count - n, self.tiles.vectors)
                table = self.vectors.at(1, n)
                for i in range(0, band, self.high):
                    self.multiply_tile(bases, i, band, step, deep, table, width)

    def along_rows(self) -> list[KernelOperand]:
        """The operands that have rows."""
        return [self.c, self.a, self.bias, self.places]

    def band_rows(self, deep: int) -> int:
        """So many rows of A stay in cache; where B is small, results are written along rows."""
        if self.tiles.placed:
            return self.rows + 1
        fitting = (ROWS_BYTES // ((deep + 1) * self.tiles.item)) & -self.high
        is_large = deep * self.count > FEW_VECTORS
        return maximum(select(is_large, fitting, 0), self.high)

    def multiply_tile(
        self, bases: list[Pointer], i: int, band: int, step: Pointer, deep: int, table: Pointer,
        width: int,
    ) -> None:  # fmt: skip
        """Call the tile that just covers so many vectors, and the rows from i on."""
        height = minimum(band - i, self.high)
        operands = self.along_rows()
        c, a, bias, places = (x.at(2, i, base) for x, base in zip(operands, bases, strict=True))
        given = [
            a, self.a.stride[2], self.b.base, c, self.c.stride[2], step, deep, table,
            bias, self.bias.stride[2], places, height,
        ]  # fmt: skip

        def call(rows: int, vectors: int) -> None:
            self.tiles.tile(*given, rows=rows, vectors=vectors)

        choose_tile(self.tiles.heights, self.tiles.vectors, height, width, 1, call)


__all__ = ["AHEAD", "offset_product_ir", "vector_words"]
