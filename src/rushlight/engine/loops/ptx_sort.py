"""Sorting on a GPU: Batcher's bitonic network, one launch for each of its stages.

Rows are as long as a power of two; what is beyond a row's own length comes last. Elements have their places with them,
which decide between equal ones, so that the order is the stable one whatever the network does.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.loops import casts
from rushlight.engine.loops.expr import arg, isnan
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.printed import computed
from rushlight.engine.loops.ptx_text import GPU, GpuKernel, special
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import Value, inlined, load, select, store


class Exchange:
    """A stage of the network: pairs at a distance are put in order.

    Args:
        memory: the elements' type in memory
        compute: the type in which they are compared
        down: whether the largest come first; what is no number counts as the largest
    """

    def __init__(self, memory: str, compute: str, down: bool) -> None:
        self.memory = memory
        raw = casts.raw_type(memory)
        a, b = (casts.from_memory([arg(k, raw)], memory, compute) for k in (0, 1))
        if a.is_float:
            before = (a < b) | (isnan(b) & ~isnan(a))
            after = (b < a) | (isnan(a) & ~isnan(b))
        elif a.is_bool:
            before, after = ~a & b, ~b & a
        else:
            before, after = a < b, b < a
        self.program = Program([after, before] if down else [before, after], GPU)

    def description(self) -> str:
        return f"exchange|{self.memory}{self.program.description()}"

    def text(self) -> str:
        """The IR; the numbers are the row's own length, the stage's stretch and its distance."""
        return _Exchange(self).text()


class _Exchange(GpuKernel):
    def __init__(self, stage: Exchange) -> None:
        super().__init__([stage.memory, "i64", "i64", "i64", "i64"], 2, [2, 3, 4])
        self.stage = stage
        self.keys = Operand(stage.memory, "c")

    @inlined
    def run(self) -> None:
        width = special("ntid.x")
        thread = special("ctaid.x") * width + special("tid.x")
        # Dim 0 is a row's pairs, dim 1 the rows: all of them are neighbours.
        total = self.sizes[0] * self.sizes[1]
        for pair in range(thread, total, special("nctaid.x") * width):
            self.pair(pair)

    @inlined
    def pair(self, pair: int) -> None:
        """Put two elements in order."""
        (length,), (stretch,), (distance,) = (self.numbers[k] for k in (2, 3, 4))
        within = pair & (distance - 1)
        first = ((pair - within) * 2) + within
        second = first + distance
        rising = (first & stretch) == 0
        places = [self.pointers[1] + 8 * at for at in (first, second)]
        self.keys.point(self.pointers[0], 0)
        at = [self.keys.address(k) for k in (first, second)]
        a, b = (self.keys.load_one(place)[0] for place in at)
        p, q = load(places[0]), load(places[1])
        if self.is_before(b, q, a, p, length) == rising:
            store(at[0], b, self.keys.bytes)
            store(at[1], a, self.keys.bytes)
            store(places[0], q)
            store(places[1], p)

    def is_before(self, a: Value, p: Any, b: Value, q: Any, length: Any) -> Any:
        """Whether an element comes before another one: what is beyond the length is last."""
        before, after = computed(self.stage.program, 1, [a, b])
        by_key = select(before, before, select(after, ~after, p < q))
        pads = (p >= length), (q >= length)
        return select(pads[0], (pads[1] & (p < q)), select(pads[1], pads[1], by_key))


def stages(length: int) -> list[tuple[int, int]]:
    """The stretches and distances of a network for a power of two."""
    found = []
    stretch = 2
    while stretch <= length:
        distance = stretch // 2
        while distance:
            found.append((stretch, distance))
            distance //= 2
        stretch *= 2
    return found
