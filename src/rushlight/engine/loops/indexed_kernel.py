"""Kernels that move elements to or from the places that index tensors name.

A nest of dimensions is walked as in any kernel. At each point there is an element of a dense side,
the *near* one, and one of the *far* side, whose address the indices shift: by each index's element
times the far side's step along the dimension that the index speaks about. Reading copies from far
to near; writing copies, or folds, from near to far.

Operands: near, far, the indices, two words for each index (length and byte step of its dimension),
and three words where a position outside is reported: that there was one, which index's, and its
value. Nothing is read or written at such a position. With ``ranged`` there are two words more, the
first position of the only index at which something is done, and how many follow.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.llvm_text import Program, broadcast, gather
from rushlight.engine.loops.map_kernel import Body, lanes_for, trace
from rushlight.engine.loops.row_loop import RowLoop
from rushlight.engine.loops.target import host_target
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import Text


def indexed_ir(
    body: Body | None,
    memory: str,
    compute: str,
    indices: Sequence[str],
    *,
    writes: bool,
    wraps: bool,
    inner: str,
    side_by_side: bool = False,
    ranged: bool = False,
) -> str:
    """The IR of a kernel over two dimensions.

    Args:
        body: ``(far, near) -> far``, the fold of a writing kernel; None copies
        memory: the elements' type in memory
        compute: the type in which the body gets them
        indices: the memory types of the indices
        writes: whether elements go from near to far
        wraps: whether negative positions count from the end
        inner: the letters of near and far along dim 0, where no index varies along it; else empty
        side_by_side: along dim 0, near and all indices are contiguous
        ranged: whether only some positions of the index count
    """
    if body is None:
        program = Program(trace(lambda x: x, [memory], [memory], [memory]), host_target())
    else:
        program = Program(trace(body, [memory], [memory] * 2, [compute] * 2), host_target())
    writer = _Writer(program, memory, indices, body is not None, writes, wraps, inner, ranged)
    vectors = not writes and side_by_side and memory in ("i32", "i64")
    if vectors and set(indices) == {"i64"} and host_target().masks:
        writer.lanes = host_target().vector_bytes // 8
    return writer.write()


class _Writer:
    def __init__(
        self,
        program: Program,
        memory: str,
        indices: Sequence[str],
        folds: bool,
        writes: bool,
        wraps: bool,
        inner: str,
        ranged: bool,
    ) -> None:
        self.program = program
        self.memory = memory
        self.indices = indices
        self.folds = folds
        self.writes = writes
        self.wraps = wraps
        self.inner = inner
        self.lanes = 1  # elements that are read at once
        self.text = Text()
        self.frame = Frame(self.text, len(indices) + 4 + ranged, 2)
        words = len(indices) + 2
        self.lengths = [self._word(words, 2 * k) for k in range(len(indices))]
        self.steps = [self._word(words, 2 * k + 1) for k in range(len(indices))]
        self.range = [self._word(words + 2, k) for k in range(2)] if ranged else []

    def _word(self, operand: int, place: int) -> str:
        where = self.text.let(f"getelementptr i64, ptr {self.frame.bases[operand]}, i64 {place}")
        return self.text.let(f"load i64, ptr {where}")

    def write(self) -> str:
        self.text.loop("0", self.frame.size[1], 1, self._row)
        return self.text.module()

    def _row(self, outer: str, _: list[str]) -> list[str]:
        pointers = [self.frame.at(k, 1, outer) for k in range(len(self.indices) + 2)]
        if self.inner:
            self._moved(pointers, self._dense_row)
        else:
            start, count = "0", self.frame.size[0]
            if self.lanes > 1:
                stop = self.text.let(f"sub i64 {count}, {self.lanes - 1}")
                start, _ = self.text.loop(
                    start, stop, self.lanes, lambda index, _: self._vector(index, pointers)
                )
            self.text.loop(start, count, 1, lambda index, _: self._element(index, pointers))
        return []

    def _spread(self, word: str) -> str:
        return broadcast(self.text, "i64", word, self.lanes)

    def _vector(self, index: str, pointers: list[str]) -> list[str]:
        """Read several elements at once; if a position is outside, one after the other."""
        text, lanes = self.text, self.lanes
        words, bits = f"<{lanes} x i64>", f"<{lanes} x i1>"
        offset = text.let(f"mul i64 {index}, {self.frame.stride[0][1]}")
        far = text.let(f"getelementptr i8, ptr {pointers[1]}, i64 {offset}")
        order = ", ".join(f"i64 {k}" for k in range(lanes))
        shift = text.let(f"mul {words} {self._spread(self.frame.stride[0][1])}, <{order}>")
        inside = ""
        for k, pointer in enumerate(pointers[2:]):
            here = text.let(f"getelementptr i64, ptr {pointer}, i64 {index}")
            given = text.let(f"load {words}, ptr {here}, align 8")
            length = self._spread(self.lengths[k])
            if self.wraps:
                from_end = text.let(f"add {words} {given}, {length}")
                negative = text.let(f"icmp slt {words} {given}, zeroinitializer")
                given = text.let(f"select {bits} {negative}, {words} {from_end}, {words} {given}")
            fits = text.let(f"icmp ult {words} {given}, {length}")
            inside = text.let(f"and {bits} {inside}, {fits}") if inside else fits
            step = text.let(f"mul {words} {given}, {self._spread(self.steps[k])}")
            shift = text.let(f"add {words} {shift}, {step}")
        packed = text.let(f"bitcast {bits} {inside} to i{lanes}")

        def at_once() -> list[str]:
            places = text.let(f"getelementptr i8, ptr {far}, {words} {shift}")
            found = gather(text, self.memory, places, lanes)
            there = text.let(f"getelementptr {self.memory}, ptr {pointers[0]}, i64 {index}")
            item = int(self.memory[1:]) // 8
            text.do(f"store <{lanes} x {self.memory}> {found}, ptr {there}, align {item}")
            return []

        def one_by_one() -> list[str]:
            stop = text.let(f"add i64 {index}, {lanes}")
            text.loop(index, stop, 1, lambda place, _: self._element(place, pointers))
            return []

        text.when(text.let(f"icmp eq i{lanes} {packed}, -1"), at_once, one_by_one)
        return []

    def _element(self, index: str, pointers: list[str]) -> list[str]:
        here = [self.frame.at(k, 0, index, pointer) for k, pointer in enumerate(pointers)]
        self._moved(here, self._one)
        return []

    def _moved(self, pointers: list[str], move: Callable[[str, str], None]) -> None:
        """Find the far address and move there, or report a position outside."""
        positions = [self._position(k, pointer) for k, pointer in enumerate(pointers[2:])]
        inside = self._all([self._is_inside(k, p) for k, p in enumerate(positions)])

        def act() -> list[str]:
            far = pointers[1]
            for position, step in zip(positions, self.steps):
                offset = self.text.let(f"mul i64 {position}, {step}")
                far = self.text.let(f"getelementptr i8, ptr {far}, i64 {offset}")
            move(pointers[0], far)
            return []

        def report() -> list[str]:
            for k, pointer in enumerate(pointers[2:]):
                outside = self.text.let(f"xor i1 {self._is_inside(k, positions[k])}, true")
                self.text.when(outside, functools.partial(self._report, k, pointer), list)
            return []

        def act_in_range() -> list[str]:
            first, count = self.range
            ahead = self.text.let(f"sub i64 {positions[0]}, {first}")
            self.text.when(self.text.let(f"icmp ult i64 {ahead}, {count}"), act, list)
            return []

        self.text.when(inside, act_in_range if self.range else act, report)

    def _loaded(self, k: int, pointer: str) -> str:
        if self.indices[k] == "i64":
            return self.text.let(f"load i64, ptr {pointer}")
        narrow = self.text.let(f"load {self.indices[k]}, ptr {pointer}")
        return self.text.let(f"sext {self.indices[k]} {narrow} to i64")

    def _position(self, k: int, pointer: str) -> str:
        given = self._loaded(k, pointer)
        if not self.wraps:
            return given
        from_end = self.text.let(f"add i64 {given}, {self.lengths[k]}")
        negative = self.text.let(f"icmp slt i64 {given}, 0")
        return self.text.let(f"select i1 {negative}, i64 {from_end}, i64 {given}")

    def _is_inside(self, k: int, position: str) -> str:
        return self.text.let(f"icmp ult i64 {position}, {self.lengths[k]}")

    def _all(self, conditions: list[str]) -> str:
        found = conditions[0]
        for other in conditions[1:]:
            found = self.text.let(f"and i1 {found}, {other}")
        return found

    def _report(self, k: int, pointer: str) -> list[str]:
        status = self.frame.bases[len(self.indices) + 3]
        for place, word in enumerate(("1", str(k), self._loaded(k, pointer))):
            where = self.text.let(f"getelementptr i64, ptr {status}, i64 {place}")
            self.text.do(f"store i64 {word}, ptr {where}")
        return []

    def _operands(self, near: str, far: str) -> tuple[list[Operand], list[Operand]]:
        """Outputs and inputs of the program at two addresses."""
        near_letter, far_letter = tuple(self.inner or "cc")
        strides = self.frame.stride[0]
        here = Operand(self.memory, near_letter, near, strides[0])
        there = Operand(self.memory, far_letter, far, strides[1])
        if not self.writes:
            return [here], [there]
        return [there], [there, here] if self.folds else [here]

    def _dense_row(self, near: str, far: str) -> None:
        outs, ins = self._operands(near, far)
        outs[0].letter = outs[0].letter.replace("s", "g")
        lanes = lanes_for(self.program, [self.memory], self.program.target)
        if any(operand.letter == "g" for operand in (*outs, *ins)):
            lanes = 1
        RowLoop(self.text, self.program, outs, ins, lanes).write(self.frame.size[0])

    def _one(self, near: str, far: str) -> None:
        outs, ins = self._operands(near, far)
        parts = [part for x in ins for part in x.load(self.text, "0", 1, None)]
        results = self.program.print(self.text, 1, dict(enumerate(parts)))
        outs[0].store(self.text, results, "0", 1, None)
