"""Whole vectors of one element type, as kernels that multiply and add use them."""

from __future__ import annotations

from rushlight.engine.loops.expr import BITS
from rushlight.engine.loops.ir_text import Text, llvm_type, suffix
from rushlight.engine.loops.target import Target


class Lanes:
    """The vectors of an element type on a target."""

    def __init__(self, type: str, target: Target) -> None:
        self.type = llvm_type(type)
        self.name = type
        self.item = BITS[type] // 8
        self.lanes = target.vector_bytes // self.item
        self.vector = f"<{self.lanes} x {self.type}>"
        self.mask = f"<{self.lanes} x i1>"
        self.target = target

    def step(self, text: Text, base: str, offset: str | int) -> str:
        """A place so many bytes behind another."""
        return text.let(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(self, text: Text, place: str) -> str:
        return text.let(f"load {self.vector}, ptr {place}, align {self.item}")

    def store(self, text: Text, value: str, place: str) -> None:
        text.do(f"store {self.vector} {value}, ptr {place}, align {self.item}")

    def fetch(self, text: Text, place: str, writes: bool = False, level: int = 1) -> None:
        """Ask for memory that will be used in a while, into the cache of this level."""
        text.call(
            "void", "llvm.prefetch.p0", ("ptr", place), ("i32 immarg", str(int(writes))),
            ("i32 immarg", str(4 - level)), ("i32 immarg", "1"),
        )  # fmt: skip

    def lane_mask(self, text: Text, count: str) -> str:
        """True in the first ``count`` lanes."""
        name = f"llvm.get.active.lane.mask.v{self.lanes}i1.i64"
        some = text.call("i64", "llvm.smax.i64", ("i64", count), ("i64", "0"))
        return text.call(self.mask, name, ("i64", "0"), ("i64", some))

    def load_some(self, text: Text, place: str, mask: str) -> str:
        """The lanes that the mask has, zeros in the others."""
        return text.call(
            self.vector, f"llvm.masked.load.{suffix(self.name, self.lanes)}.p0",
            ("ptr", place), ("i32 immarg", str(self.item)), (self.mask, mask),
            (self.vector, "zeroinitializer"),
        )  # fmt: skip

    def store_some(self, text: Text, value: str, place: str, mask: str) -> None:
        text.call(
            "void", f"llvm.masked.store.{suffix(self.name, self.lanes)}.p0",
            (self.vector, value), ("ptr", place), ("i32 immarg", str(self.item)),
            (self.mask, mask),
        )  # fmt: skip

    def load_element(self, text: Text, place: str) -> str:
        """One element in every lane."""
        one = text.let(f"load {self.type}, ptr {place}, align {self.item}")
        return self.spread(text, one)

    def spread(self, text: Text, value: str) -> str:
        one = text.let(f"insertelement {self.vector} poison, {self.type} {value}, i64 0")
        order = f"<{self.lanes} x i32> zeroinitializer"
        return text.let(f"shufflevector {self.vector} {one}, {self.vector} poison, {order}")

    def multiply(self, text: Text, a: str, b: str) -> str:
        sign = "fmul" if self.name[0] == "f" else "mul"
        return text.let(f"{sign} {self.vector} {a}, {b}")

    def multiply_add(self, text: Text, a: str, b: str, c: str) -> str:
        """a * b + c."""
        if self.name[0] == "f" and self.target.fma:
            name = f"llvm.fma.{suffix(self.name, self.lanes)}"
            return text.call(self.vector, name, *((self.vector, x) for x in (a, b, c)))
        sign = "fadd" if self.name[0] == "f" else "add"
        return text.let(f"{sign} {self.vector} {self.multiply(text, a, b)}, {c}")

    def scatter(self, text: Text, value: str, base: str, offsets: str) -> None:
        """Store every lane at its own offset from the base; none where that is negative."""
        words = f"<{self.lanes} x i64>"
        places = f"<{self.lanes} x ptr>"
        inside = text.let(f"icmp sge {words} {offsets}, zeroinitializer")
        there = text.let(f"getelementptr i8, ptr {base}, {words} {offsets}")
        text.call(
            "void", f"llvm.masked.scatter.{suffix(self.name, self.lanes)}.v{self.lanes}p0",
            (self.vector, value), (places, there), ("i32 immarg", str(self.item)),
            (self.mask, inside),
        )  # fmt: skip
