"""Loads and stores of vectors of elements: contiguous, repeated, strided, whole or partial.

A partial vector (the end of a row) is read and written under a mask where the processor has masks
for every element size. Elsewhere its missing lanes repeat the last element: they read a valid
address, compute what the last lane computes, and store it to the same place again.
"""

from __future__ import annotations

from typing import NamedTuple, Union

from rushlight.engine.loops import casts
from rushlight.engine.loops.ir_text import llvm_type, suffix, vector
from rushlight.engine.loops.llvm_text import broadcast
from rushlight.engine.native.lowlevel import Text

AHEAD = 4096  # bytes: how early elements that lie in memory are asked for
LINE = 64  # bytes that memory gives at once


class Mask(NamedTuple):
    """A partial vector: lanes whose bit is set."""

    bits: str


class Clamp(NamedTuple):
    """A partial vector: each lane's element index, not past the last."""

    indices: tuple[str, ...]


Lanes = Union[Mask, Clamp, None]


def partial_mask(text: Text, lanes: int, left: str) -> Mask:
    """The mask of the first ``left`` lanes (at least one; all of them if there are more)."""
    if lanes == 1:
        return Mask("true")
    whole = str(lanes)
    some = text.call("i64", "llvm.umin.i64", ("i64", left), ("i64", whole))
    missing = text.let(f"sub i64 {whole}, {some}")
    if lanes < 64:
        missing = text.let(f"trunc i64 {missing} to i{lanes}")
    bits = text.let(f"lshr i{lanes} -1, {missing}")
    return Mask(text.let(f"bitcast i{lanes} {bits} to <{lanes} x i1>"))


def clamped(text: Text, lanes: int, index: str, last: str) -> Clamp:
    """Element indices ``index + lane``, but at most ``last``."""
    found = []
    for lane in range(lanes):
        here = text.let(f"add i64 {index}, {lane}") if lane else index
        found.append(text.call("i64", "llvm.smin.i64", ("i64", here), ("i64", last)))
    return Clamp(tuple(found))


class Operand:
    """One operand along the vectorised dimension, at one row.

    ``letter``: ``c`` contiguous, ``s`` the same element throughout, ``g`` any stride.
    """

    def __init__(self, memory: str, letter: str, pointer: str = "", stride: str = "") -> None:
        self.memory, self.letter = memory, letter
        self.pointer, self.stride = pointer, stride
        self.repeated: tuple[str, ...] = ()

    @property
    def scalar(self) -> str:
        return llvm_type(casts.raw_type(self.memory))

    @property
    def kind(self) -> str:
        return casts.raw_type(self.memory)

    @property
    def bytes(self) -> int:
        return casts.MEMORY_BYTES[self.memory]

    @property
    def parts(self) -> int:
        return casts.parts(self.memory)

    @property
    def part_bytes(self) -> int:
        return self.bytes // self.parts

    def step(self) -> str:
        return str(self.bytes) if self.letter == "c" else self.stride

    def address(self, text: Text, index: str) -> str:
        if self.letter == "c":
            return text.let(f"getelementptr [{self.bytes} x i8], ptr {self.pointer}, i64 {index}")
        offset = text.let(f"mul i64 {index}, {self.step()}")
        return text.let(f"getelementptr i8, ptr {self.pointer}, i64 {offset}")

    # -- loads --
    def load_repeated(self, text: Text, lanes: int) -> None:
        """Read the one element of a repeated operand, once for the row."""
        self.repeated = tuple(
            broadcast(text, self.kind, x, lanes) for x in self.load_one(text, self.pointer)
        )

    def load_one(self, text: Text, pointer: str) -> list[str]:
        found = [text.let(f"load {self.scalar}, ptr {pointer}, align {self.part_bytes}")]
        if self.parts == 2:
            second = text.let(f"getelementptr i8, ptr {pointer}, i64 {self.part_bytes}")
            found.append(text.let(f"load {self.scalar}, ptr {second}, align {self.part_bytes}"))
        return found

    def load(self, text: Text, index: str, lanes: int, which: Lanes) -> list[str]:
        """The parts of ``lanes`` elements starting at ``index``."""
        if self.letter == "s":
            return list(self.repeated)
        if self.letter == "g" and isinstance(which, Mask):
            return self._gather(text, index, lanes, which)
        if self.letter == "g" or isinstance(which, Clamp) or lanes == 1:
            return self._load_each(text, index, lanes, which)
        pointer = self.address(text, index)
        whole = vector(lanes * self.parts, self.scalar)
        align = self.part_bytes
        if which is None:
            loaded = text.let(f"load {whole}, ptr {pointer}, align {align}")
        else:
            mask = self._wide_mask(text, which.bits, lanes)
            short = suffix(self.kind, lanes * self.parts)
            loaded = text.call(
                whole,
                f"llvm.masked.load.{short}.p0",
                ("ptr", f"align {align} {pointer}"),
                (f"<{lanes * self.parts} x i1>", mask),
                (whole, "zeroinitializer"),
            )
        return [loaded] if self.parts == 1 else self._split(text, loaded, lanes)

    def _wide_mask(self, text: Text, bits: str, lanes: int) -> str:
        if self.parts == 1:
            return bits
        order = _constant_indices(lane for lane in range(lanes) for _ in range(2))
        narrow = f"<{lanes} x i1>"
        return text.let(
            f"shufflevector {narrow} {bits}, {narrow} poison, <{2 * lanes} x i32> {order}"
        )

    def _split(self, text: Text, loaded: str, lanes: int) -> list[str]:
        whole = vector(2 * lanes, self.scalar)
        return [
            text.let(
                f"shufflevector {whole} {loaded}, {whole} poison, <{lanes} x i32> "
                + _constant_indices(range(part, 2 * lanes, 2))
            )
            for part in range(2)
        ]

    @property
    def gathers(self) -> bool:
        """Whether processors with masks read such elements from scattered addresses at once."""
        return self.part_bytes >= 4

    def _scattered(self, text: Text, index: str, lanes: int, part: int) -> str:
        """The addresses of one part of each lane."""
        start = self.address(text, index)
        if part:
            start = text.let(f"getelementptr i8, ptr {start}, i64 {part * self.part_bytes}")
        steps = broadcast(text, "i64", self.step(), lanes)
        order = "<" + ", ".join(f"i64 {k}" for k in range(lanes)) + ">"
        offsets = text.let(f"mul <{lanes} x i64> {steps}, {order}")
        return text.let(f"getelementptr i8, ptr {start}, <{lanes} x i64> {offsets}")

    def _gather(self, text: Text, index: str, lanes: int, which: Mask) -> list[str]:
        whole = vector(lanes, self.scalar)
        return [
            text.call(
                whole,
                f"llvm.masked.gather.{suffix(self.kind, lanes)}.v{lanes}p0",
                (
                    f"<{lanes} x ptr>",
                    f"align {self.part_bytes} " + self._scattered(text, index, lanes, part),
                ),
                (f"<{lanes} x i1>", which.bits),
                (whole, "zeroinitializer"),
            )
            for part in range(self.parts)
        ]

    def _scatter(self, text: Text, values: list[str], index: str, lanes: int, which: Mask) -> None:
        for part, value in enumerate(values):
            text.call(
                "void",
                f"llvm.masked.scatter.{suffix(self.kind, lanes)}.v{lanes}p0",
                (vector(lanes, self.scalar), value),
                (
                    f"<{lanes} x ptr>",
                    f"align {self.part_bytes} " + self._scattered(text, index, lanes, part),
                ),
                (f"<{lanes} x i1>", which.bits),
            )

    def _each_address(self, text: Text, index: str, lanes: int, which: Lanes) -> list[str]:
        if isinstance(which, Clamp):
            return [self.address(text, i) for i in which.indices]
        pointers = [self.address(text, index)]
        for _ in range(lanes - 1):
            pointers.append(text.let(f"getelementptr i8, ptr {pointers[-1]}, i64 {self.step()}"))
        return pointers

    def _load_each(self, text: Text, index: str, lanes: int, which: Lanes) -> list[str]:
        whole = vector(lanes, self.scalar)
        found = ["poison"] * self.parts
        for lane, pointer in enumerate(self._each_address(text, index, lanes, which)):
            one = self.load_one(text, pointer)
            if lanes == 1:
                return one
            found = [
                text.let(f"insertelement {whole} {v}, {self.scalar} {x}, i32 {lane}")
                for v, x in zip(found, one, strict=True)
            ]
        return found

    # -- stores --
    def ask_ahead(self, text: Text, index: str, count: int) -> None:
        """Ask memory for the contiguous elements that lie `AHEAD` behind some from an index on."""
        if self.letter != "c":
            return
        start = text.let(f"mul i64 {index}, {self.bytes}")
        for line in range(0, count * self.bytes, LINE):
            ahead = text.let(f"add i64 {start}, {AHEAD + line}")
            place = text.let(f"getelementptr i8, ptr {self.pointer}, i64 {ahead}")
            text.call(
                "void", "llvm.prefetch.p0", ("ptr", place), ("i32 immarg", "0"),
                ("i32 immarg", "3"), ("i32 immarg", "1"),
            )  # fmt: skip

    def store(
        self,
        text: Text,
        values: list[str],
        index: str,
        lanes: int,
        which: Lanes,
        stream: int = 0,
    ) -> None:
        """Write ``lanes`` elements starting at ``index``.

        ``stream``, if not zero, is the alignment of a whole vector that goes around the caches.
        """
        if isinstance(which, Clamp) or lanes == 1 or (self.letter != "c" and which is None):
            self._store_each(text, values, index, lanes, which)
            return
        if self.letter != "c":
            assert which is not None
            self._scatter(text, values, index, lanes, which)
            return
        pointer = self.address(text, index)
        whole = vector(lanes * self.parts, self.scalar)
        align = self.part_bytes
        value = values[0]
        if self.parts == 2:
            narrow = vector(lanes, self.scalar)
            order = _constant_indices(i for k in range(lanes) for i in (k, lanes + k))
            value = text.let(
                f"shufflevector {narrow} {values[0]}, {narrow} {values[1]}, "
                f"<{2 * lanes} x i32> {order}"
            )
        if which is None:
            how = f"{stream}, !nontemporal !0" if stream else str(align)
            text.do(f"store {whole} {value}, ptr {pointer}, align {how}")
            return
        mask = self._wide_mask(text, which.bits, lanes)
        short = suffix(self.kind, lanes * self.parts)
        text.call(
            "void",
            f"llvm.masked.store.{short}.p0",
            (whole, value),
            ("ptr", f"align {align} {pointer}"),
            (f"<{lanes * self.parts} x i1>", mask),
        )

    def _store_each(
        self, text: Text, values: list[str], index: str, lanes: int, which: Lanes
    ) -> None:
        whole = vector(lanes, self.scalar)
        for lane, pointer in enumerate(self._each_address(text, index, lanes, which)):
            for part, value in enumerate(values):
                if lanes > 1:
                    value = text.let(f"extractelement {whole} {value}, i32 {lane}")
                there = pointer
                if part:
                    there = text.let(f"getelementptr i8, ptr {pointer}, i64 {self.part_bytes}")
                text.do(f"store {self.scalar} {value}, ptr {there}, align {self.part_bytes}")


def _constant_indices(indices: object) -> str:
    return "<" + ", ".join(f"i32 {i}" for i in indices) + ">"  # type: ignore[attr-defined]
