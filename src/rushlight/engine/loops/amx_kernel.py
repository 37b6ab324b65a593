"""Products of bf16 on AMX, the unit of some processors that multiplies squares of numbers at once.

The unit has eight registers of 16 rows of 64 bytes. One holds 16 rows of A with 32 neighbours along
the sum, or 16 pairs of rows of B with 16 columns, or a square of 16 by 16 results in f32. B is
copied into such squares, with zeros where the sum ends, and so is A where its rows meet many columns
or do not fill squares (`amx_packing`). A tile of C (`amx_tile`) is two squares high and two wide and
stays in its registers while one block of the sum lasts.

A row of A may consist of runs, each so many bytes behind the one before: windows of an image are
such rows, which overlap.

Dims as in `matmul_kernel`: 0 is summed over, 1 runs along the columns of B and C, 2 along the rows
of A and C.
"""

from __future__ import annotations

import sys

from rushlight.engine.loops.amx_packing import DEPTH, SIDE, SQUARE_BYTES, AmxPacking
from rushlight.engine.loops.amx_tile import TILE, AmxTile
from rushlight.engine.loops.arguments import Arguments
from rushlight.engine.native.lowlevel import (
    Pointer,
    constant,
    define,
    divided,
    inlined,
    intrinsic,
    kernel_text,
    lanes_from,
    left_over,
    load,
    minimum,
    room,
    select,
    store,
)

# How many elements of the sum one block has at most, and how many rows of A make a band.
BLOCK, ROWS = 1024, 480
# Rows of A that meet at most so many columns are read where they lie.
FEW_COLUMNS = 256


class NUMBERS:
    """Positions in the last operand, in bytes: two f32, then words."""

    alpha, beta = 0, 4
    run = 8  # how many elements a run of A has
    jump = 16  # from one run to the next, in bytes
    block = 24  # how many elements of the sum a block has: whole runs
    bytes = 32


def amx_ir(memory: str, turned: bool, added: bool) -> str:
    """The IR of a product of matrices of bf16.

    Operands: C, X if ``added``, A, B, and what `NUMBERS` says. C is of type ``memory``, bf16 only if
    the whole sum fits in one block; X is f32. C and X are contiguous along dim 1 and A's runs along
    dim 0. B is contiguous along dim 1, or along dim 0 if it is ``turned``.
    """
    return kernel_text(_Product(memory, turned, added).run)


def allowed() -> bool:
    """Ask the system for the unit, once per process: its registers are kept for who asks only."""
    if sys.platform != "linux":
        return False
    import ctypes

    arch_prctl, request_permission, tile_data = 158, 0x1023, 18
    return ctypes.CDLL(None).syscall(arch_prctl, request_permission, tile_data) == 0


def configure() -> None:
    """Give all eight registers 16 rows of 64 bytes."""
    sizes = [0] * 64
    sizes[0] = 1
    for register in range(8):
        sizes[16 + 2 * register] = 64
        sizes[48 + register] = SIDE
    layout = room(64)
    store(layout, lanes_from(sizes, "i8"), align=64)
    intrinsic("void", "llvm.x86.ldtilecfg", layout)


class _Product:
    """The loops around the tiles: blocks of the sum, bands of rows, columns, rows of a band.

    What compiled code knows of a call is kept in attributes: they are values from where they are set.
    """

    def __init__(self, memory: str, turned: bool, added: bool) -> None:
        self.tile = AmxTile(memory)
        self.packing = AmxPacking()
        self.turned = turned
        self.added = added

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        # Kernels of one type have the same functions, so that they share their code.
        define(self.packing.pack_rows)
        define(self.packing.pack_columns)
        configure()
        self.stacked = room(BLOCK * ROWS * 2)
        self.panel = room(BLOCK * TILE * 2)
        given = Arguments(data, sizes, strides, 4 + self.added, 3)
        self.c, *others, self.a, self.b, numbers = given.operands
        self.x = others[0] if self.added else self.c
        self.depth, self.columns, self.rows = given.size
        self.alpha = load(numbers.base + NUMBERS.alpha, "float")
        self.beta = load(numbers.base + NUMBERS.beta, "float")
        self.run_length, self.jump, block = (
            load(numbers.base + place) for place in (NUMBERS.run, NUMBERS.jump, NUMBERS.block)
        )
        self.are_few = self.columns <= FEW_COLUMNS
        for k in range(0, self.depth, block):
            self.add_block(k, minimum(self.depth - k, block))
        intrinsic("void", "llvm.x86.tilerelease")

    @inlined
    def add_block(self, k: int, deep: int) -> None:
        """Add a block of the sum to C. The first one adds beta X, the others what is there."""
        is_first = k == 0
        self.adds = True if self.added else not is_first
        self.beside = select(is_first, self.x.base, self.c.base)
        self.beside_step = select(is_first, self.x.stride[2], self.c.stride[2])
        self.factor = select(is_first, self.beta, constant(1.0, "float"))
        self.deep = deep
        right = self.b.at(0, k)
        number = divided(k, self.run_length)
        within = k - number * self.run_length
        left = self.a.base + number * self.jump + within * 2
        self.measure_runs(deep)
        for m in range(0, self.rows, ROWS):
            high = minimum(self.rows - m, ROWS)
            lines = self.a.at(2, m, left)
            if not self.is_direct:
                self.copy_rows(lines, high)
            for n in range(0, self.columns, TILE):
                self.multiply_columns(m, n, high, lines, right)

    def measure_runs(self, deep: int) -> None:
        """How many runs a row of A has in a block, and how many squares these fill."""
        self.length = minimum(self.run_length, deep)
        self.runs = divided(deep, self.length)
        self.run_squares = divided(self.length + (DEPTH - 1), DEPTH)
        self.squares = self.run_squares * self.runs
        self.tile_bytes = self.squares * (2 * SQUARE_BYTES)
        self.is_direct = (left_over(self.length, DEPTH) == 0) & self.are_few

    @inlined
    def copy_rows(self, rows: Pointer, count: int) -> None:
        """Copy rows of A from a place on into the squares of tiles."""
        for i in range(0, count, SIDE):
            number = divided(i, TILE)
            half = divided(left_over(i, TILE), SIDE)
            to = self.stacked + number * self.tile_bytes + half * SQUARE_BYTES
            tall = minimum(count - i, SIDE)
            row = self.a.at(2, i, rows)
            for _ in range(self.runs):
                self.packing.pack_rows(row, self.a.stride[2], self.length, tall, to, False)
                row += self.jump
                to += self.run_squares * (2 * SQUARE_BYTES)

    @inlined
    def multiply_columns(self, m: int, n: int, high: int, lines: Pointer, right: Pointer) -> None:
        """All tiles of a band below one another, from column n on."""
        self.width = minimum(self.columns - n, TILE)
        self.pack_panel(self.b.at(1, n, right))
        corner = self.c.at(2, m) + n * self.tile.result_bytes
        other = self.beside + m * self.beside_step + n * 4
        for i in range(0, high, TILE):
            tall = minimum(high - i, TILE)
            place, near = self.c.at(2, i, corner), other + i * self.beside_step
            row = self.a.at(2, i, lines)
            if (tall == TILE) & self.is_direct:
                # Two squares of rows are 16 of them apart where they lie, and neighbours in a copy.
                row_bytes = self.a.stride[2]
                layout = (64, row_bytes * SIDE, row_bytes, self.jump)
                self.multiply(row, layout, self.run_squares, self.runs, place, near, tall)
            else:
                if self.is_direct:
                    self.copy_rows(row, tall)
                number = select(self.is_direct, 0, divided(i, TILE))
                top = self.stacked + number * self.tile_bytes
                layout = (2 * SQUARE_BYTES, SQUARE_BYTES, 64, 0)
                self.multiply(top, layout, self.squares, 1, place, near, tall)

    def multiply(
        self,
        a: Pointer,
        layout: tuple[int, int, int, int],
        squares: int,
        runs: int,
        c: Pointer,
        x: Pointer,
        tall: int,
    ) -> None:
        """Call the tile at a place of C, with what lies beside it."""
        self.tile.tile(
            a, *layout, self.panel, squares, runs, c, self.c.stride[2], x, self.beside_step,
            tall, self.width, self.alpha, self.factor, self.adds,
        )  # fmt: skip

    @inlined
    def pack_panel(self, source: Pointer) -> None:
        """Copy the columns of B that a tile of C needs."""
        if not self.turned:
            pack = self.packing.pack_columns
            pack(source, self.b.stride[0], self.deep, self.width, self.panel)
            return
        for j in range(0, self.width, SIDE):
            square = self.panel + j * (SQUARE_BYTES // SIDE)
            wide = minimum(self.width - j, SIDE)
            row = self.b.at(1, j, source)
            self.packing.pack_rows(row, self.b.stride[1], self.deep, wide, square, True)
