"""Sums of chosen rows, each times a factor: a row of the product of a sparse and a dense matrix.

    out[v] = sum over k of factors[k] * rows[places[k]][v]

The sums are held in registers over all chosen rows: `WIDE` bytes of them at first, then a vector, then
single elements. Nothing is written but the sums.
"""

from __future__ import annotations

from rushlight.engine.loops.ir_text import Text
from rushlight.engine.loops.target import Target, host_target

# So many bytes of a row are summed at once: four of the widest registers.
WIDE = 256

PARAMETERS = "i64 %places, i64 %factors, i64 %count, i64 %rows, i64 %stride, i64 %out, i64 %width"


def chosen_rows_ir(scalar: str, itemsize: int, target: Target | None = None) -> str:
    """The IR for elements of an LLVM type; addresses and the rows' stride in bytes are words."""
    given = target or host_target()
    lanes = given.vector_bytes // itemsize
    text = Text()
    start = "0"
    for vectors, width in ((WIDE // given.vector_bytes, lanes), (1, lanes), (1, 1)):
        start = _columns(text, scalar, itemsize, vectors, width, start)
    return text.module(PARAMETERS)


def _columns(text: Text, scalar: str, itemsize: int, vectors: int, lanes: int, start: str) -> str:
    """The columns that still come in pieces of so many vectors; the first one that does not."""
    kind = scalar if lanes == 1 else f"<{lanes} x {scalar}>"
    suffix = {"float": "f32", "double": "f64"}[scalar]
    name = f"llvm.fma.{suffix if lanes == 1 else f'v{lanes}{suffix}'}"
    piece = vectors * lanes
    last = text.let(f"sub i64 %width, {piece - 1}")

    def at(base: str, offset: str) -> str:
        return text.let(f"inttoptr i64 {text.let(f'add i64 {base}, {offset}')} to ptr")

    def columns(column: str, _: list[str]) -> list[str]:
        offset = text.let(f"mul i64 {column}, {itemsize}")

        def add_row(k: str, sums: list[str]) -> list[str]:
            shift = text.let(f"mul i64 {k}, 8")
            place = text.let(f"load i64, ptr {at('%places', shift)}")
            begin = text.let(f"add i64 %rows, {text.let(f'mul i64 {place}, %stride')}")
            row = at(begin, offset)
            where = text.let(f"mul i64 {k}, {itemsize}")
            factor = text.let(f"load {scalar}, ptr {at('%factors', where)}")
            if lanes > 1:
                first = text.let(f"insertelement {kind} poison, {scalar} {factor}, i64 0")
                factor = text.let(
                    f"shufflevector {kind} {first}, {kind} poison, <{lanes} x i32> zeroinitializer"
                )
            found = []
            for v, total in enumerate(sums):
                address = text.let(f"getelementptr {kind}, ptr {row}, i64 {v}")
                values = text.let(f"load {kind}, ptr {address}, align {itemsize}")
                found.append(text.call(kind, name, (kind, values), (kind, factor), (kind, total)))
            return found

        nothing = "0.0" if lanes == 1 else "zeroinitializer"
        _, sums = text.loop("0", "%count", 1, add_row, [(kind, nothing)] * vectors)
        target = at("%out", offset)
        for v, total in enumerate(sums):
            address = text.let(f"getelementptr {kind}, ptr {target}, i64 {v}")
            text.do(f"store {kind} {total}, ptr {address}, align {itemsize}")
        return []

    after, _ = text.loop(start, last, piece, columns)
    return after
