"""Maps whose operands are contiguous along different dimensions: transposes, ``a + b.T``.

The plane is cut into square tiles of one vector's lanes. An operand that is contiguous along dim 1
is turned around in registers through a small buffer on the stack, so that the loop over a tile's
rows sees every operand along dim 0 and memory is only touched in whole vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.row_loop import RowLoop
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import Text

LARGEST_TILE = 16


def tiled_map_ir(
    program: Program, outs: Sequence[str], ins: Sequence[str], inner: str, lanes: int
) -> str:
    """The IR of a map kernel with some operands of the letter ``t``."""
    text = Text()
    side = max(4, min(lanes, LARGEST_TILE))
    memories = [*outs, *ins]
    # Elements of 16 bytes gain nothing from being turned around in registers.
    letters = [
        "g" if (x == "t" and m == "c128") or (x == "s" and k < len(outs)) else x
        for k, (m, x) in enumerate(zip(memories, inner, strict=True))
    ]
    operands = [Operand(m, x.replace("t", "c")) for m, x in zip(memories, letters, strict=True)]
    turned = [k for k, x in enumerate(letters) if x == "t"]
    buffers = {
        k: text.let(f"alloca [{side * side * operands[k].bytes} x i8], align 64") for k in turned
    }
    frame = Frame(text, len(operands), 2)
    loop = RowLoop(text, program, operands[: len(outs)], operands[len(outs) :], side)

    def tile(i: str, j: str) -> None:
        height = _at_most(text, frame.size[1], j, side)
        width = _at_most(text, frame.size[0], i, side)
        whole = text.let(f"icmp eq i64 {height}, {side}")
        square = text.let(f"and i1 {whole}, {text.let(f'icmp eq i64 {width}, {side}')}")
        corner = [frame.at(k, 0, i, frame.at(k, 1, j)) for k in range(len(operands))]
        turns = {
            k: _Turn(text, operands[k].bytes, side, corner[k], frame.stride[0][k], buffers[k])
            for k in turned
        }
        for k in turned:
            if k >= len(outs):
                turns[k].write(square, width, height, inwards=True)

        def row(r: str, _: list[str]) -> list[str]:
            for k, operand in enumerate(operands):
                if k in buffers:
                    offset = text.let(f"mul i64 {r}, {side * operand.bytes}")
                    operand.pointer = text.let(f"getelementptr i8, ptr {buffers[k]}, i64 {offset}")
                else:
                    operand.pointer = frame.at(k, 1, r, corner[k])
                    operand.stride = frame.stride[0][k]
                if operand.letter == "s":
                    operand.load_repeated(text, side)
            text.when(
                whole_width,
                lambda: loop.element("0", None),
                lambda: loop.partial("0", width, text.let(f"sub i64 {width}, 1")),
            )
            return []

        whole_width = text.let(f"icmp eq i64 {width}, {side}")
        text.loop("0", height, 1, row)
        for k in turned:
            if k < len(outs):
                turns[k].write(square, width, height, inwards=False)

    # The inner loop runs along the first output, whose lines then are completed at once.
    inside, outside = (1, 0) if letters[0] == "t" else (0, 1)

    def band(a: str, _: list[str]) -> list[str]:
        def along(b: str, _: list[str]) -> list[str]:
            tile(*((a, b) if inside else (b, a)))
            return []

        text.loop("0", frame.size[inside], side, along)
        return []

    text.loop("0", frame.size[outside], side, band)
    return text.module()


def _at_most(text: Text, size: str, start: str, side: int) -> str:
    left = text.let(f"sub i64 {size}, {start}")
    return text.call("i64", "llvm.smin.i64", ("i64", left), ("i64", str(side)))


class _Turn:
    """Moves one tile between memory, contiguous along dim 1, and a buffer along dim 0."""

    def __init__(
        self, text: Text, bytes: int, side: int, corner: str, stride: str, buffer: str
    ) -> None:
        self.text = text
        self.bytes = bytes
        self.side = side
        self.corner = corner
        self.stride = stride
        self.buffer = buffer

    def write(self, square: str, width: str, height: str, inwards: bool) -> None:
        self.text.when(
            square,
            lambda: self._whole(inwards),
            lambda: self._each(width, height, inwards),
        )

    def _whole(self, inwards: bool) -> list[str]:
        text, side = self.text, self.side
        vector = f"<{side} x i{8 * self.bytes}>"
        outside, at = [], self.corner
        for k in range(side):
            if k:
                at = text.let(f"getelementptr i8, ptr {at}, i64 {self.stride}")
            outside.append((at, self.bytes))
        inside = [
            (
                text.let(f"getelementptr i8, ptr {self.buffer}, i64 {k * side * self.bytes}"),
                min(64, side * self.bytes),
            )
            for k in range(side)
        ]
        sources, targets = (outside, inside) if inwards else (inside, outside)
        rows = [text.let(f"load {vector}, ptr {p}, align {a}") for p, a in sources]
        for (p, a), row in zip(targets, transpose(text, rows, vector), strict=True):
            text.do(f"store {vector} {row}, ptr {p}, align {a}")
        return []

    def _each(self, width: str, height: str, inwards: bool) -> list[str]:
        """A tile at an edge, element by element."""
        text, scalar = self.text, f"i{8 * self.bytes}"

        def along(i: str, _: list[str]) -> list[str]:
            start = text.let(f"mul i64 {i}, {self.stride}")
            line = text.let(f"getelementptr i8, ptr {self.corner}, i64 {start}")

            def one(j: str, _: list[str]) -> list[str]:
                outside = text.let(f"getelementptr {scalar}, ptr {line}, i64 {j}")
                row = text.let(f"mul i64 {j}, {self.side}")
                place = text.let(f"add i64 {row}, {i}")
                inside = text.let(f"getelementptr {scalar}, ptr {self.buffer}, i64 {place}")
                source, target = (outside, inside) if inwards else (inside, outside)
                value = text.let(f"load {scalar}, ptr {source}, align {self.bytes}")
                text.do(f"store {scalar} {value}, ptr {target}, align {self.bytes}")
                return []

            text.loop("0", height, 1, one)
            return []

        text.loop("0", width, 1, along)
        return []


def transpose(text: Text, rows: list[str], vector: str) -> list[str]:
    """A square of vectors, turned around by exchanging blocks of halving size."""
    side = len(rows)
    half = side // 2
    while half:
        turned = list(rows)
        for k in range(side):
            if k & half:
                continue
            a, b = rows[k], rows[k + half]
            first = [lane if not lane & half else side + lane - half for lane in range(side)]
            second = [lane + half if not lane & half else side + lane for lane in range(side)]
            for place, order in ((k, first), (k + half, second)):
                written = ", ".join(f"i32 {lane}" for lane in order)
                turned[place] = text.let(
                    f"shufflevector {vector} {a}, {vector} {b}, <{side} x i32> <{written}>"
                )
        rows = turned
        half //= 2
    return rows
