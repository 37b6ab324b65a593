"""Kernels that pick elements by a mask: counted block by block, then written one after the other.

Both have one dimension, the blocks. A block's count says where the elements of the following ones
go, so threads may do blocks in any order.
"""

from __future__ import annotations

from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.ir_text import Text
from rushlight.engine.loops.target import host_target

_COUNT_LANES = 64


def _word(text: Text, pointer: str) -> str:
    return text.let(f"load i64, ptr {pointer}")


def _mask_bits(text: Text, mask: str, lanes: int) -> str:
    loaded = text.let(f"load <{lanes} x i8>, ptr {mask}, align 1")
    return text.let(f"icmp ne <{lanes} x i8> {loaded}, zeroinitializer")


def _count(text: Text, bits: str, lanes: int) -> str:
    packed = text.let(f"bitcast <{lanes} x i1> {bits} to i{lanes}")
    found = text.call(f"i{lanes}", f"llvm.ctpop.i{lanes}", (f"i{lanes}", packed))
    return found if lanes == 64 else text.let(f"zext i{lanes} {found} to i64")


def _bit(text: Text, mask: str) -> str:
    return text.let(f"icmp ne i8 {text.let(f'load i8, ptr {mask}')}, 0")


def _at(text: Text, base: str, index: str, itemsize: int) -> str:
    offset = text.let(f"mul i64 {index}, {itemsize}")
    return text.let(f"getelementptr i8, ptr {base}, i64 {offset}")


def count_ir() -> str:
    """Operands: the blocks' counts (written), their lengths, the mask."""
    text = Text()
    frame = Frame(text, 3, 1)

    def block(b: str, _: list[str]) -> list[str]:
        counts, lengths, mask = (frame.at(k, 0, b) for k in range(3))
        length = _word(text, lengths)

        def vector(j: str, found: list[str]) -> list[str]:
            bits = _mask_bits(text, _at(text, mask, j, 1), _COUNT_LANES)
            return [text.let(f"add i64 {found[0]}, {_count(text, bits, _COUNT_LANES)}")]

        def one(j: str, found: list[str]) -> list[str]:
            more = text.let(f"zext i1 {_bit(text, _at(text, mask, j, 1))} to i64")
            return [text.let(f"add i64 {found[0]}, {more}")]

        whole = text.let(f"sub i64 {length}, {_COUNT_LANES - 1}")
        after, total = text.loop("0", whole, _COUNT_LANES, vector, [("i64", "0")])
        after, total = text.loop(after, length, 1, one, [("i64", total[0])])
        text.do(f"store i64 {total[0]}, ptr {counts}")
        return []

    text.loop("0", frame.size[0], 1, block)
    return text.module()


def choose_ir(bits: int) -> str:
    """Write the chosen elements, or with ``bits`` 0 their positions.

    Operands: the target, where each block's part of it begins, the blocks' lengths, the mask, the
    source (or the position of each block's first element).
    """
    text = Text()
    frame = Frame(text, 5, 1)
    width = bits or 64
    item, scalar = width // 8, f"i{width}"
    lanes = max(1, min(64, host_target().vector_bytes // item)) if width <= 64 else 1

    def block(b: str, _: list[str]) -> list[str]:
        starts, lengths, mask, source = (frame.at(k, 0, b) for k in range(1, 5))
        target = _at(text, frame.bases[0], _word(text, starts), item)
        length = _word(text, lengths)
        first = "" if bits else _word(text, source)

        def elements(j: str) -> str:
            if bits:
                kind = scalar if lanes == 1 else f"<{lanes} x {scalar}>"
                return text.let(f"load {kind}, ptr {_at(text, source, j, item)}, align 1")
            here = text.let(f"add i64 {first}, {j}")
            if lanes == 1:
                return here
            order = ", ".join(f"i64 {k}" for k in range(lanes))
            one = text.let(f"insertelement <{lanes} x i64> poison, i64 {here}, i32 0")
            spread = text.let(
                f"shufflevector <{lanes} x i64> {one}, <{lanes} x i64> poison, "
                f"<{lanes} x i32> zeroinitializer"
            )
            return text.let(f"add <{lanes} x i64> {spread}, <{order}>")

        def vector(j: str, done: list[str]) -> list[str]:
            chosen = _mask_bits(text, _at(text, mask, j, 1), lanes)
            text.call(
                "void",
                f"llvm.masked.compressstore.v{lanes}{scalar}",
                (f"<{lanes} x {scalar}>", elements(j)),
                ("ptr", f"align 1 {_at(text, target, done[0], item)}"),
                (f"<{lanes} x i1>", chosen),
            )
            return [text.let(f"add i64 {done[0]}, {_count(text, chosen, lanes)}")]

        def one(j: str, done: list[str]) -> list[str]:
            chosen = _bit(text, _at(text, mask, j, 1))

            def write() -> list[str]:
                offset = _at(text, source, j, item) if bits else ""
                value = (
                    text.let(f"load {scalar}, ptr {offset}, align 1")
                    if bits
                    else text.let(f"add i64 {first}, {j}")
                )
                there = _at(text, target, done[0], item)
                text.do(f"store {scalar} {value}, ptr {there}, align 1")
                return []

            text.when(chosen, write, list)
            more = text.let(f"zext i1 {chosen} to i64")
            return [text.let(f"add i64 {done[0]}, {more}")]

        j, done = "0", ["0"]
        if lanes > 1:
            whole = text.let(f"sub i64 {length}, {lanes - 1}")
            j, done = text.loop(j, whole, lanes, vector, [("i64", "0")])
        text.loop(j, length, 1, one, [("i64", done[0])])
        return []

    text.loop("0", frame.size[0], 1, block)
    return text.module()
