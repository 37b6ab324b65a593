"""Matrix products for NVIDIA's processors: C = alpha * A B + beta * X.

Dim 0 is summed over, dim 1 runs along the columns of B and C, dim 2 along the rows of A and C, and the others
are batches. A block of threads makes a square of the result: it brings parts of A and B to shared memory, each
element once, and every thread keeps a few results in registers. Any strides will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.engine.loops import casts
from rushlight.engine.loops.expr import fma
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.map_kernel import trace
from rushlight.engine.loops.printed import computed, numbers
from rushlight.engine.loops.ptx_shared import Shared, barrier
from rushlight.engine.loops.ptx_text import GPU, GpuKernel, special
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import (
    Pointer,
    Value,
    divided,
    inlined,
    left_over,
    shifted,
    unroll,
)

# A block's threads are in a square; each makes a square of results, so that the block's is as wide as TILE.
SIDE = 16
EACH = 4
TILE = SIDE * EACH
# So much of the sum is in shared memory at once.
DEPTH = 16
THREADS = SIDE * SIDE


class ProductTypes(NamedTuple):
    """The types in memory of the result, of what is added, of both factors; and that of the sums."""

    result: str
    added: str
    factor: str
    sum: str


def product_ptx_ir(types: ProductTypes, dims: int, *, added: bool, along: Sequence[bool]) -> str:
    """The IR of a product over ``dims`` dimensions; operands: C, X if ``added``, A, B, alpha, beta.

    ``along``: whether neighbouring threads read A, and B, along the sum.
    """
    return SharedProduct(types, dims, added, along).text()


class SharedProduct(GpuKernel):
    """A product whose blocks share parts of the factors.

    Args:
        types: of the operands
        dims: how many dimensions there are
        added: whether X is
        along: whether neighbouring threads read A, and B, along the sum
    """

    # How many numbers of each factor have room in shared memory.
    room = TILE * DEPTH

    def __init__(self, types: ProductTypes, dims: int, added: bool, along: Sequence[bool]) -> None:
        memories = [types.result, *[types.added] * added, types.factor, types.factor]
        count = len(memories)
        super().__init__([*memories, types.sum, types.sum], dims, [count, count + 1])
        self.types, self.added, self.along = types, added, along
        self.operands = [Operand(m, "s") for m in [*memories, types.sum, types.sum]]
        self.first = 1 + added
        sum = types.sum
        self.raw = [casts.raw_type(sum)] * casts.parts(sum)
        factor = casts.raw_type(types.factor), casts.parts(types.factor)
        self.factor_raw = [factor[0]] * factor[1]

        def step(total: Any, a: Any, b: Any) -> Any:
            return fma(a, b, total) if sum in ("f32", "f64") else total + a * b

        def finish(*values: Any) -> Any:
            total, alpha, beta, *other = values
            return alpha * total + beta * other[0] if other else alpha * total

        ins = [sum, types.factor, types.factor]
        self.step = Program(trace(step, [sum], ins, [sum] * 3), GPU)
        ends = [sum, sum, sum, *[types.added] * added]
        self.finish = Program(trace(finish, [types.result], ends, [sum] * len(ends)), GPU)

    @inlined
    def run(self) -> None:
        self.thread = special("tid.x")
        self.column, self.row = self.thread & (SIDE - 1), shifted(self.thread, 4)
        self.stores = [[Shared(self, t, self.room) for t in self.factor_raw] for _ in range(2)]
        across = divided(self.sizes[1] + (TILE - 1), TILE)
        down = divided(self.sizes[2] + (TILE - 1), TILE)
        total = across * down
        for size in self.sizes[3:]:
            total = total * size
        for tile in range(special("ctaid.x"), total, special("nctaid.x")):
            rest = divided(tile, across)
            self.tile(
                self.bases(divided(rest, down)),
                left_over(tile, across) * TILE,
                left_over(rest, down) * TILE,
            )

    def bases(self, batch: Any) -> dict[int, Pointer]:
        """Where the operands of one product begin."""
        found = dict(self.pointers)
        for d in range(3, len(self.sizes)):
            last = d == len(self.sizes) - 1
            place = batch if last else left_over(batch, self.sizes[d])
            batch = batch if last else divided(batch, self.sizes[d])
            for k, pointer in found.items():
                found[k] = pointer + place * self.strides[d][k]
        return found

    @inlined
    def tile(self, bases: dict[int, Pointer], columns: int, rows: int) -> None:
        """One square of the result."""
        places = self.places()
        sums = [numbers(self.raw, [0] * len(self.raw), 1) for _ in places]
        for start in range(0, self.sizes[0], DEPTH):
            self.bring(0, bases[self.first], start, rows, self.sizes[2], 2)
            self.bring(1, bases[self.first + 1], start, columns, self.sizes[1], 1)
            barrier()
            sums = self.multiplied(sums)
            barrier()
        for k in unroll(len(places)):
            column, row = places[k]
            self.store(bases, sums[k], columns + column, rows + row)

    def places(self) -> list[tuple[Any, Any]]:
        """The column and the row of each of a thread's results, within the square."""
        return [
            (self.column + j * SIDE, self.row + i * SIDE) for i in range(EACH) for j in range(EACH)
        ]

    def shared_place(self, term: Any, line: Any) -> Any:
        """Where a term of the sum lies in shared memory, for a row of A or a column of B."""
        return term * TILE + line

    def bring(self, which: int, base: Pointer, start: Any, first: Any, size: Any, dim: int) -> None:
        """Copy a part of a factor to shared memory: a line of it for each term of the sum."""
        for e in range(TILE * DEPTH // THREADS):
            index = self.thread + THREADS * e
            if self.along[which]:
                term, line = index & (DEPTH - 1), shifted(index, 4)
            else:
                line, term = index & (TILE - 1), shifted(index, 6)
            to = self.shared_place(term, line)
            self.bring_one(which, base, start + term, first + line, size, dim, to)

    @inlined
    def bring_one(
        self, which: int, base: Pointer, term: int, line: int, size: int, dim: int, to: int
    ) -> None:
        k = self.first + which
        parts = numbers(self.factor_raw, [0] * len(self.factor_raw), 1)
        if (term < self.sizes[0]) & (line < size):
            place = base + (term * self.strides[0][k] + line * self.strides[dim][k])
            parts = self.operands[k].load_one(place)
        for store, value in zip(self.stores[which], parts, strict=True):
            store.write(value, to)

    def multiplied(self, sums: list[list[Value]]) -> list[list[Value]]:
        """The sums with the terms that are in shared memory."""
        for term in range(DEPTH):
            rows = [self.line(0, self.shared_place(term, self.row + i * SIDE)) for i in range(EACH)]
            columns = [
                self.line(1, self.shared_place(term, self.column + j * SIDE)) for j in range(EACH)
            ]
            sums = [
                computed(self.step, 1, sums[i * EACH + j], rows[i], columns[j])
                for i in range(EACH)
                for j in range(EACH)
            ]
        return sums

    def line(self, which: int, index: Any) -> list[Value]:
        return [store.read(index) for store in self.stores[which]]

    @inlined
    def store(self, bases: dict[int, Pointer], total: list[Value], column: int, row: int) -> None:
        """Write one result."""
        if (column < self.sizes[1]) & (row < self.sizes[2]):
            places = {
                k: bases[k] + (column * self.strides[1][k] + row * self.strides[2][k])
                for k in range(self.first)
            }
            count = self.first + 2
            parts = [*total, *self.number(count, self.operands[count])]
            parts += self.number(count + 1, self.operands[count + 1])
            if self.added:
                parts += self.operands[1].load_one(places[1])
            self.operands[0].point(places[0], 0)
            self.store_one([self.operands[0]], computed(self.finish, 1, parts))
