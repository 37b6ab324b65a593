"""Matrix products by the tensor cores of NVIDIA's processors: factors of half precision, sums of f32.

One instruction multiplies a part of A, 16 rows by 16 terms of the sum, and one of B, 16 terms by 8 columns, and adds the product to 16 by 8
sums. The 32 threads of a warp do it together: each has four pairs of neighbours of A, two of B, and four sums. What a block's threads
share, and how it gets there, is as for other products; a warp makes 16 rows by 32 columns of the square.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.loops.ptx_product import (
    DEPTH,
    TILE,
    ProductTypes,
    SharedProduct,
    product_ptx_ir,
)
from rushlight.engine.native.lowlevel import Value, shifted
from rushlight.engine.native.lowlevel.text import here
from rushlight.engine.native.lowlevel.values import let, lifted

# The processors that have such instructions are of this generation, or later ones.
FIRST_GENERATION = 8
# From a row to the next in shared memory: the eight rows that a warp reads from at once are in different banks.
ROW = DEPTH + 8
WARP_ROWS, WARP_COLUMNS = 16, 32
# The rows, the columns and the terms of one instruction.
ROWS, COLUMNS, TERMS = 16, 8, 16
HALVES = {"f16": "f16", "bf16": "bf16"}
_NUMBERS = ", ".join(["float"] * 4)


def can_multiply(types: ProductTypes, generation: int) -> bool:
    """Whether tensor cores of a generation of processors take factors of a type."""
    return generation >= FIRST_GENERATION and types.factor in HALVES and types.sum == "f32"


class TensorCoreProduct(SharedProduct):
    """A product whose warps multiply parts of the factors together."""

    room = TILE * ROW

    def shared_place(self, term: Any, line: Any) -> Any:
        return line * ROW + term

    def of_warp(self) -> tuple[Any, Any, Any, Any]:
        """The first row and column of a thread's warp, and the thread's place among four, and among eight rows of these."""
        warp = shifted(self.thread, 5)
        across = TILE // WARP_ROWS - 1
        rows, columns = (warp & across) * WARP_ROWS, shifted(warp, 2) * WARP_COLUMNS
        return rows, columns, self.thread & 3, shifted(self.thread & 31, 2)

    def places(self) -> list[tuple[Any, Any]]:
        rows, columns, place, group = self.of_warp()
        return [
            (columns + (j * COLUMNS + k) + place * 2, rows + group + 8 * half)
            for j in range(WARP_COLUMNS // COLUMNS)
            for half in range(2)
            for k in range(2)
        ]

    def multiplied(self, sums: list[list[Value]]) -> list[list[Value]]:
        rows, columns, place, group = self.of_warp()
        a = [
            self.pair(0, rows + group + 8 * half, place * 2 + first)
            for first in (0, 8)
            for half in range(2)
        ]
        made = []
        for j in range(WARP_COLUMNS // COLUMNS):
            line = columns + (j * COLUMNS) + group
            b = [self.pair(1, line, place * 2 + first) for first in (0, 8)]
            given = [value for (value,) in sums[4 * j : 4 * j + 4]]
            made += [[value] for value in self.instruction(a, b, given)]
        return made

    def pair(self, which: int, line: Any, term: Any) -> Value:
        """Two neighbouring terms of a line, as one word."""
        (store,) = self.stores[which]
        return let(
            "i32", f"load i32, {store.place(lifted(self.shared_place(term, line)))}, align 4"
        )

    def instruction(self, a: list[Value], b: list[Value], sums: list[Value]) -> list[Value]:
        """The sums with the products of the parts added."""
        half = HALVES[self.types.factor]
        name = f"mma.sync.aligned.m{ROWS}n{COLUMNS}k{TERMS}.row.col.f32.{half}.{half}.f32"
        operands = "{$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};"
        given = ", ".join(map(repr, [*a, *b, *sums]))
        found = here().let(
            f'call {{ {_NUMBERS} }} asm sideeffect "{name} {operands}", '
            f'"=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"({given})'
        )
        return [let("float", f"extractvalue {{ {_NUMBERS} }} {found}, {k}") for k in range(4)]


def fastest_ptx_ir(types: ProductTypes, dims: int, generation: int, **how: Any) -> str:
    """The IR of a product for a generation of processors; see `product_ptx_ir`."""
    if can_multiply(types, generation):
        return TensorCoreProduct(types, dims, how["added"], how["along"]).text()
    return product_ptx_ir(types, dims, **how)
