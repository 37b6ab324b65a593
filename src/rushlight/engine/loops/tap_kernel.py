"""Sums of the products of one plane with several others: a depthwise weight's gradient.

    C[t] = sum over rows and elements of A[row, element] * B[b(t) + row, element]

Dim 0 runs along a row, dim 1 counts rows. Operands: C, whose elements are neighbours, A, B, and a
table of byte offsets, one for each tap. Every vector of A meets one of B for each tap, whose sums stay
in registers.
"""

from __future__ import annotations

from rushlight.engine.loops.expr import BITS
from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.ir_text import Text, literal
from rushlight.engine.loops.lanes import Lanes
from rushlight.engine.loops.target import Target, host_target

# So many sums, and what they are made of, have a register each.
MOST_TAPS = 12


def taps_ir(type: str, taps: int, target: Target | None = None) -> str:
    """The IR of the sums for so many taps; A and B are contiguous along dim 0."""
    return _Taps(type, taps, target or host_target()).module()


class _Taps(Lanes):
    def __init__(self, type: str, taps: int, target: Target) -> None:
        super().__init__(type, target)
        self.taps = taps

    def module(self) -> str:
        text = Text()
        frame = Frame(text, 4, 2)
        table = frame.bases[3]
        others = []
        for t in range(self.taps):
            offset = text.let(f"load i64, ptr {self.step(text, table, 8 * t)}")
            others.append(self.step(text, frame.bases[2], offset))
        whole = text.let(f"and i64 {frame.size[0]}, {-self.lanes}")
        mask = self.lane_mask(text, text.let(f"sub i64 {frame.size[0]}, {whole}"))
        some = text.let(f"icmp ne i64 {frame.size[0]}, {whole}")
        types = [self.vector] * self.taps

        def row(i: str, sums: list[str]) -> list[str]:
            down = text.let(f"mul i64 {i}, {frame.stride[1][2]}")
            line = frame.at(1, 1, i)
            rows = [self.step(text, other, down) for other in others]

            def add(first: str, sums: list[str], partial: bool) -> list[str]:
                at = text.let(f"mul i64 {first}, {self.item}")

                def read(base: str) -> str:
                    place = self.step(text, base, at)
                    return self.load_some(text, place, mask) if partial else self.load(text, place)

                a = read(line)
                return [
                    self.multiply_add(text, a, read(b), total)
                    for b, total in zip(rows, sums, strict=True)
                ]

            carried = list(zip(types, sums, strict=True))
            _, sums = text.loop(
                "0", whole, self.lanes, lambda first, sums: add(first, sums, False), carried
            )
            return text.when(some, lambda: add(whole, sums, True), lambda: sums, types)

        zero = [(x, "zeroinitializer") for x in types]
        _, sums = text.loop("0", frame.size[1], 1, row, zero)
        width = f"v{self.lanes}f{BITS[self.name]}"
        for t, total in enumerate(sums):
            start = (self.type, literal(self.name, 0.0))
            value = text.call(
                self.type, f"llvm.vector.reduce.fadd.{width}", start, (self.vector, total),
                flags="reassoc",
            )  # fmt: skip
            place = self.step(text, frame.bases[0], t * self.item)
            text.do(f"store {self.type} {value}, ptr {place}, align {self.item}")
        return text.module()


__all__ = ["MOST_TAPS", "taps_ir"]
