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
import operator
from collections.abc import Sequence
from typing import Any

from rushlight.engine.loops.arguments import Arguments
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.map_kernel import Body, lanes_for, trace
from rushlight.engine.loops.row_loop import RowLoop
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import (
    Pointer,
    broadcast,
    extended,
    gather,
    in_every_lane,
    inlined,
    is_within,
    kernel_text,
    lanes_from,
    load,
    select,
    store,
    unroll,
    vector_of,
)


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
    kernel = indexed_kernel(
        body, memory, compute, indices, writes, wraps, inner, ranged, host_target()
    )
    vectors = not writes and side_by_side and memory in ("i32", "i64")
    if vectors and set(indices) == {"i64"} and host_target().masks:
        # As many lanes as there are positions in a vector; elements may be narrower, and are
        # gathered.
        kernel.lanes = host_target().vector_bytes // 8
    return kernel_text(kernel.run)


def indexed_kernel(
    body: Body | None, memory: str, compute: str, indices: Sequence[str], writes: bool, wraps: bool,
    inner: str, ranged: bool, target: Target, family: type[IndexedKernel] | None = None,
) -> IndexedKernel:  # fmt: skip
    """The kernel whose text `indexed_ir` is, for one element at a time, or one of a family of its own."""
    if body is None:
        program = Program(trace(lambda x: x, [memory], [memory], [memory]), target)
    else:
        program = Program(trace(body, [memory], [memory] * 2, [compute] * 2), target)
    made = family or IndexedKernel
    return made(program, memory, indices, body is not None, writes, wraps, inner, ranged)


class IndexedKernel:
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
        self.ranged = ranged
        self.lanes = 1  # elements that are read at once

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        count = len(self.indices)
        given = Arguments(data, sizes, strides, count + 4 + self.ranged, 2)
        operands, (words, status, *rest) = given.operands[: count + 2], given.operands[count + 2 :]
        self.strides = [x.stride[0] for x in operands]
        self.status = status.base
        self.lengths = [load(words.base + 16 * k) for k in unroll(count)]
        self.steps = [load(words.base + (16 * k + 8)) for k in unroll(count)]
        self.range = [load(rest[0].base + 8 * k) for k in unroll(2)] if self.ranged else []
        self.count = given.size[0]
        for row in range(given.size[1]):
            places = [x.at(1, row) for x in operands]
            if self.inner:
                self.move(places)
            else:
                self.elements(places)

    @inlined
    def elements(self, places: list[Pointer]) -> None:
        """The elements of a row whose indices vary along it."""
        i = 0
        if self.lanes > 1:
            while i < self.count - (self.lanes - 1):
                self.vector(i, places)
                i += self.lanes
        while i < self.count:
            self.element(i, places)
            i += 1

    def element(self, index: int, places: list[Pointer]) -> None:
        self.move([x + index * step for x, step in zip(places, self.strides, strict=True)])

    @inlined
    def vector(self, index: int, places: list[Pointer]) -> None:
        """Read several elements at once; if a position is outside, one after the other."""
        near, far, *given = places
        start = far + index * self.strides[1]
        shift = broadcast(self.strides[1], self.lanes) * lanes_from(range(self.lanes), "i64")
        inside: Any = None
        for k, place in enumerate(given):
            position = load(place + index * 8, vector_of(self.lanes, "i64"))
            length = broadcast(self.lengths[k], self.lanes)
            if self.wraps:
                position = select(position < 0, position + length, position)
            # Compared without a sign: a negative position is larger than any length.
            fits = is_within(position, length)
            inside = fits if inside is None else inside & fits
            shift = shift + position * broadcast(self.steps[k], self.lanes)
        if in_every_lane(inside):
            item = int(self.memory[1:]) // 8
            store(near + index * item, gather(start + shift, self.memory), align=item)
        else:
            # Rare: the positions inside must be read all the same, and the one outside reported.
            for one in range(index, index + self.lanes):
                self.element(one, places)

    @inlined
    def move(self, places: list[Pointer]) -> None:
        """Find the far address and move there, or report a position outside."""
        near, far, *given = places
        positions = [self.position(k, place) for k, place in enumerate(given)]
        fitting = [is_within(x, length) for x, length in zip(positions, self.lengths, strict=True)]
        if functools.reduce(operator.and_, fitting):
            if not self.ranged or is_within(positions[0] - self.range[0], self.range[1]):
                for position, step in zip(positions, self.steps, strict=True):
                    far = far + position * step
                self.apply(near, far)
        else:
            for k, place in enumerate(given):
                if not is_within(positions[k], self.lengths[k]):
                    self.report(k, place)

    def loaded(self, k: int, place: Pointer) -> int:
        """An element of an index."""
        found = load(place, self.indices[k])
        return found if self.indices[k] == "i64" else extended(found)

    def position(self, k: int, place: Pointer) -> int:
        """The position that an element of an index means."""
        given = self.loaded(k, place)
        return select(given < 0, given + self.lengths[k], given) if self.wraps else given

    def report(self, k: int, place: Pointer) -> None:
        """Say which index has a position outside, and its value."""
        # Threads may meet here. Each writes a position that is outside; which of them is told
        # does not matter.
        store(self.status, 1)
        store(self.status + 8, k)
        store(self.status + 16, self.loaded(k, place))

    def apply(self, near: Pointer, far: Pointer) -> None:
        """Move one element, or all of a row along which no index varies."""
        letters = self.inner or "cc"
        here = Operand(self.memory, letters[0], near, self.strides[0])
        there = Operand(self.memory, letters[1], far, self.strides[1])
        outs, ins = [here], [there]
        if self.writes:
            outs, ins = [there], [there, here] if self.folds else [here]
        if not self.inner:
            RowLoop(self.program, outs, ins, 1).element(0, None)
            return
        # Elements written to one place, one after the other: vectors would lose all but one.
        outs[0].letter = outs[0].letter.replace("s", "g")
        lanes = lanes_for(self.program, [self.memory], self.program.target)
        if any(operand.letter == "g" for operand in (*outs, *ins)):
            lanes = 1
        RowLoop(self.program, outs, ins, lanes).write(self.count)
