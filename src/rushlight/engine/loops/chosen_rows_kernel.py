"""Products with chosen rows.

A row of the product of a sparse and a dense matrix:

    out[v] = sum over k of factors[k] * rows[places[k]][v]

The sums are held in registers over all chosen rows: `WIDE` bytes of them at first, then a vector, then
single elements. Nothing is written but the sums.

Elements of the product of two dense matrices, at chosen places:

    out[k] = sum over v of left[rows[k]][v] * right[columns[k]][v]
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


def _kinds(scalar: str, lanes: int) -> tuple[str, str]:
    """The LLVM type of so many elements, and how the names of intrinsics spell it."""
    suffix = {"float": "f32", "double": "f64"}[scalar]
    if lanes == 1:
        return scalar, suffix
    return f"<{lanes} x {scalar}>", f"v{lanes}{suffix}"


def _columns(text: Text, scalar: str, itemsize: int, vectors: int, lanes: int, start: str) -> str:
    """The columns that still come in pieces of so many vectors; the first one that does not."""
    kind, suffix = _kinds(scalar, lanes)
    name = f"llvm.fma.{suffix}"
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
            for v, before in enumerate(sums):
                address = text.let(f"getelementptr {kind}, ptr {row}, i64 {v}")
                values = text.let(f"load {kind}, ptr {address}, align {itemsize}")
                found.append(text.call(kind, name, (kind, values), (kind, factor), (kind, before)))
            return found

        nothing = "0.0" if lanes == 1 else "zeroinitializer"
        totals = text.loop("0", "%count", 1, add_row, [(kind, nothing)] * vectors)[1]
        first_out = at("%out", offset)
        for v, total in enumerate(totals):
            address = text.let(f"getelementptr {kind}, ptr {first_out}, i64 {v}")
            text.do(f"store {kind} {total}, ptr {address}, align {itemsize}")
        return []

    after, _ = text.loop(start, last, piece, columns)
    return after


CHOSEN = "i64 %rows, i64 %columns, i64 %count, i64 %left, i64 %right, i64 %out, i64 %width"


def chosen_products_ir(scalar: str, itemsize: int, target: Target | None = None) -> str:
    """The IR of elements of a product at chosen places, for elements of an LLVM type."""
    given = target or host_target()
    lanes = given.vector_bytes // itemsize
    text = Text()
    stride = text.let(f"mul i64 %width, {itemsize}")

    def pointer(base: str, place: str, size: str | int) -> str:
        offset = text.let(f"mul i64 {place}, {size}")
        return text.let(f"inttoptr i64 {text.let(f'add i64 {base}, {offset}')} to ptr")

    def part(k: str, base: str, places: str) -> str:
        place = text.let(f"load i64, ptr {pointer(places, k, 8)}")
        return text.let(f"add i64 {base}, {text.let(f'mul i64 {place}, {stride}')}")

    def sum_of(rows: list[str], start: str, width: int, before: str) -> tuple[str, str]:
        """The sum over what still comes in pieces of a width, and what does not come in them."""
        kind, suffix = _kinds(scalar, width)

        def add(v: str, sums: list[str]) -> list[str]:
            factors = [
                text.let(f"load {kind}, ptr {pointer(row, v, itemsize)}, align {itemsize}")
                for row in rows
            ]
            given = [(kind, x) for x in (*factors, *sums)]
            return [text.call(kind, f"llvm.fma.{suffix}", *given)]

        last = text.let(f"sub i64 %width, {width - 1}")
        after, sums = text.loop(start, last, width, add, [(kind, before)])
        return after, sums[0]

    def element(k: str, _: list[str]) -> list[str]:
        rows = [part(k, "%left", "%rows"), part(k, "%right", "%columns")]
        after, vector = sum_of(rows, "0", lanes, "zeroinitializer")
        kind, suffix = _kinds(scalar, lanes)
        total = text.call(
            scalar, f"llvm.vector.reduce.fadd.{suffix}", (scalar, "0.0"), (kind, vector),
            flags="reassoc",
        )  # fmt: skip
        total = sum_of(rows, after, 1, total)[1]
        text.do(f"store {scalar} {total}, ptr {pointer('%out', k, itemsize)}, align {itemsize}")
        return []

    text.loop("0", "%count", 1, element)
    return text.module(CHOSEN)
