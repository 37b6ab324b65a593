"""Products with chosen rows.

A row of the product of a sparse and a dense matrix:

    out[v] = sum over k of factors[k] * rows[places[k]][v]

The sums are held in registers over all chosen rows: `WIDE` bytes of them at first, then a vector, then
single elements. Nothing is written but the sums.

Elements of the product of two dense matrices, at chosen places:

    out[k] = sum over v of left[rows[k]][v] * right[columns[k]][v]
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.loops.lanes import Lanes
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.native.lowlevel import (
    Pointer,
    broadcast,
    constant,
    inlined,
    kernel_text,
    load,
    multiply_add,
    registers,
    store,
    sum_of_lanes,
    unroll,
    vector_of,
)

# So many bytes of a row are summed at once: four of the widest registers.
WIDE = 256


def chosen_rows_ir(type: str, target: Target | None = None) -> str:
    """The IR of a row of a product; the rows' stride is in bytes."""
    words = "ptr %places, ptr %factors, i64 %count, ptr %rows, i64 %stride, ptr %out, i64 %width"
    return kernel_text(_ChosenRows(type, target or host_target()).run, words)


def chosen_products_ir(type: str, target: Target | None = None) -> str:
    """The IR of elements of a product at chosen places."""
    words = "ptr %rows, ptr %columns, i64 %count, ptr %left, ptr %right, ptr %out, i64 %width"
    return kernel_text(_ChosenProducts(type, target or host_target()).run, words)


class _Pieces(Lanes):
    """Rows in pieces: of whole vectors, and of single elements."""

    def kind(self, lanes: int) -> str:
        return self.type if lanes == 1 else vector_of(lanes, self.type)

    def piece(self, place: Pointer, lanes: int) -> Any:
        return load(place, self.kind(lanes), self.item)


class _ChosenRows(_Pieces):
    @inlined
    def run(
        self, places: Pointer, factors: Pointer, count: int, rows: Pointer, stride: int,
        out: Pointer, width: int,
    ) -> None:  # fmt: skip
        column = 0
        wide = WIDE // self.target.vector_bytes
        while column < width - (wide * self.lanes - 1):
            self.columns(places, factors, count, rows, stride, out, column, wide, self.lanes)
            column += wide * self.lanes
        while column < width - (self.lanes - 1):
            self.columns(places, factors, count, rows, stride, out, column, 1, self.lanes)
            column += self.lanes
        while column < width:
            self.columns(places, factors, count, rows, stride, out, column, 1, 1)
            column += 1

    @inlined
    def columns(
        self, places: Pointer, factors: Pointer, count: int, rows: Pointer, stride: int,
        out: Pointer, column: int, vectors: int, lanes: int,
    ) -> None:  # fmt: skip
        """The sums of so many vectors of columns."""
        offset, bytes = column * self.item, lanes * self.item
        sums = registers(vectors, constant(0, self.kind(lanes)))
        for k in range(count):
            row = rows + load(places + k * 8) * stride + offset
            factor = load(factors + k * self.item, self.type)
            many = factor if lanes == 1 else broadcast(factor, lanes)
            for v in unroll(vectors):
                sums[v] = multiply_add(self.piece(row + v * bytes, lanes), many, sums[v])
        for v in unroll(vectors):
            store(out + offset + v * bytes, sums[v], self.item)


class _ChosenProducts(_Pieces):
    @inlined
    def run(
        self, rows: Pointer, columns: Pointer, count: int, left: Pointer, right: Pointer,
        out: Pointer, width: int,
    ) -> None:  # fmt: skip
        stride = width * self.item
        for k in range(count):
            row = left + load(rows + k * 8) * stride
            column = right + load(columns + k * 8) * stride
            v = 0
            sums = self.zero
            while v < width - (self.lanes - 1):
                at = v * self.item
                sums = multiply_add(
                    self.piece(row + at, self.lanes), self.piece(column + at, self.lanes), sums
                )
                v += self.lanes
            total = sum_of_lanes(sums)
            while v < width:
                at = v * self.item
                total = multiply_add(self.piece(row + at, 1), self.piece(column + at, 1), total)
                v += 1
            store(out + k * self.item, total, self.item)
