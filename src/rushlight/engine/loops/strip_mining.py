"""Long programs over strips of a row: a few operations for the whole strip, then the next few.

A processor computes several elements at once only as far ahead as it sees. One element of a long program fills its
window, and each operation waits for the one before. So a long program is cut into stages, each short enough to be
unrolled; what one leaves to the next lies in buffers as long as a strip, which stay in the first cache.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from rushlight.engine.loops import casts
from rushlight.engine.loops.arguments import Arguments
from rushlight.engine.loops.expr import Value, arg, convert
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.row_loop import RowLoop
from rushlight.engine.loops.vector_memory import Operand
from rushlight.engine.native.lowlevel import Pointer, Vector, fence, inlined, minimum
from rushlight.engine.native.lowlevel.memory import room

# A model of the processor, in its cycles and for one vector: so many operations begin in a cycle, each is done after
# some more, and so many wait at once for those before.
WIDTH, LATENCY, WINDOW = 2, 4, 128
# What a stage takes besides: its loop, and a store and a load for each value that it leaves.
TURN, LEFT = 1, 1
# Shorter programs are seen whole; longer stages keep too many values in registers.
SHORT, LONGEST_STAGE = 20, 64
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
    if program.cost <= SHORT:
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
        # How many values are live before each operation, and at the end.
        change = [0] * (len(self.order) + 2)
        for k, value in enumerate(self.order):
            last = self.last_use.get(id(value), -1)
            if last > k:
                change[k + 1] += 1
                change[last + 1] -= 1
        self.live_counts = list(itertools.accumulate(change))

    def _live(self, end: int) -> list[Value]:
        """The values that operations from ``end`` on read of those before."""
        return [v for v in self.order[:end] if self.last_use.get(id(v), -1) >= end]

    def ends(self) -> list[int]:
        """Where stages end, so that the whole takes the fewest cycles."""
        count = len(self.order)
        places = [*self._possible(), count]
        left = {end: LEFT * self.live_counts[end] for end in places}
        # The cycles up to each place, and where the stage before it began.
        best: dict[int, tuple[float, int]] = {0: (0.0, 0)}
        for start in [0, *places[:-1]]:
            if start not in best:
                continue
            for end, cycles in self._cycles(start, left):
                total = best[start][0] + cycles + left[end]
                if end not in best or total < best[end][0]:
                    best[end] = total, start
        found = [count]
        while best[found[-1]][1]:
            found.append(best[found[-1]][1])
        return found[::-1]

    def _cycles(self, start: int, ends: Container[int]) -> Iterator[tuple[int, float]]:
        """The cycles of stages from one place to each possible end, the first of them however far it is."""
        depth: dict[int, int] = {}
        operations = longest = 0
        found = False
        for place in range(start, len(self.order)):
            value = self.order[place]
            usual = id(value) not in self.rare
            operations += usual
            deep = 0
            for x in value.args:
                deep = max(deep, depth.get(id(x), 0))
            depth[id(value)] = deep = deep + usual
            longest = max(longest, deep)
            if operations > LONGEST_STAGE and found:
                return
            if place + 1 in ends:
                found = True
                waiting = LATENCY * longest * operations / WINDOW
                yield place + 1, TURN + max(operations / WIDTH, waiting)

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
            if end and not depth and self.live_counts[end] <= MOST_LIVE:
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
        kept = [v for v in self._live(end) if self.place[id(v)] >= start]
        finished = [k for k, done in enumerate(self.complete) if start <= done < end]
        entered = _Entered(self, {id(v) for v in self._live(start)})
        own = self.order[start:end]
        for value in (*own, *(v for k in finished for v in self.of_output[k])):
            entered.read(value)
        entered.number()
        # Values before those that are made of them, so that nothing is as deep as the whole.
        for value in own:
            entered.made_of(value)
        results = [_stored(entered.made_of(v)) for v in kept]
        results += [entered.made_of(v) for k in finished for v in self.of_output[k]]
        outs = [Place(self.place[id(v)], v.type) for v in kept] + [Place(k) for k in finished]
        return Stage(Program(results, self.program.target, True), outs, list(entered.places))


class _Entered:
    """What a stage finds: operands of the kernel, buffers, and arguments that are the same for all elements.

    Args:
        cutting: knows the whole program
        before: the values that earlier stages have left
    """

    def __init__(self, cutting: _Cutting, before: set[int]) -> None:
        self.cutting, self.before = cutting, before
        self.places: dict[Place, int] = {}
        self.values: dict[int, Value] = {}
        self.count = 0

    def read(self, value: Value) -> None:
        """Note what a value, or one of its operands, reads."""
        for x in (value, *value.args):
            if x.op == "arg" and x.attr < len(self.cutting.parts):
                self.places.setdefault(self._place_of(x), 0)
            elif id(x) in self.before:
                self.places.setdefault(Place(self.cutting.place[id(x)], x.type), 0)

    def _place_of(self, value: Value) -> Place:
        return Place(self.cutting.parts[value.attr] + len(self.cutting.outs))

    def number(self) -> None:
        """Give the arguments of the stage their numbers, in the order of its operands."""
        for place in self.places:
            self.places[place] = self.count
            is_input = place.buffer is None
            memory = self.cutting.ins[place.number - len(self.cutting.outs)] if is_input else ""
            self.count += casts.parts(memory) if is_input else 1

    def made_of(self, value: Value) -> Value:
        """A value, of the stage's arguments."""
        found = self.values.get(id(value))
        if found is None:
            if value.op == "arg" or id(value) in self.before:
                found = self._argument(value)
            elif value.op == "const":
                found = value
            else:
                given = tuple(map(self.made_of, value.args))
                found = Value(value.op, value.type, given, value.attr)
            self.values[id(value)] = found
        return found

    def _argument(self, value: Value) -> Value:
        parts = self.cutting.parts
        if value.op != "arg":
            number = self.places[Place(self.cutting.place[id(value)], value.type)]
            loaded = arg(number, casts.raw_type(value.type))
            return loaded != 0 if value.type == "bool" else loaded
        if value.attr >= len(parts):
            return arg(self.count + value.attr - len(parts), value.type)
        first = parts.index(parts[value.attr])
        return arg(self.places[self._place_of(value)] + value.attr - first, value.type)


def _stored(value: Value) -> Value:
    return convert(value, "u8") if value.type == "bool" else value


class Strips:
    """A row in strips, all stages over one before the next.

    Args:
        stages: of the program
        operands: the kernel's, outputs first, which point to the row
        lanes: of vectors
        streams: whether the first output is written around the caches
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        operands: Sequence[Operand],
        lanes: int,
        streams: bool = False,
    ) -> None:
        self.stages, self.operands, self.lanes, self.streams = stages, operands, lanes, streams
        self.buffers = _buffers(stages)
        # Arguments behind those of operands, the same for all elements.
        self.extra: list[Vector] = []

    def begin(self) -> None:
        """Take the memory of the buffers."""
        self.rooms = [room(STRIP * 8) for _ in range(max(self.buffers.values(), default=-1) + 1)]

    @inlined
    def write(self, count: int) -> None:
        """The whole row of ``count`` elements."""
        for start in range(0, count, STRIP):
            self.strip(start, minimum(STRIP, count - start))

    def strip(self, start: int, count: int) -> None:
        for stage in self.stages:
            outs = [self._at(place, start) for place in stage.outs]
            ins = [self._at(place, start) for place in stage.ins]
            streams = self.streams and stage.outs[0] == Place(0)
            loop = RowLoop(stage.program, outs, ins, self.lanes, streams)
            loop.extra = self.extra
            loop.write(count)

    def _at(self, place: Place, start: int) -> Operand:
        """An operand of a stage at a strip."""
        if place.buffer is not None:
            memory = casts.raw_type(place.buffer)
            here, size = self.rooms[self.buffers[place]], casts.MEMORY_BYTES[memory]
            # Strips are whole vectors. Missing lanes repeat the last element here, too.
            return Operand(memory, "c", here, size, is_padded=True)
        like = self.operands[place.number]
        made = Operand(like.memory, like.letter)
        made.point(like.pointer + start * like.stride, like.stride)
        return made


class StripMap:
    """Rows along dim 0 in strips, one row after the other along dim 1."""

    def __init__(self, strips: Strips) -> None:
        self.strips = strips

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        operands = self.strips.operands
        given = Arguments(data, sizes, strides, len(operands), 2)
        self.strips.begin()
        for row in range(given.size[1]):
            for operand, x in zip(operands, given.operands):
                operand.point(x.at(1, row), x.stride[0])
            self.strips.write(given.size[0])
        if self.strips.streams:
            fence()


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
