"""A tile of a product by tables: some rows of some vectors, held in registers over the whole sum."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.loops.lanes import Lanes
from rushlight.engine.loops.target import Target
from rushlight.engine.native.lowlevel import (
    Pointer,
    Vector,
    apart,
    inlined,
    load,
    minimum,
    prefetch,
    registers,
    scatter,
    unroll,
)

STEP_BYTES = 16
# Rows of B are asked for so many steps early; the table of steps goes on for as many.
AHEAD = 8


def vector_words(lanes: int) -> int:
    """How many words describe a vector."""
    return 2 + lanes


class OffsetTiles(Lanes):
    """The tiles of a product by tables; see `offset_kernel.offset_product_ir`."""

    def __init__(
        self, type: str, target: Target, biased: bool, adding: bool, lone: bool, placed: bool
    ) -> None:
        super().__init__(type, target)
        self.biased, self.adding, self.placed = biased, adding, placed
        wide = target.vector_bytes == 64
        self.heights = (1,) if lone else (8, 4, 2) if wide else (4, 2)
        self.vectors = 8 if lone else 3
        self.table_bytes = 8 * vector_words(self.lanes)

    @apart
    def tile(
        self,
        a: Pointer, am: int, b: Pointer, c: Pointer, cm: int, steps: Pointer, depth: int,
        table: Pointer, bias: Pointer, bm: int, places: Pointer, height: int,
        *, rows: int, vectors: int,
    ) -> None:  # fmt: skip
        """Up to ``rows`` rows of C, ``vectors`` vectors wide."""
        final = height - 1
        # Rows that there are not repeat the last one: what comes of them is not stored.
        row = [minimum(final, i) if i else 0 for i in unroll(rows)]
        left = [a + self.row_offset(r, am, places) for r in row]
        into = [c + r * cm for r in row]
        tables = [table + j * self.table_bytes for j in unroll(vectors)]
        words = [(load(t), load(t + 8)) for t in tables]
        right = [b + start for start, _ in words]
        whole = [place for _, place in words]
        sums = self.first_sums(row, into, whole, bias, bm)
        sums = self.sums(sums, left, right, steps, depth)
        for i in unroll(rows):
            if i > 0 and height <= i:
                return
            for j in unroll(vectors):
                value = sums[i * vectors + j]
                if self.adding:
                    self.store(into[i] + whole[j], value)
                else:
                    self.finish(value, into[i], whole[j], tables[j])

    def row_offset(self, row: int, am: int, places: Pointer) -> int:
        """Where a row of a tile begins in A."""
        return load(places + row * 8) if self.placed else row * am

    def first_sums(
        self,
        row: Sequence[int],
        into: Sequence[Pointer],
        whole: Sequence[int],
        bias: Pointer,
        bm: int,
    ) -> list[Vector]:
        """What the sums begin with, row by row."""
        if self.adding:
            return [self.load(place + offset) for place in into for offset in whole]
        if not self.biased:
            return registers(len(row) * len(whole), self.zero)
        return [x for r in row for x in [self.load_element(bias + r * bm)] * len(whole)]

    @inlined
    def sums(
        self,
        sums: list[Vector],
        left: list[Pointer],
        right: list[Pointer],
        step: Pointer,
        depth: int,
    ) -> list[Vector]:
        """The sums over all steps."""
        start = 0
        if len(left) == 1:
            # A single row has too few sums to keep the processor busy: it goes on with two of each.
            start = depth & -2
            others = registers(len(sums), self.zero)
            for _ in range(0, start, 2):
                sums = self.step(sums, left, right, step)
                others = self.step(others, left, right, step + STEP_BYTES)
                step += 2 * STEP_BYTES
            sums = [a + b for a, b in zip(sums, others)]
        for _ in range(start, depth):
            sums = self.step(sums, left, right, step)
            step += STEP_BYTES
        return sums

    def step(
        self, sums: list[Vector], left: list[Pointer], right: list[Pointer], step: Pointer
    ) -> list[Vector]:
        """The sums after one step: each row's element times each vector."""
        in_a, in_b = load(step), load(step + 8)
        line = [self.load(start + in_b) for start in right]
        later = load(step + (STEP_BYTES * AHEAD + (0 if self.placed else 8)))
        for start in [left[0], left[-1]] if self.placed else right:
            prefetch(start + later)
        found = []
        for i, start in enumerate(left):
            factor = self.load_element(start + in_a)
            found += [
                self.multiply_add(factor, b, sums[i * len(right) + j]) for j, b in enumerate(line)
            ]
        return found

    @inlined
    def finish(self, value: Vector, row: Pointer, whole: int, table: Pointer) -> None:
        """Store a vector in one piece, or each lane where its table says."""
        if whole >= 0:
            self.store(row + whole, value)
        else:
            offsets = load(table + 16, f"<{self.lanes} x i64>")
            scatter(row + offsets, value, offsets >= 0)
