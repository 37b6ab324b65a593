"""A tile of a product on AMX: four squares of sums in the unit's registers, then what is stored."""

from __future__ import annotations

from typing import Any

from rushlight.engine.loops.amx_packing import SIDE, SQUARE_BYTES
from rushlight.engine.loops.lanes import Lanes
from rushlight.engine.loops.target import Target
from rushlight.engine.native.lowlevel import (
    Mask,
    Pointer,
    Scalar,
    Vector,
    apart,
    bits_as,
    constant,
    immediate,
    inlined,
    intrinsic,
    load,
    narrowed,
    room,
    select,
    shifted,
    store_masked,
    unordered,
    unroll,
    vector_of,
)

# A tile of C has so many rows and columns.
TILE = 2 * SIDE
ROW_BYTES = TILE * 4
# Registers of a tile: four squares of C, two of A, two of B.
A, B = 4, 6
WORDS = vector_of(SIDE, "i32")


def unit(name: str, *operands: Any) -> None:
    """An instruction of the unit; registers are part of it."""
    intrinsic("void", f"llvm.x86.{name}", *operands)


def register(number: int) -> Scalar:
    return immediate(number, "i8")


class AmxTile(Lanes):
    """Tiles of results of one type in memory, f32 or bf16."""

    def __init__(self, memory: str) -> None:
        super().__init__("f32", Target(vector_bytes=4 * SIDE, masks=True))
        self.memory = memory
        self.result_bytes = 4 if memory == "f32" else 2

    @apart
    def tile(
        self,
        a: Pointer, astep: int, ahalf: int, apart: int, jump: int, b: Pointer, squares: int, runs: int,
        c: Pointer, cm: int, x: Pointer, xm: int, height: int, width: int,
        alpha: Scalar, beta: Scalar, adds: bool,
    ) -> None:  # fmt: skip
        """Up to 32 rows and columns of C.

        Rows of A are so many bytes ``apart``, its upper and lower squares ``ahalf``, the next ones along
        the sum ``astep``, and runs ``jump``.
        """
        sums = room(TILE * TILE * 4)
        for number in unroll(4):
            unit("tilezero", register(number))
        for _ in range(runs):
            start = a
            for _ in range(squares):
                self.load_squares(A, start, ahalf, apart)
                self.load_squares(B, b, SQUARE_BYTES, 64)
                self.multiply_squares()
                start += astep
                b += 2 * SQUARE_BYTES
            a += jump
        self.store_squares(sums)
        factors = self.spread(alpha), self.spread(beta)
        masks = [self.mask(width - j * SIDE) for j in unroll(2)]
        for i in range(height):
            row, beside, to = sums + i * ROW_BYTES, x + i * xm, c + i * cm
            self.finish_row(row, beside, to, factors, masks, adds)

    def load_squares(self, first: int, place: Pointer, half: int, apart: int) -> None:
        """Two squares of a factor, so many bytes behind each other."""
        for i, where in enumerate((place, place + half)):
            unit("tileloadd64", register(first + i), where, apart)

    def multiply_squares(self) -> None:
        for i in unroll(2):
            for j in unroll(2):
                unit("tdpbf16ps", register(2 * i + j), register(A + i), register(B + j))

    def store_squares(self, sums: Pointer) -> None:
        for i in unroll(2):
            for j in unroll(2):
                place = sums + (i * SIDE * ROW_BYTES + j * SIDE * 4)
                unit("tilestored64", register(2 * i + j), place, ROW_BYTES)

    @inlined
    def finish_row(
        self, row: Pointer, beside: Pointer, to: Pointer, factors: tuple[Vector, Vector],
        masks: list[Mask], adds: bool,
    ) -> None:  # fmt: skip
        """Store a row of C: alpha times the sums, and beta times what lies beside, if ``adds``."""
        alpha, beta = factors
        for j in unroll(2):
            value = load(row + j * SIDE * 4, self.vector, align=64) * alpha
            if adds:
                other = self.load_some(beside + j * SIDE * 4, masks[j])
                value = self.multiply_add(other, beta, value)
            self.store_results(to + j * SIDE * self.result_bytes, value, masks[j])

    def store_results(self, place: Pointer, value: Vector, mask: Mask) -> None:
        store_masked(place, value if self.memory == "f32" else self.rounded(value), mask)

    def rounded(self, value: Vector) -> Vector:
        """f32 as bf16: to the nearest, ties to even, NaN stays NaN."""
        bits = bits_as(value, WORDS)
        is_odd = shifted(bits, 16) & 1
        near = shifted(bits + (is_odd + 0x7FFF), 16)
        kept = select(unordered(value, value), constant(0x7FC0, WORDS), near)
        return narrowed(kept, vector_of(SIDE, "i16"))
