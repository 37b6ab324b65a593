"""Matrix products: C = alpha * A B + beta * X, in blocks that fit the caches.

Dim 0 is summed over, dim 1 runs along the columns of B and C, dim 2 along the rows of A and C. The
loops around the tiles (`matmul_tile`) are, from the outside:

- blocks of the sum, so that what is copied of B stays in cache;
- chunks of columns, as many as there is room for copies of;
- bands of rows, whose part of A is copied at once;
- tiles' heights, then tiles' widths.

With the last block of the sum, a row of tiles is complete. An elementwise kernel may then do the rest on it, while it is in
cache (`epilogues`).

B is copied into slivers (`matmul_packing`) where its columns are not contiguous or enough rows make use of
it; A is copied into stacks where enough columns make use of it. The order of the sum depends on
sizes alone.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from rushlight.engine.loops.arguments import Arguments
from rushlight.engine.loops.matmul_packing import BAND, Packing
from rushlight.engine.loops.matmul_tile import Tiles
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.tile_choice import choose_tile
from rushlight.engine.native.lowlevel import (
    Pointer,
    absolute,
    constant,
    define,
    divided,
    inlined,
    invoke,
    kernel_text,
    load,
    maximum,
    minimum,
    room,
    select,
    store,
)

# How many elements of the sum one block has at most.
BLOCK = 512
# How much of B is copied at once. The copy lies on its thread's stack, which is small on some systems.
PACKED_BYTES = 9 << 17 if sys.platform == "linux" else 256 << 10
# B is copied if so many rows make use of it, or fewer if its rows lie so far apart that few of them share a page; and if
# the sum is so long. Beside one another its columns are no longer in the same few places of the first cache.
PACK_ROWS, FAR_ROWS, FAR_BYTES, PACK_DEPTH = 40, 24, 1 << 12, 16
# A is copied if there are so many columns to make use of it and its rows are so far apart.
STACK_COLUMNS, STACK_BYTES = 192, 1 << 11


def copies_b(turned: bool, rows: Any, depth: Any, step: Any) -> Any:
    """Whether B is copied into slivers, if nobody has said so: for numbers, and for values of a kernel.

    Args:
        turned: whether its columns are not contiguous
        rows: how many make use of it
        depth: how long the sum is
        step: how many bytes are between its rows
    """
    if turned:
        return True
    enough = (rows >= PACK_ROWS) | ((step >= FAR_BYTES) & (rows >= FAR_ROWS))
    return enough & (depth >= PACK_DEPTH)


def copies_a(columns: Any, far: Any, turned: Any) -> Any:
    """Whether A is copied into stacks, if nobody has said so.

    Args:
        columns: how many make use of it
        far: how many bytes are between its rows
        turned: whether its rows are not contiguous
    """
    return (columns >= STACK_COLUMNS) & ((far >= STACK_BYTES) | turned)


def matmul_ir(
    type: str, turned: bool, added: bool, target: Target | None = None, paired: bool = False,
    packs: bool | None = None, stacks: bool | None = None, behind: int = 0,
) -> str:  # fmt: skip
    """The IR of a product of matrices of one element type.

    Operands: C, X if ``added``, A, B, and the pair alpha, beta. C and X are contiguous along
    dim 1; so is B unless it is ``turned``, which serves every stride. If the factors are ``paired``,
    their elements are neighbours along dim 0: two in bf16 where the type is f32; four bytes where it is
    i32, those of A without a sign, those of B with one. ``packs`` and ``stacks`` say whether B and A are
    copied; None leaves it to their sizes. So many operands of an elementwise kernel ``behind`` come last, and the address of a word
    with the address of that kernel: it is called for each block of C as soon as that is complete.
    """
    packing = _packing(type, target or host_target(), paired)
    return kernel_text(_Product(packing, turned, added, packs, stacks, behind).run)


@cache
def _packing(type: str, target: Target, paired: bool) -> Packing:
    """The tiles of a type, and the copies for them, whose functions all kernels of the type share."""
    return Packing(Tiles(type, target, paired))


class _Product:
    """The loops around the tiles.

    What compiled code knows of a call is kept in attributes: they are values from where they are set.
    """

    def __init__(
        self, packing: Packing, turned: bool, added: bool, packs: bool | None, stacks: bool | None,
        behind: int,
    ) -> None:  # fmt: skip
        self.packing = packing
        self.tiles = tiles = packing.tiles
        self.behind = behind
        self.told_packs, self.told_stacks = packs, stacks
        self.turned = turned
        self.added = added
        self.item, self.width, self.high = tiles.item, tiles.width, tiles.heights[0]
        self.one = constant(1, tiles.type)

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        # Kernels of one type have the same functions, so that they share their code.
        define(self.packing.pack_turned)
        define(self.packing.pack_rows)
        if not self.tiles.target.masks:
            define(self.packing.pack)
        line = BLOCK * self.item
        most_columns = PACKED_BYTES // line // self.width * self.width
        self.stacks = room(line * BAND)
        self.slivers = room(line * most_columns)
        own = 4 + self.added
        count = own + (self.behind + 1 if self.behind else 0)
        given = Arguments(data, sizes, strides, count, 3)
        self.c, *others, self.a, self.b, numbers = given.operands[:own]
        self.besides = given.operands[own:-1]
        if self.behind:
            self.prepare_behind(given.operands[-1].base)
        self.x = others[0] if self.added else self.c
        self.depth, self.columns, self.rows = given.size
        self.alpha = load(numbers.base, self.tiles.type)
        self.beta = load(numbers.base + self.item, self.tiles.type)
        block = even_part(self.depth, BLOCK)
        slivers = quotient_up(self.columns, self.width)
        self.chunk = even_part(slivers, most_columns // self.width) * self.width
        self.packs = self.is_b_copied()
        self.stacked = self.is_a_copied()
        for k in range(0, maximum(self.depth, 1), block):
            self.add_block(k, minimum(self.depth - k, block))

    def is_b_copied(self) -> Any:
        if self.told_packs is not None:
            return self.told_packs
        return copies_b(self.turned, self.rows, self.depth, self.b.stride[0])

    def is_a_copied(self) -> Any:
        if self.told_stacks is not None:
            return self.told_stacks
        turned = self.a.stride[0] != self.item
        return copies_a(self.columns, absolute(self.a.stride[2]), turned)

    @inlined
    def add_block(self, k: int, deep: int) -> None:
        """Add a block of the sum to C. The first one adds beta X, the others what is there."""
        is_first = k == 0
        self.adds = True if self.added else not is_first
        self.other = select(is_first, self.x.base, self.c.base)
        self.other_step = select(is_first, self.x.stride[2], self.c.stride[2])
        self.factor = select(is_first, self.beta, self.one)
        self.deep, self.deep_bytes = deep, deep * self.item
        is_complete = self.calls_behind(k + deep)
        left, right = self.a.at(0, k), self.b.at(0, k)
        for first in range(0, self.columns, self.chunk):
            wide = minimum(self.columns - first, self.chunk)
            part = self.b.at(1, first, right)
            if self.packs:
                self.pack_chunk(part, wide)
            for top in range(0, self.rows, BAND):
                last = minimum(top + BAND, self.rows)
                if self.stacked:
                    self.stack_band(left, top, last)
                for m in range(top, last, self.high):
                    self.multiply_row(m, top, left, part, first, wide)
                    if is_complete:
                        self.go_on_behind(m, minimum(self.rows - m, self.high), first, wide)

    def calls_behind(self, added: int) -> Any:
        """Whether a kernel behind is called for what of C is complete, when so much of the sum is there."""
        return added >= self.depth if self.behind else False

    @inlined
    def prepare_behind(self, word: Pointer) -> None:
        """Lay out what the kernel behind is called with: its operands' places, their steps, and a block's size."""
        self.code = load(word)
        self.places, self.steps, self.extent = (
            room(8 * self.behind),
            room(16 * self.behind),
            room(16),
        )
        for dim in (1, 2):
            for k, operand in enumerate(self.besides):
                place = 8 * ((dim - 1) * self.behind + k)
                store(self.steps + place, operand.stride[dim])

    @inlined
    def go_on_behind(self, top: int, high: int, first: int, wide: int) -> None:
        """Call the kernel behind for a block of C."""
        for k, operand in enumerate(self.besides):
            store(self.places + 8 * k, operand.at(2, top, operand.at(1, first)))
        store(self.extent, wide)
        store(self.extent + 8, high)
        invoke(self.code, self.places, self.extent, self.steps)

    @inlined
    def pack_chunk(self, b: Pointer, wide: int) -> None:
        """Copy a chunk of B into slivers."""
        bk, bn = self.b.stride[0], self.b.stride[1]
        if not self.turned:
            self.packing.pack_rows(b, bk, self.deep, wide, self.slivers)
            return
        for n in range(0, wide, self.width):
            width = minimum(wide - n, self.width)
            to = self.slivers + n * self.deep_bytes
            self.packing.pack_turned(b + n * bn, bk, bn, self.deep, width, to)

    @inlined
    def stack_band(self, left: Pointer, first: int, last: int) -> None:
        """Copy a band of A into stacks."""
        ak, am = self.a.stride[0], self.a.stride[2]
        if (last - first == BAND) & (am == self.item):
            self.packing.stack_flat(self.a.at(2, first, left), ak, self.deep, self.stacks)
            return
        for m in range(first, last, self.high):
            height = minimum(self.rows - m, self.high)
            to = self.stacks + (m - first) * self.deep_bytes
            self.packing.stack_up(self.a.at(2, m, left), ak, am, self.deep, height, to)

    @inlined
    def multiply_row(
        self, m: int, top: int, left: Pointer, part: Pointer, first: int, wide: int
    ) -> None:
        """All tiles of a chunk beside one another, from row m on, in a band from ``top`` on."""
        height = minimum(self.rows - m, self.high)
        copied = self.stacks + (m - top) * self.deep_bytes
        a = select(self.stacked, copied, self.a.at(2, m, left))
        am = select(self.stacked, self.item, self.a.stride[2])
        ak = select(self.stacked, self.high * self.item, self.a.stride[0])
        c = self.c.at(2, m)
        x = self.other + m * self.other_step
        cm, xm = self.c.stride[2], self.other_step
        for n in range(0, wide, self.width):
            width = minimum(wide - n, self.width)
            b, bk = self.sliver(part, n, width)
            offset = (first + n) * self.item
            self.tiles.fetch(c + offset, cm, self.deep)
            given = [a, am, ak, b, bk, c + offset, cm, x + offset, xm, self.deep, height]
            self.multiply_tile(given, width)

    @inlined
    def sliver(self, part: Pointer, n: int, width: int) -> tuple[Pointer, int]:
        """Where B's columns from n on lie, and how far apart their rows are."""
        bk, bn = self.b.stride[0], self.b.stride[1]
        source = self.b.at(1, n, part)
        to, size = self.slivers + n * self.deep_bytes, self.packing.sliver_bytes
        # A vector that is not whole is read behind the end where there are no masks.
        if not self.tiles.target.masks and not self.packs and width < self.width:
            self.packing.pack(source, bk, bn, self.deep, width, to)
            return to, size
        return select(self.packs, to, source), select(self.packs, size, bk)

    def multiply_tile(self, given: list[Any], width: int) -> None:
        """Call the tile that just covers a width and the height, the last of what is given."""
        tiles = self.tiles

        def call(rows: int, vectors: int) -> None:
            last = width - (vectors - 1) * tiles.lanes
            rest = [last, self.alpha, self.factor, self.adds, self.packs]
            tiles.tile(*given, *rest, rows=rows, vectors=vectors)

        choose_tile(tiles.heights, tiles.vectors, given[-1], width, tiles.lanes, call)


def quotient_up(size: int, part: int) -> int:
    """How many parts of this size there are, the last perhaps smaller."""
    return divided(size + (part - 1), part)


def even_part(size: int, most: int) -> int:
    """The size of parts, as few and as equal as can be with so many elements at most; at least 1."""
    parts = maximum(quotient_up(size, most), 1)
    return maximum(quotient_up(size, parts), 1)
