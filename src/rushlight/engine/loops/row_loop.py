"""The loops over one row of a map: unrolled whole vectors, then what is left."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.vector_memory import Lanes, Operand, clamped, partial_mask
from rushlight.engine.native.lowlevel import Text


class RowLoop:
    """Applies a program along dim 0, where the operands' pointers are."""

    def __init__(
        self,
        text: Text,
        program: Program,
        outs: Sequence[Operand],
        ins: Sequence[Operand],
        lanes: int,
        stream: bool = False,
    ) -> None:
        self.text = text
        self.program = program
        self.outs = outs
        self.ins = ins
        self.lanes = lanes
        self.extra: list[str] = []  # arguments after the loaded parts, the same for all elements
        operands = [*outs, *ins]
        self.scattered = any(o.letter == "g" for o in operands)
        self.masked = program.target.masks and all(o.letter in "cs" or o.gathers for o in operands)
        self.unroll = 1 if self.scattered and lanes > 1 else unrolling(program)
        self.alignment = 0
        if stream and lanes > 1 and outs[0].letter == "c":
            self.alignment = min(lanes * outs[0].bytes, program.target.vector_bytes)

    def write(self, count: str) -> None:
        """The whole row of ``count`` elements, which may be none."""
        some = self.text.let(f"icmp sgt i64 {count}, 0")
        self.text.when(some, lambda: self._filled(count), list)

    def _filled(self, count: str) -> list[str]:
        text, lanes = self.text, self.lanes
        for operand in self.ins:
            if operand.letter == "s":
                operand.load_repeated(text, lanes)
        start = self._aligned_start(count) if self.alignment else "0"
        # Under masks the loop for the rest is as good for whole vectors, if nothing is unrolled.
        if self.unroll > 1 or self.scattered or not self.masked or self.alignment:
            step = lanes * self.unroll
            stop = text.let(f"sub i64 {count}, {step - 1}")
            start, _ = text.loop(start, stop, step, self._whole_vectors)
        if lanes == 1:
            text.loop(start, count, 1, lambda index, _: self.element(index, None))
        else:
            last = text.let(f"sub i64 {count}, 1")
            text.loop(start, count, lanes, lambda index, _: self.partial(index, count, last))
        return []

    def _whole_vectors(self, index: str, _: list[str]) -> list[str]:
        for operand in self.ins if self.alignment else ():
            operand.ask_ahead(self.text, index, self.unroll * self.lanes)
        for k in range(self.unroll):
            here = self.text.let(f"add i64 {index}, {k * self.lanes}") if k else index
            self.element(here, None)
        return []

    def partial(self, index: str, stop: str, last: str) -> list[str]:
        """The elements from ``index`` to ``stop``, at most one vector of them."""
        if self.masked:
            left = self.text.let(f"sub i64 {stop}, {index}")
            return self.element(index, partial_mask(self.text, self.lanes, left))
        return self.element(index, clamped(self.text, self.lanes, index, last))

    def _aligned_start(self, count: str) -> str:
        """Do the elements before the first output's first aligned vector; how many they are."""
        text, out = self.text, self.outs[0]
        address = text.let(f"ptrtoint ptr {out.pointer} to i64")
        missing = text.let(f"sub i64 0, {address}")
        missing = text.let(f"and i64 {missing}, {self.alignment - 1}")
        elements = text.let(f"udiv i64 {missing}, {out.bytes}")
        first = text.call("i64", "llvm.smin.i64", ("i64", elements), ("i64", count))
        last = text.let(f"sub i64 {first}, 1")
        some = text.let(f"icmp sgt i64 {first}, 0")
        text.when(some, lambda: self.partial("0", first, last), list)
        return first

    def element(self, index: str, which: Lanes) -> list[str]:
        """Load, compute and store one vector."""
        text, lanes = self.text, self.lanes
        parts = [part for x in self.ins for part in x.load(text, index, lanes, which)]
        results = self.program.print(text, lanes, dict(enumerate([*parts, *self.extra])))
        for k, out in enumerate(self.outs):
            mine, results = results[: out.parts], results[out.parts :]
            streamed = self.alignment if k == 0 and which is None else 0
            out.store(text, mine, index, lanes, which, streamed)
        return []


def unrolling(program: Program) -> int:
    """Vectors per turn of the main loop: cheap bodies hide the loop's own cost behind several."""
    return 4 if program.cost <= 8 else 2 if program.cost <= 100 else 1
