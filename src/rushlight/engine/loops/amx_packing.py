"""Copies of the factors of a product on AMX: squares as large as one of its registers."""

from __future__ import annotations

from rushlight.engine.native.lowlevel import (
    Mask,
    Pointer,
    Vector,
    apart,
    bits_as,
    broadcast,
    divided,
    lane_mask,
    left_over,
    load_masked,
    minimum,
    shuffle,
    store,
    transpose,
    unroll,
    vector_of,
)

# A register: its rows, and how many elements of the sum it holds.
SIDE, DEPTH = 16, 32
SQUARE_BYTES = 1024
# A row of one: halves along the sum, or pairs of them.
HALVES, PAIRS = vector_of(DEPTH, "i16"), vector_of(SIDE, "i32")


class AmxPacking:
    """Copies into squares. Every second square is of the same rows, or of the same columns."""

    @apart
    def pack_rows(
        self, start: Pointer, apart: int, depth: int, height: int, to: Pointer, turn: bool
    ) -> None:
        """Copy 16 or fewer rows of A, or columns of a turned B that become its transposed squares.

        Rows are so many bytes ``apart``.
        """
        last = height - 1
        for k in range(0, depth, DEPTH):
            mask = lane_mask(depth - k, DEPTH)
            square = to + divided(k, DEPTH) * (2 * SQUARE_BYTES)
            source = start + k * 2
            places = [source + minimum(last, i) * apart for i in unroll(SIDE)]
            rows = [load_masked(place, HALVES, mask) for place in places]
            if turn:
                self.store_rows(transpose([bits_as(row, PAIRS) for row in rows]), square)
            else:
                self.store_rows(rows, square)

    def store_rows(self, rows: list[Vector], to: Pointer) -> None:
        for i, row in enumerate(rows):
            store(to + 64 * i, row, align=64)

    @apart
    def pack_columns(self, start: Pointer, apart: int, depth: int, width: int, to: Pointer) -> None:
        """Copy up to 32 columns of B into squares of pairs of its rows, two beside each other."""
        mask = lane_mask(width, DEPTH)
        padded = (depth + (DEPTH - 1)) & -DEPTH
        for k in range(0, padded, 2):
            line = divided(left_over(k, DEPTH), 2)
            place = to + divided(k, DEPTH) * (2 * SQUARE_BYTES) + line * 64
            low = self.row(start, apart, depth, mask, k)
            high = self.row(start, apart, depth, mask, k + 1)
            for j in unroll(2):
                columns = [SIDE * j + i for i in unroll(SIDE)]
                order = [lane for column in columns for lane in (column, DEPTH + column)]
                store(place + j * SQUARE_BYTES, shuffle(low, order, high), align=64)

    def row(self, start: Pointer, apart: int, depth: int, mask: Mask, k: int) -> Vector:
        """A row of B; zeros below the last."""
        kept = broadcast(k < depth, DEPTH) & mask
        near = minimum(k, depth - 1)
        return load_masked(start + near * apart, HALVES, kept)
