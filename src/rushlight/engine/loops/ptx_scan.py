"""Scans for NVIDIA's processors: a block of threads goes along a row, so many elements at a time.

The states of a stretch are joined in log2 steps through shared memory, each with the one some places before it; what came
before the stretch joins last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.loops.printed import computed, numbers
from rushlight.engine.loops.ptx_shared import Shared, barrier
from rushlight.engine.loops.ptx_text import GPU, GpuKernel, special
from rushlight.engine.loops.scan_kernel import Scan, ScanPrograms
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import (
    Pointer,
    Value,
    divided,
    inlined,
    left_over,
    narrowed,
    select,
)

# How many elements are joined at once, by as many threads.
WIDTH = 256


def scan_ptx_ir(scan: Scan, outs: Sequence[str], ins: Sequence[str], dims: int) -> str:
    """The IR of a scan along dim 0; the others are kept."""
    return _Scan(scan, outs, ins, dims).text()


class _Scan(GpuKernel):
    def __init__(self, scan: Scan, outs: Sequence[str], ins: Sequence[str], dims: int) -> None:
        super().__init__([*outs, *ins], dims)
        self.scan = scan
        self.programs = ScanPrograms(scan, outs, ins, GPU)
        self.outs = [Operand(m, "s") for m in outs]
        self.ins = [Operand(m, "s") for m in ins]

    @inlined
    def run(self) -> None:
        self.thread = special("tid.x")
        self.stores = [Shared(self, type, WIDTH) for type in self.scan.state]
        total = self.sizes[1]
        for size in self.sizes[2:]:
            total = total * size
        for row in range(special("ctaid.x"), total, special("nctaid.x")):
            self.row(self.bases(row))

    def bases(self, row: Any) -> dict[int, Pointer]:
        """Where a row begins in each operand."""
        places = []
        for size in self.sizes[1:-1]:
            places.append(left_over(row, size))
            row = divided(row, size)
        places.append(row)
        found = {}
        for k, pointer in self.pointers.items():
            offset: Any = 0
            for place, strides in zip(places, self.strides[1:], strict=True):
                offset = offset + place * strides[k]
            found[k] = pointer + offset
        return found

    @inlined
    def row(self, bases: dict[int, Pointer]) -> None:
        """One stretch after the other."""
        before = numbers(self.scan.state, self.scan.init, 1)
        for start in range(0, self.sizes[0], WIDTH):
            index = start + self.thread
            state = self.joined(self.lifted(bases, index))
            whole = computed(self.programs.combine, 1, before, state)
            self.store(bases, index, whole)
            last = [store.read(WIDTH - 1) for store in self.stores]
            before = computed(self.programs.combine, 1, before, last)
            barrier()

    @inlined
    def lifted(self, bases: dict[int, Pointer], index: int) -> list[Value]:
        """The state of one element; behind the end, one that nobody looks at."""
        state = numbers(self.scan.state, self.scan.init, 1)
        if index < self.sizes[0]:
            parts: list[Value] = []
            for k, operand in enumerate(self.ins, start=len(self.outs)):
                parts += operand.load_one(bases[k] + index * self.strides[0][k])
            place = index if self.scan.index == "i64" else narrowed(index, self.scan.index)
            given = [parts, [place]] if self.programs.indexed else [parts]
            state = computed(self.programs.lift, 1, *given)
        return state

    def joined(self, state: list[Value]) -> list[Value]:
        """The states up to each thread's; they are in shared memory besides."""
        distance = 1
        self.share(state)
        while distance < WIDTH:
            is_behind = self.thread >= distance
            place = select(is_behind, self.thread - distance, 0)
            earlier = [store.read(place) for store in self.stores]
            both = computed(self.programs.combine, 1, earlier, state)
            state = [select(is_behind, a, b) for a, b in zip(both, state, strict=True)]
            barrier()
            self.share(state)
            distance *= 2
        return state

    def share(self, state: list[Value]) -> None:
        """Let the other threads see a state."""
        for store, value in zip(self.stores, state, strict=True):
            store.write(value, self.thread)
        barrier()

    @inlined
    def store(self, bases: dict[int, Pointer], index: int, state: list[Value]) -> None:
        """Write the outputs of one place."""
        if index < self.sizes[0]:
            for k, out in enumerate(self.outs):
                out.point(bases[k] + index * self.strides[0][k], 0)
            self.store_one(self.outs, computed(self.programs.emit, 1, state))
