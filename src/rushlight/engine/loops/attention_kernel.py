"""Attention: means of values, weighted by the softmax of queries times keys, in one pass.

A band of queries, a few groups as high as a tile, goes over the keys in blocks. The block's scores stay in a buffer on the stack;
they become weights relative to the largest score met so far, and the sums over earlier blocks are
scaled when a larger one comes. Scores of all pairs are never in memory together.

Dim 0 counts keys, dim 1 runs along a query, dim 2 along a value, dim 3 counts queries. Operands: the
result, the logarithms of the sums of exponentials, queries, keys, values, the mask if there is one,
to be added to scores, the places of the queries, the number that scores are multiplied with. Keys
lie with their elements apart, contiguous along dim 0 and with as much behind the last one as a tile is wide;
result, values and mask are contiguous along dims 2, 2 and 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from rushlight.engine.loops import maths
from rushlight.engine.loops.attention_sizes import LONGEST
from rushlight.engine.loops.expr import arg
from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.ir_text import Text, literal
from rushlight.engine.loops.lanes import Lanes
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.target import Target, host_target

# Keys of one block, a multiple of a tile's width, and groups of queries that share it.
BLOCK, GROUPS = 384, 2
# How many vectors of scores, and of results, a tile holds.
KEYS, VALUES = 3, 2


def attention_ir(type: str, causal: bool, masked: bool, target: Target | None = None) -> str:
    """The IR of attention; ``causal`` queries look at no key behind their own place."""
    return _Attention(type, causal, masked, target or host_target()).module()


def spare(type: str) -> int:
    """How many elements behind the keys are read."""
    return KEYS * Lanes(type, host_target()).lanes


class _Group(NamedTuple):
    """Some queries: which, where they are, their buffers, how many there are at most."""

    which: list[str]
    places: list[str]
    buffer: dict[str, str]
    rows: str


class _Attention(Lanes):
    def __init__(self, type: str, causal: bool, masked: bool, target: Target) -> None:
        super().__init__(type, target)
        self.causal, self.masked = causal, masked
        self.height = 8 if target.vector_bytes == 64 else 4
        x = [arg(k, type) for k in range(2)]
        self.exponential = Program([maths.exp(x[0] - x[1])], target)
        self.logarithm = Program([x[1] + maths.log(x[0])], target)
        self.lowest = literal(type, -math.inf)

    # -- small verbs --
    def element(self, text: Text, base: str, index: str | int) -> str:
        """The place of an element."""
        return text.let(f"getelementptr {self.type}, ptr {base}, i64 {index}")

    def read(self, text: Text, place: str) -> str:
        return text.let(f"load {self.type}, ptr {place}, align {self.item}")

    def write(self, text: Text, value: str, place: str) -> None:
        text.do(f"store {self.type} {value}, ptr {place}, align {self.item}")

    def joined(self, text: Text, kind: str, value: str) -> str:
        """The largest lane, or the sum of all."""
        name = f"llvm.vector.reduce.{kind}.v{self.lanes}{'f32' if self.item == 4 else 'f64'}"
        if kind == "fadd":
            start = literal(self.name, 0.0)
            written = f"{self.type} {start}, {self.vector} {value}"
            text._declarations[name] = f"declare {self.type} @{name}({self.type}, {self.vector})"
            return text.let(f"call reassoc {self.type} @{name}({written})")
        text._declarations[name] = f"declare {self.type} @{name}({self.vector})"
        return text.let(f"call nnan {self.type} @{name}({self.vector} {value})")

    def larger(self, text: Text, value: str, known: str) -> str:
        """The larger lanes. What is no number stays out; it comes back with the exponentials."""
        more = text.let(f"fcmp ogt {self.vector} {value}, {known}")
        return text.let(f"select {self.mask} {more}, {self.vector} {value}, {self.vector} {known}")

    def at_most(self, text: Text, size: str, start: str, limit: str | int) -> str:
        left = text.let(f"sub i64 {size}, {start}")
        return text.call("i64", "llvm.smin.i64", ("i64", left), ("i64", str(limit)))

    def splat(self, number: str) -> str:
        return f"splat ({self.type} {number})"

    # -- the whole --
    def module(self) -> str:
        text = Text()
        high = self.height
        room = {
            "queries": high * LONGEST, "scores": high * BLOCK, "results": high * LONGEST,
            "largest": high, "total": high, "share": high, "now": high,
        }  # fmt: skip
        self.room = room
        self.buffers = {
            name: text.let(f"alloca [{GROUPS * count} x {self.type}], align 64")
            for name, count in room.items()
        }
        frame = Frame(text, 7 + self.masked, 4)
        self.frame = frame
        self.scale = self.read(text, frame.bases[6 + self.masked])

        def band(q: str, _: list[str]) -> list[str]:
            self._band(text, q, self.at_most(text, frame.size[3], q, high * GROUPS))
            return []

        text.loop("0", frame.size[3], high * GROUPS, band)
        return text.module()

    def group(self, text: Text, q: str, rows: str, g: str) -> _Group:
        """The group whose first row is row ``g`` of a band of so many rows from query ``q`` on."""
        last = text.let(f"sub i64 {rows}, 1")
        which = []
        for i in range(self.height):
            row = text.let(f"add i64 {g}, {i}")
            row = text.call("i64", "llvm.smin.i64", ("i64", last), ("i64", row))
            which.append(text.let(f"add i64 {q}, {row}"))
        places = []
        if self.causal:
            table = 5 + self.masked
            places = [text.let(f"load i64, ptr {self.frame.at(table, 3, w)}") for w in which]
        number = text.let(f"udiv i64 {g}, {self.height}")
        buffer = {
            name: self.element(text, base, text.let(f"mul i64 {number}, {self.room[name]}"))
            for name, base in self.buffers.items()
        }
        return _Group(which, places, buffer, text.let(f"sub i64 {rows}, {g}"))

    def each_group(self, text: Text, q: str, rows: str, run: Callable[[_Group], object]) -> None:
        def one(g: str, _: list[str]) -> list[str]:
            run(self.group(text, q, rows, g))
            return []

        text.loop("0", rows, self.height, one)

    def seen(self, text: Text, group: _Group, k: str, count: str) -> str:
        """How many keys of a block any row of the group looks at."""
        if not self.causal:
            return count
        after = text.let(f"add i64 {group.places[-1]}, 1")
        own = text.let(f"sub i64 {after}, {k}")
        return text.call("i64", "llvm.smin.i64", ("i64", count), ("i64", own))

    def _band(self, text: Text, q: str, rows: str) -> None:
        frame = self.frame
        limit = frame.size[0]
        if self.causal:
            last = text.let(f"add i64 {q}, {text.let(f'sub i64 {rows}, 1')}")
            place = text.let(f"load i64, ptr {frame.at(5 + self.masked, 3, last)}")
            after = text.let(f"add i64 {place}, 1")
            limit = text.call("i64", "llvm.smin.i64", ("i64", limit), ("i64", after))
        self.each_group(text, q, rows, lambda group: self._begin(text, group))

        def block(k: str, _: list[str]) -> list[str]:
            count = self.at_most(text, limit, k, BLOCK)

            def scores(s: str, _: list[str]) -> list[str]:
                self.each_group(text, q, rows, lambda group: self._scores(text, group, k, s, count))
                return []

            def weights(group: _Group) -> None:
                own = self.seen(text, group, k, count)

                def each() -> list[str]:
                    self._weights(text, group, k, own)
                    return []

                text.when(text.let(f"icmp sgt i64 {own}, 0"), each, list)

            def means(n: str, _: list[str]) -> list[str]:
                self.each_group(text, q, rows, lambda group: self._means(text, group, n, k, count))
                return []

            text.loop("0", count, KEYS * self.lanes, scores)
            self.each_group(text, q, rows, weights)
            text.loop("0", frame.size[2], VALUES * self.lanes, means)
            return []

        text.loop("0", limit, BLOCK, block)
        self.each_group(text, q, rows, lambda group: self._finish(text, group))

    def _begin(self, text: Text, group: _Group) -> None:
        self._take_queries(text, group)
        for i in range(self.height):
            self.write(text, self.lowest, self.element(text, group.buffer["largest"], i))
            self.write(text, literal(self.name, 0.0), self.element(text, group.buffer["total"], i))

    def _finish(self, text: Text, group: _Group) -> None:
        def row(i: int) -> list[str]:
            self._finish_row(text, group, i)
            if i + 1 < self.height:
                more = text.let(f"icmp sgt i64 {group.rows}, {i + 1}")
                text.when(more, lambda: row(i + 1), list)
            return []

        row(0)

    def _take_queries(self, text: Text, group: _Group) -> None:
        """The scaled queries, one element of each in turn."""
        frame, high = self.frame, self.height
        rows = [frame.at(2, 3, w) for w in group.which]

        def take(e: str, _: list[str]) -> list[str]:
            to = self.element(text, group.buffer["queries"], text.let(f"mul i64 {e}, {high}"))
            for i, row in enumerate(rows):
                value = self.read(text, frame.at(2, 1, e, row))
                value = text.let(f"fmul {self.type} {value}, {self.scale}")
                self.write(text, value, self.element(text, to, i))
            return []

        text.loop("0", frame.size[1], 1, take)

    def _scores(self, text: Text, group: _Group, k: str, s: str, count: str) -> None:
        """Queries times the keys of a tile, if any of them is looked at."""
        frame, high = self.frame, self.height
        start = self.element(text, self.element(text, frame.bases[3], k), s)

        def tile() -> list[str]:
            def along(_: str, carried: list[str]) -> list[str]:
                key, query, *sums = carried
                line = [
                    self.load(text, self.element(text, key, j * self.lanes)) for j in range(KEYS)
                ]
                made = []
                for i in range(high):
                    factor = self.load_element(text, self.element(text, query, i))
                    made += [
                        self.multiply_add(text, factor, line[j], sums[i * KEYS + j])
                        for j in range(KEYS)
                    ]
                key = self.step(text, key, frame.stride[1][3])
                return [key, self.element(text, query, high), *made]

            zero = [(self.vector, "zeroinitializer")] * (high * KEYS)
            carried = [("ptr", start), ("ptr", group.buffer["queries"]), *zero]
            sums = text.loop("0", frame.size[1], 1, along, carried)[1][2:]
            for i in range(high):
                to = self.element(text, group.buffer["scores"], i * BLOCK)
                to = self.element(text, to, s)
                for j in range(KEYS):
                    place = self.element(text, to, j * self.lanes)
                    self.store(text, sums[i * KEYS + j], place)
            return []

        own = self.seen(text, group, k, count)
        text.when(text.let(f"icmp sgt i64 {own}, {s}"), tile, list)

    def _weights(self, text: Text, group: _Group, k: str, count: str) -> None:
        """Scores become weights; the rows' largest scores and totals are brought up to date."""
        buffer, rows = group.buffer, range(self.height)
        for i in rows:
            largest = self._largest_score(text, group, i, k, count)
            self.write(text, largest, self.element(text, buffer["now"], i))
        before, now = (self.of_rows(text, buffer[x]) for x in ("largest", "now"))
        column = f"<{self.height} x {self.type}>"
        flags = f"<{self.height} x i1>"
        more = text.let(f"fcmp ogt {column} {now}, {before}")
        after = text.let(f"select {flags} {more}, {column} {now}, {column} {before}")
        self.put_rows(text, after, buffer["largest"])
        # Where no score counts, weights are zero whatever they are relative to.
        none = text.let(f"fcmp oeq {column} {after}, {self.splat(self.lowest)}")
        base = text.let(f"select {flags} {none}, {column} zeroinitializer, {column} {after}")
        self.put_rows(text, base, buffer["now"])
        share = self.exponential.print(text, self.height, {0: before, 1: base})[0]
        self.put_rows(text, share, buffer["share"])
        for i in rows:
            place = self.element(text, buffer["now"], i)
            self.write(text, self._weigh(text, group, i, place, count), place)
        sums, total = (self.of_rows(text, buffer[x]) for x in ("now", "total"))
        kept = text.let(f"fmul {column} {total}, {share}")
        self.put_rows(text, text.let(f"fadd {column} {kept}, {sums}"), buffer["total"])

    def of_rows(self, text: Text, buffer: str) -> str:
        """A number of each row."""
        return text.let(f"load <{self.height} x {self.type}>, ptr {buffer}, align {self.item}")

    def put_rows(self, text: Text, value: str, buffer: str) -> None:
        text.do(f"store <{self.height} x {self.type}> {value}, ptr {buffer}, align {self.item}")

    def _largest_score(self, text: Text, group: _Group, i: int, k: str, count: str) -> str:
        """A row's largest score that counts; those that do not become the lowest number."""
        scores = self.element(text, group.buffer["scores"], i * BLOCK)
        valid = count
        if self.causal:
            seen = text.let(f"sub i64 {text.let(f'add i64 {group.places[i]}, 1')}, {k}")
            valid = text.call("i64", "llvm.smin.i64", ("i64", count), ("i64", seen))
        mask = ""
        if self.masked:
            base = self.element(text, self.frame.bases[5], k)
            mask = self.frame.at(5, 3, group.which[i], base)

        def whole(s: str, carried: list[str]) -> list[str]:
            here = self.element(text, scores, s)
            value = self.load(text, here)
            if self.masked:
                added = self.load(text, self.element(text, mask, s))
                value = text.let(f"fadd {self.vector} {value}, {added}")
                self.store(text, value, here)
            return [self.larger(text, value, carried[0])]

        def limit(s: str, carried: list[str]) -> list[str]:
            here = self.element(text, scores, s)
            inside = self.lane_mask(text, text.let(f"sub i64 {valid}, {s}"))
            value = self.load(text, here)
            if self.masked:
                added = self.load_some(text, self.element(text, mask, s), inside)
                value = text.let(f"fadd {self.vector} {value}, {added}")
            value = text.let(
                f"select {self.mask} {inside}, {self.vector} {value}, "
                f"{self.vector} {self.splat(self.lowest)}"
            )
            self.store(text, value, here)
            return [self.larger(text, value, carried[0])]

        lowest = [(self.vector, self.splat(self.lowest))]
        full = text.let(f"and i64 {valid}, {-self.lanes}")
        full = text.call("i64", "llvm.smax.i64", ("i64", full), ("i64", "0"))
        _, largest = text.loop("0", full, self.lanes, whole, lowest)
        _, largest = text.loop(full, count, self.lanes, limit, [(self.vector, largest[0])])
        return self.joined(text, "fmax", largest[0])

    def _weigh(self, text: Text, group: _Group, i: int, base: str, count: str) -> str:
        """Replace a row's scores by their exponentials relative to a number; the sum of those."""
        scores = self.element(text, group.buffer["scores"], i * BLOCK)
        everywhere = self.load_element(text, base)

        def weigh(s: str, carried: list[str]) -> list[str]:
            here = self.element(text, scores, s)
            given = {0: self.load(text, here), 1: everywhere}
            value = self.exponential.print(text, self.lanes, given)[0]
            self.store(text, value, here)
            return [text.let(f"fadd {self.vector} {carried[0]}, {value}")]

        zero = [(self.vector, "zeroinitializer")]
        _, (sums,) = text.loop("0", count, self.lanes, weigh, zero)
        return self.joined(text, "fadd", sums)

    def _means(self, text: Text, group: _Group, n: str, k: str, count: str) -> None:
        """Add the block's weighted values to a tile of results, scaling what is there."""
        frame, high = self.frame, self.height
        own = self.seen(text, group, k, count)
        left = text.let(f"sub i64 {frame.size[2]}, {n}")

        def tile() -> list[str]:
            first = text.let(f"icmp eq i64 {k}, 0")
            masks = [
                self.lane_mask(text, text.let(f"sub i64 {left}, {j * self.lanes}"))
                for j in range(VALUES)
            ]
            start = self.element(text, frame.at(4, 0, k), n)
            rows = [
                self.element(text, self.element(text, group.buffer["results"], i * LONGEST), n)
                for i in range(high)
            ]

            def along(_: str, carried: list[str]) -> list[str]:
                value, weight, *sums = carried
                line = [
                    self.load_some(text, self.element(text, value, j * self.lanes), masks[j])
                    for j in range(VALUES)
                ]
                made = []
                for i in range(high):
                    factor = self.load_element(text, self.element(text, weight, i * BLOCK))
                    made += [
                        self.multiply_add(text, factor, line[j], sums[i * VALUES + j])
                        for j in range(VALUES)
                    ]
                value = self.step(text, value, frame.stride[0][4])
                return [value, self.element(text, weight, 1), *made]

            def scaled() -> list[str]:
                found = []
                for i in range(high):
                    factor = self.load_element(text, self.element(text, group.buffer["share"], i))
                    for j in range(VALUES):
                        old = self.load(text, self.element(text, rows[i], j * self.lanes))
                        found.append(text.let(f"fmul {self.vector} {old}, {factor}"))
                return found

            types = [self.vector] * (high * VALUES)
            begin = text.when(first, lambda: ["zeroinitializer"] * len(types), scaled, types)
            carried = [("ptr", start), ("ptr", group.buffer["scores"])]
            carried += list(zip(types, begin))
            sums = text.loop("0", own, 1, along, carried)[1][2:]
            for i in range(high):
                for j in range(VALUES):
                    place = self.element(text, rows[i], j * self.lanes)
                    self.store(text, sums[i * VALUES + j], place)
            return []

        text.when(text.let(f"icmp sgt i64 {own}, 0"), tile, list)

    def _finish_row(self, text: Text, group: _Group, i: int) -> None:
        """The row's means, and the logarithm of its total."""
        frame, row = self.frame, group.which[i]
        total = self.read(text, self.element(text, group.buffer["total"], i))
        largest = self.read(text, self.element(text, group.buffer["largest"], i))
        zero, one = literal(self.name, 0.0), literal(self.name, 1.0)
        none = text.let(f"fcmp oeq {self.type} {total}, {zero}")
        share = text.let(f"fdiv {self.type} {one}, {total}")
        share = text.let(f"select i1 {none}, {self.type} {zero}, {self.type} {share}")
        factor = self.spread(text, share)
        to = frame.at(0, 3, row)
        base = self.element(text, group.buffer["results"], i * LONGEST)

        def put(n: str, _: list[str]) -> list[str]:
            mask = self.lane_mask(text, text.let(f"sub i64 {frame.size[2]}, {n}"))
            value = self.load(text, self.element(text, base, n))
            value = text.let(f"fmul {self.vector} {value}, {factor}")
            self.store_some(text, value, self.element(text, to, n), mask)
            return []

        text.loop("0", frame.size[2], self.lanes, put)
        whole = self.logarithm.print(text, 1, {0: total, 1: largest})[0]
        whole = text.let(f"select i1 {none}, {self.type} {self.lowest}, {self.type} {whole}")
        self.write(text, whole, frame.at(1, 3, row))


__all__ = ["BLOCK", "attention_ir", "spare"]
