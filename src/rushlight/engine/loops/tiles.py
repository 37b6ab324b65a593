"""Maps whose operands are contiguous along different dimensions: transposes, ``a + b.T``.

The plane is cut into square tiles of one vector's lanes. An operand that is contiguous along dim 1
is turned around in registers through a small buffer on the stack, so that the loop over a tile's
rows sees every operand along dim 0 and memory is only touched in whole vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.loops.arguments import Arguments
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.printed import repeat
from rushlight.engine.loops.row_loop import RowLoop
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import (
    Pointer,
    inlined,
    kernel_text,
    load,
    minimum,
    room,
    store,
    transpose,
    unroll,
    vector_of,
)

LARGEST_TILE = 16


def tiled_map_ir(
    program: Program, outs: Sequence[str], ins: Sequence[str], inner: str, lanes: int
) -> str:
    """The IR of a map kernel with some operands of the letter ``t``."""
    return kernel_text(_TiledMap(program, outs, ins, inner, lanes).run)


class _TiledMap:
    def __init__(
        self, program: Program, outs: Sequence[str], ins: Sequence[str], inner: str, lanes: int
    ) -> None:
        memories = [*outs, *ins]
        # Elements of 16 bytes gain nothing from being turned around in registers.
        letters = [
            "g" if (x == "t" and m == "c128") or (x == "s" and k < len(outs)) else x
            for k, (m, x) in enumerate(zip(memories, inner, strict=True))
        ]
        self.program = program
        self.side = max(4, min(lanes, LARGEST_TILE))
        self.outs = len(outs)
        self.operands = [
            Operand(m, x.replace("t", "c")) for m, x in zip(memories, letters, strict=True)
        ]
        self.turns = {
            k: Turn(self.operands[k].bytes, self.side) for k, x in enumerate(letters) if x == "t"
        }
        # The inner loop runs along the first output, whose lines then are completed at once.
        self.along = 1 if letters[0] == "t" else 0

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        side, operands = self.side, self.operands
        self.buffers = {k: room(side * side * turn.bytes) for k, turn in self.turns.items()}
        self.given = Arguments(data, sizes, strides, len(operands), 2)
        self.loop = RowLoop(self.program, operands[: self.outs], operands[self.outs :], side)
        inside, outside = (1, 0) if self.along else (0, 1)
        for a in range(0, self.given.size[outside], side):
            for b in range(0, self.given.size[inside], side):
                if self.along:
                    self.tile(a, b)
                else:
                    self.tile(b, a)

    @inlined
    def tile(self, i: int, j: int) -> None:
        """The tile whose corner is at such indices."""
        height = minimum(self.given.size[1] - j, self.side)
        width = minimum(self.given.size[0] - i, self.side)
        is_square = (height == self.side) & (width == self.side)
        corners = [x.at(0, i, x.at(1, j)) for x in self.given.operands]
        for k in self.turns:
            if k >= self.outs:
                self.turn(k, corners[k], is_square, width, height, True)
        self.rows(corners, width, height)
        for k in self.turns:
            if k < self.outs:
                self.turn(k, corners[k], is_square, width, height, False)

    def turn(
        self, k: int, corner: Pointer, is_square: bool, width: int, height: int, inwards: bool
    ) -> None:
        """Move a tile of an operand between its memory and its buffer."""
        stride = self.given.operands[k].stride[0]
        self.turns[k].move(corner, stride, self.buffers[k], is_square, width, height, inwards)

    @inlined
    def rows(self, corners: list[Pointer], width: int, height: int) -> None:
        """Compute a tile row by row."""
        is_whole = width == self.side
        for row in range(height):
            for k, operand in enumerate(self.operands):
                x = self.given.operands[k]
                if k in self.buffers:
                    offset = row * (self.side * operand.bytes)
                    operand.point(self.buffers[k] + offset, x.stride[0])
                else:
                    operand.point(x.at(1, row, corners[k]), x.stride[0])
            repeat(self.operands, self.side)
            if is_whole:
                self.loop.element(0, None)
            else:
                self.loop.partial(0, width, width - 1)


class Turn:
    """Moves tiles between memory, contiguous along dim 1, and a buffer, along dim 0."""

    def __init__(self, bytes: int, side: int) -> None:
        self.bytes = bytes
        self.side = side
        self.element = f"i{8 * bytes}"
        self.row = vector_of(side, self.element)

    @inlined
    def move(
        self, corner: Pointer, stride: int, buffer: Pointer, is_square: bool, width: int,
        height: int, inwards: bool,
    ) -> None:  # fmt: skip
        """Move a tile whose lines are so many bytes apart in memory."""
        if is_square:
            self.turn(corner, stride, buffer, inwards)
            return
        for i in range(width):
            line = corner + i * stride
            for j in range(height):
                outside = line + j * self.bytes
                inside = buffer + (j * self.side + i) * self.bytes
                source, target = (outside, inside) if inwards else (inside, outside)
                store(target, load(source, self.element))

    def turn(self, corner: Pointer, stride: int, buffer: Pointer, inwards: bool) -> None:
        """Move a whole tile, turned around in registers."""
        outside = [corner]
        for _ in range(self.side - 1):
            outside.append(outside[-1] + stride)
        inside = [buffer + k * self.side * self.bytes for k in unroll(self.side)]
        aligned = min(64, self.side * self.bytes)
        if inwards:
            rows = [load(place, self.row) for place in outside]
        else:
            rows = [load(place, self.row, aligned) for place in inside]
        for place, row in zip(inside if inwards else outside, transpose(rows), strict=True):
            store(place, row, aligned if inwards else self.bytes)
