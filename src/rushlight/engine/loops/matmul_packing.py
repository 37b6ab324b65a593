"""Copies of the factors of a product, in the order in which tiles read them.

A *sliver* is B's columns under one tile, row by row, with zeros behind its last column. A *stack* is
A's rows beside one tile: one element of each row, then the next of each. Both are read from one end
to the other while a tile's sums go on.
"""

from __future__ import annotations

from rushlight.engine.loops.matmul_tile import Tiles
from rushlight.engine.native.lowlevel import (
    Pointer,
    apart,
    inlined,
    load,
    maximum,
    minimum,
    store,
    transpose,
    unroll,
    vector_of,
)

# So many rows of A are copied at once: lines of memory that run across rows serve them all.
BAND = 64
# The largest square of elements that is turned around in registers.
LARGEST_SQUARE = 16


class Packing:
    """Copies for the tiles of a product."""

    def __init__(self, tiles: Tiles) -> None:
        self.tiles = tiles
        self.type, self.item = tiles.type, tiles.item
        self.sliver_bytes = tiles.width * tiles.item  # of one row
        self.side = min(tiles.lanes, LARGEST_SQUARE)
        self.square = vector_of(self.side, tiles.type)
        self.high = tiles.heights[0]
        self.column = vector_of(self.high, tiles.type)  # of a stack
        self.column_bytes = self.high * tiles.item

    # -- slivers of B --
    @apart
    def pack(self, b: Pointer, bk: int, bn: int, depth: int, width: int, to: Pointer) -> None:
        """Copy up to a tile's width of columns of B."""
        for k in range(depth):
            self.pack_some(b + k * bk, to + k * self.sliver_bytes, width)

    @apart
    def pack_rows(self, b: Pointer, bk: int, depth: int, width: int, to: Pointer) -> None:
        """Copy rows of B, ``width`` columns of each, into slivers one after the other.

        Whole rows are read at a time: they lie together in memory, the parts of a sliver do not.
        """
        apart_bytes = depth * self.sliver_bytes
        for k in range(depth):
            source = b + k * bk
            into = to + k * self.sliver_bytes
            done = 0
            while done < width - (self.tiles.width - 1):
                for j in unroll(self.tiles.vectors):
                    value = self.tiles.load(source + j * self.tiles.vector_bytes)
                    store(into + j * self.tiles.vector_bytes, value, align=16)
                source += self.sliver_bytes
                into += apart_bytes
                done += self.tiles.width
            self.pack_some(source, into, width - done)

    @inlined
    def pack_some(self, source: Pointer, to: Pointer, width: int) -> None:
        """Copy so many elements of a row, if any, and zeros after them."""
        tiles = self.tiles
        if width > 0:
            for j in unroll(tiles.vectors):
                mask = tiles.mask(maximum(width - j * tiles.lanes, 0))
                value = tiles.load_some(source + j * tiles.vector_bytes, mask)
                store(to + j * tiles.vector_bytes, value, align=16)

    @apart
    def pack_turned(
        self, b: Pointer, bk: int, bn: int, depth: int, width: int, to: Pointer
    ) -> None:
        """Copy up to a tile's width of columns that are not contiguous, square by square."""
        dense = bk == self.item
        for n in range(0, width, self.side):
            wide = width - n
            base = b + n * bn
            into = to + n * self.item
            for k in range(0, depth, self.side):
                deep = depth - k
                whole = (wide >= self.side) & (deep >= self.side) & dense
                corner = base + k * bk
                place = into + k * self.sliver_bytes
                if whole:
                    self.turn(corner, bn, place, self.sliver_bytes, self.square)
                else:
                    most, last = minimum(wide, self.side), minimum(deep, self.side)
                    self.copy_each(corner, bn, bk, most, last, place)

    @inlined
    def copy_each(self, b: Pointer, bn: int, bk: int, columns: int, rows: int, to: Pointer) -> None:
        """Copy part of a square element by element."""
        for n in range(columns):
            column = b + n * bn
            place = to + n * self.item
            for k in range(rows):
                store(place + k * self.sliver_bytes, load(column + k * bk, self.type))

    def turn(self, source: Pointer, apart: int, to: Pointer, row_bytes: int, kind: str) -> None:
        """Copy a square whose lines are so many bytes apart, turned around in registers."""
        side = self.side if kind == self.square else self.high
        lines = []
        for r in unroll(side):
            source = source + apart if r else source
            lines.append(load(source, kind))
        for r, line in enumerate(transpose(lines)):
            store(to + r * row_bytes, line, align=self.item)

    # -- stacks of A --
    @apart
    def stack_up(self, a: Pointer, ak: int, am: int, depth: int, height: int, to: Pointer) -> None:
        """Copy up to a tile's height of rows of A."""
        whole = height == self.high
        if whole & (am == self.item):
            for k in range(depth):
                self.copy_column(a + k * ak, to + k * self.column_bytes)
        elif whole & (ak == self.item):
            even = depth & -self.high
            for k in range(0, even, self.high):
                self.turn(
                    a + k * ak, am, to + k * self.column_bytes, self.column_bytes, self.column
                )
            self.stack_each(a, ak, am, even, depth, height, to)
        else:
            self.stack_each(a, ak, am, 0, depth, height, to)

    def copy_column(self, source: Pointer, to: Pointer) -> None:
        """Copy one element of each row, where rows are neighbours in memory."""
        store(to, load(source, self.column), align=self.item)

    @inlined
    def stack_each(
        self, a: Pointer, ak: int, am: int, first: int, depth: int, height: int, to: Pointer
    ) -> None:
        """Copy rows of A element by element, from a place along the sum on."""
        for k in range(first, depth):
            source = a + k * ak
            place = to + k * self.column_bytes
            for r in range(height):
                store(place + r * self.item, load(source + r * am, self.type))

    @apart
    def stack_flat(self, a: Pointer, ak: int, depth: int, to: Pointer) -> None:
        """Copy a whole band of A whose rows are neighbours in memory, across all of it at a time."""
        apart_bytes = depth * self.column_bytes
        for k in range(depth):
            source = a + k * ak
            place = to + k * self.column_bytes
            for i in [*range(0, BAND, self.high)]:
                self.copy_column(source + i * self.item, place)
                place += apart_bytes
