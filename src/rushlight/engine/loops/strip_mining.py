"""Long programs over strips of a row: a few operations for the whole strip, then the next few.

A processor computes several elements at once only as far ahead as it sees. One element of a long program fills its
window, and each operation waits for the one before. So a long program is cut into stages, each short enough to be
unrolled; what one leaves to the next lies in buffers as long as a strip, which stay in the first cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.engine.loops import casts
from rushlight.engine.loops.arguments import Arguments, KernelOperand
from rushlight.engine.loops.expr import Value, arg, convert
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.row_loop import RowLoop
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import Pointer, fence, inlined, minimum
from rushlight.engine.native.lowlevel.memory import room

# Shorter programs are seen whole.
LONG = 32
# How many operations a stage has, about: those of an exponential.
SHORTEST_STAGE, LONGEST_STAGE = 10, 32
STRIP = 512
# Where more values are live, storing and loading them costs more than is gained.
MOST_LIVE = 5


class Place(NamedTuple):
    """Where a stage's operand is: an operand of the kernel, or a buffer of a type."""

    number: int
    buffer: str | None = None


class Stage(NamedTuple):
    """Some of a program's operations.

    Args:
        program: the operations
        outs: where its results go
        ins: what it reads
    """

    program: Program
    outs: list[Place]
    ins: list[Place]


def stages_of(program: Program, outs: Sequence[str], ins: Sequence[str]) -> list[Stage]:
    """The stages of a program from memory types ``ins`` to ``outs``; one or none if it is to stay whole."""
    if program.cost <= LONG:
        return []
    return _Cutting(program, outs, ins).stages()


class _Cutting:
    """Cuts a program into stages.

    Args:
        program: the program
        outs: the outputs' types in memory
        ins: the inputs'
    """

    def __init__(self, program: Program, outs: Sequence[str], ins: Sequence[str]) -> None:
        self.program, self.outs, self.ins = program, outs, ins
        self.order = [v for v in program.order if v.op not in ("arg", "const")]
        self.place = {id(v): k for k, v in enumerate(self.order)}
        blocks = program.rare_blocks
        self.rare = {id(v) for _, block in blocks for v in block}
        self.blocks = [(v, block) for v, block in blocks if any(id(x) in self.place for x in block)]
        # The last operation that reads each value; outputs are read at once.
        self.last_use: dict[int, int] = {}
        for k, value in enumerate(self.order):
            for operand in value.args:
                self.last_use[id(operand)] = k
        self.parts = [k for k, memory in enumerate(ins) for _ in range(casts.parts(memory))]
        # The operation behind which each output is complete.
        self.complete: list[int] = []
        self.of_output: list[list[Value]] = []
        given = iter(program.outputs)
        for memory in outs:
            own = [next(given) for _ in range(casts.parts(memory))]
            self.of_output.append(own)
            self.complete.append(max(self.place.get(id(v), 0) for v in own))
            for value in own:
                self.last_use[id(value)] = max(self.last_use.get(id(value), 0), self.complete[-1])

    def _live(self, end: int) -> list[Value]:
        """The values that operations from ``end`` on read of those before."""
        return [v for v in self.order[:end] if self.last_use.get(id(v), -1) >= end]

    def ends(self) -> list[int]:
        """Where stages end: where few values are live."""
        found, start, count = [], 0, len(self.order)
        possible = self._possible()
        while self._cost(start, count) > LONGEST_STAGE:
            left = [end for end in possible if end > start]
            choices = [
                end for end in left if SHORTEST_STAGE <= self._cost(start, end) <= LONGEST_STAGE
            ] or left[:1]
            if not choices:
                break
            start = min(choices, key=lambda end: (len(self._live(end)), -end))
            found.append(start)
        return [*found, count]

    def _cost(self, start: int, end: int) -> int:
        """How many operations an element usually takes from one place to another."""
        return sum(id(v) not in self.rare for v in self.order[start:end])

    def _possible(self) -> list[int]:
        """Where a stage may end: nowhere between what is rarely computed and what it is rare for."""
        within = [0] * (len(self.order) + 1)
        for value, block in self.blocks:
            first = min(self.place[id(v)] for v in block if id(v) in self.place)
            within[first + 1] += 1
            within[self.place[id(value)] + 1] -= 1
        found, depth = [], 0
        for end in range(len(self.order)):
            depth += within[end]
            if end and not depth and len(self._live(end)) <= MOST_LIVE:
                found.append(end)
        return found

    def stages(self) -> list[Stage]:
        ends = self.ends()
        made, start = [], 0
        for end in ends:
            made.append(self._stage(start, end))
            start = end
        return made

    def _stage(self, start: int, end: int) -> Stage:
        before = {id(v): v for v in self._live(start)}
        kept = [v for v in self._live(end) if self.place[id(v)] >= start]
        finished = [k for k, done in enumerate(self.complete) if start <= done < end]
        # What is there from the beginning: the kernel's inputs, then buffers.
        reads: dict[Place, int] = {}
        replaced: dict[int, Value] = {}

        def entered(value: Value) -> Value:
            """A value that the stage finds."""
            if value.op == "arg":
                operand = self.parts[value.attr]
                first = self._part(Place(operand + len(self.outs)), casts.parts(self.ins[operand]))
                return arg(first + value.attr - self.parts.index(operand), value.type)
            memory = value.type
            number = self._part(Place(self.place[id(value)], memory), 1)
            loaded = arg(number, casts.raw_type(memory))
            return loaded != 0 if memory == "bool" else loaded

        self._reads, self._count = reads, 0

        def made_of(value: Value) -> Value:
            found = replaced.get(id(value))
            if found is None:
                if value.op == "const":
                    found = value
                elif value.op == "arg" or id(value) in before:
                    found = entered(value)
                else:
                    found = Value(value.op, value.type, tuple(map(made_of, value.args)), value.attr)
                replaced[id(value)] = found
            return found

        # Values before others, so that none is as deep as the whole.
        for value in self.order[start:end]:
            made_of(value)
        results = [_stored(made_of(v)) for v in kept]
        results += [made_of(v) for k in finished for v in self.of_output[k]]
        outs = [Place(self.place[id(v)], v.type) for v in kept] + [Place(k) for k in finished]
        return Stage(Program(results, self.program.target), outs, list(reads))

    def _part(self, place: Place, parts: int) -> int:
        """The number of the first argument for an operand of the stage."""
        if place not in self._reads:
            self._reads[place] = self._count
            self._count += parts
        return self._reads[place]


def _stored(value: Value) -> Value:
    return convert(value, "u8") if value.type == "bool" else value


class StripMap:
    """Rows along dim 0 in strips, one row after the other along dim 1.

    Args:
        stages: of the program
        operands: the kernel's, outputs first
        count: how many outputs there are
        lanes: of vectors
        streams: whether the first output is written around the caches
    """

    def __init__(
        self, stages: Sequence[Stage], operands: Sequence[Operand], count: int, lanes: int, streams: bool
    ) -> None:  # fmt: skip
        self.stages, self.operands, self.count = stages, operands, count
        self.lanes, self.streams = lanes, streams
        self.buffers = _buffers(stages)

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        given = Arguments(data, sizes, strides, len(self.operands), 2)
        rooms = [room(STRIP * 8) for _ in range(self._rooms())]
        for row in range(given.size[1]):
            for start in range(0, given.size[0], STRIP):
                self.strip(given.operands, rooms, row, start, minimum(STRIP, given.size[0] - start))
        if self.streams:
            fence()

    def _rooms(self) -> int:
        return max(self.buffers.values(), default=-1) + 1

    def strip(self, given: list[KernelOperand], rooms: list[Any], row: int, start: int, count: int) -> None:
        """All stages over one strip."""
        for stage in self.stages:
            outs = [self._at(place, given, rooms, row, start) for place in stage.outs]
            ins = [self._at(place, given, rooms, row, start) for place in stage.ins]
            streams = self.streams and stage.outs[0] == Place(0)
            RowLoop(stage.program, outs, ins, self.lanes, streams).write(count)

    def _at(self, place: Place, given: Any, rooms: Any, row: int, start: int) -> Operand:
        """An operand of a stage at a strip."""
        if place.buffer is not None:
            memory = casts.raw_type(place.buffer)
            return Operand(memory, "c", rooms[self.buffers[place]], casts.MEMORY_BYTES[memory])
        like, x = self.operands[place.number], given[place.number]
        made = Operand(like.memory, like.letter)
        made.point(x.at(1, row) + start * x.stride[0], x.stride[0])
        return made


def _buffers(stages: Sequence[Stage]) -> dict[Place, int]:
    """Which memory each buffer gets: that of one that nobody reads any more."""
    last = {place: k for k, stage in enumerate(stages) for place in stage.ins if place.buffer}
    found: dict[Place, int] = {}
    free: list[int] = []
    count = 0
    for k, stage in enumerate(stages):
        for place in stage.outs:
            if place.buffer is not None:
                if not free:
                    free.append(count)
                    count += 1
                found[place] = free.pop()
        free += [found[place] for place in stage.ins if place.buffer and last[place] == k]
    return found
