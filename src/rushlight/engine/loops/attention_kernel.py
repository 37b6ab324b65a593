"""Attention: means of values, weighted by the softmax of queries times keys, in one pass.

A band of queries goes over the keys in blocks. The block's scores stay in a buffer on the stack;
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

from rushlight.engine.loops import maths
from rushlight.engine.loops.expr import Value, arg, maximum
from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.ir_text import Text, literal, suffix
from rushlight.engine.loops.lanes import Lanes
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.target import Target, host_target

# Queries and values have at most so many elements.
LONGEST = 256
# Keys of one block, a multiple of a tile's width.
BLOCK = 384
# How many vectors of scores, and of results, a tile holds.
KEYS, VALUES = 3, 2


def attention_ir(type: str, causal: bool, masked: bool, target: Target | None = None) -> str:
    """The IR of attention; ``causal`` queries look at no key behind their own place."""
    return _Attention(type, causal, masked, target or host_target()).module()


def spare(type: str) -> int:
    """How many elements behind the keys are read."""
    return KEYS * Lanes(type, host_target()).lanes


class _Attention(Lanes):
    def __init__(self, type: str, causal: bool, masked: bool, target: Target) -> None:
        super().__init__(type, target)
        self.causal, self.masked = causal, masked
        self.height = 8 if target.vector_bytes == 64 else 4
        x = [arg(k, type) for k in range(2)]
        self.exponential = Program([maths.exp(x[0] - x[1])], target)
        self.logarithm = Program([x[1] + maths.log(x[0])], target)
        self.larger = Program([_larger(*x)], target)
        self.lowest = literal(type, -math.inf)

    # -- small verbs --
    def element(self, text: Text, base: str, index: str | int) -> str:
        """The place of an element."""
        return text.let(f"getelementptr {self.type}, ptr {base}, i64 {index}")

    def read(self, text: Text, place: str) -> str:
        return text.let(f"load {self.type}, ptr {place}, align {self.item}")

    def write(self, text: Text, value: str, place: str) -> None:
        text.do(f"store {self.type} {value}, ptr {place}, align {self.item}")

    def lane_mask(self, text: Text, count: str) -> str:
        """True in the first ``count`` lanes."""
        name = f"llvm.get.active.lane.mask.v{self.lanes}i1.i64"
        some = text.call("i64", "llvm.smax.i64", ("i64", count), ("i64", "0"))
        return text.call(self.mask, name, ("i64", "0"), ("i64", some))

    def load_some(self, text: Text, place: str, mask: str) -> str:
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

    def joined(self, text: Text, kind: str, value: str) -> str:
        """The largest lane, or the sum of all."""
        name = f"llvm.vector.reduce.{kind}.v{self.lanes}{'f32' if self.item == 4 else 'f64'}"
        if kind == "fadd":
            start = literal(self.name, 0.0)
            written = f"{self.type} {start}, {self.vector} {value}"
            text._declarations[name] = f"declare {self.type} @{name}({self.type}, {self.vector})"
            return text.let(f"call reassoc {self.type} @{name}({written})")
        return text.call(self.type, name, (self.vector, value))

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
            "largest": high, "total": high, "share": high,
        }  # fmt: skip
        self.buffer = {
            name: text.let(f"alloca [{count} x {self.type}], align 64")
            for name, count in room.items()
        }
        frame = Frame(text, 7 + self.masked, 4)
        self.frame = frame
        queries = frame.size[3]
        self.scale = self.read(text, frame.bases[6 + self.masked])

        def band(q: str, _: list[str]) -> list[str]:
            rows = self.at_most(text, queries, q, high)
            self._band(text, q, rows)
            return []

        text.loop("0", queries, high, band)
        return text.module()

    def _band(self, text: Text, q: str, rows: str) -> None:
        frame, high = self.frame, self.height
        last = text.let(f"sub i64 {rows}, 1")
        which = [
            text.let(
                f"add i64 {q}, " + text.call("i64", "llvm.smin.i64", ("i64", last), ("i64", str(i)))
            )
            for i in range(high)
        ]
        self._take_queries(text, which)
        for i in range(high):
            self.write(text, self.lowest, self.element(text, self.buffer["largest"], i))
            self.write(text, literal(self.name, 0.0), self.element(text, self.buffer["total"], i))
        limit = frame.size[0]
        places: list[str] = []
        if self.causal:
            places = [text.let(f"load i64, ptr {frame.at(5 + self.masked, 3, w)}") for w in which]
            after = text.let(f"add i64 {places[-1]}, 1")
            limit = text.call("i64", "llvm.smin.i64", ("i64", limit), ("i64", after))

        def block(k: str, _: list[str]) -> list[str]:
            count = self.at_most(text, limit, k, BLOCK)
            self._scores(text, k, count)
            for i in range(high):
                self._weights(text, i, which[i], places[i] if places else "", k, count)
            self._means(text, k, count)
            return []

        text.loop("0", limit, BLOCK, block)
        nothing = text.let(f"icmp sle i64 {limit}, 0")
        text.when(nothing, lambda: self._clear(text), list)

        def finish(i: int) -> list[str]:
            self._finish_row(text, i, which[i])
            if i + 1 < high:
                more = text.let(f"icmp sgt i64 {rows}, {i + 1}")
                text.when(more, lambda: finish(i + 1), list)
            return []

        finish(0)

    def _clear(self, text: Text) -> list[str]:
        """Results of no keys."""
        for i in range(self.height):
            base = self.element(text, self.buffer["results"], i * LONGEST)

            def zero(n: str, _: list[str], base: str = base) -> list[str]:
                self.store(text, "zeroinitializer", self.element(text, base, n))
                return []

            text.loop("0", self.frame.size[2], self.lanes, zero)
        return []

    def _take_queries(self, text: Text, which: list[str]) -> None:
        """The scaled queries, one element of each in turn."""
        frame, high = self.frame, self.height
        rows = [frame.at(2, 3, w) for w in which]

        def take(e: str, _: list[str]) -> list[str]:
            to = self.element(text, self.buffer["queries"], text.let(f"mul i64 {e}, {high}"))
            for i, row in enumerate(rows):
                value = self.read(text, frame.at(2, 1, e, row))
                value = text.let(f"fmul {self.type} {value}, {self.scale}")
                self.write(text, value, self.element(text, to, i))
            return []

        text.loop("0", frame.size[1], 1, take)

    def _scores(self, text: Text, k: str, count: str) -> None:
        """Queries times the keys of a block."""
        frame, high = self.frame, self.height
        width = KEYS * self.lanes
        first = self.element(text, frame.bases[3], k)

        def tile(s: str, _: list[str]) -> list[str]:
            start = self.element(text, first, s)

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
            carried = [("ptr", start), ("ptr", self.buffer["queries"]), *zero]
            sums = text.loop("0", frame.size[1], 1, along, carried)[1][2:]
            for i in range(high):
                to = self.element(text, self.buffer["scores"], i * BLOCK)
                to = self.element(text, to, s)
                for j in range(KEYS):
                    place = self.element(text, to, j * self.lanes)
                    self.store(text, sums[i * KEYS + j], place)
            return []

        text.loop("0", count, width, tile)

    def _weights(self, text: Text, i: int, row: str, place: str, k: str, count: str) -> None:
        """A row's scores become weights; its largest score and total are brought up to date."""
        scores = self.element(text, self.buffer["scores"], i * BLOCK)
        valid = count
        if self.causal:
            seen = text.let(f"sub i64 {text.let(f'add i64 {place}, 1')}, {k}")
            valid = text.call("i64", "llvm.smin.i64", ("i64", count), ("i64", seen))
        mask = ""
        if self.masked:
            mask = self.frame.at(5, 3, row, self.element(text, self.frame.bases[5], k))

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
            return self.larger.print(text, self.lanes, {0: carried[0], 1: value})

        lowest = [(self.vector, self.splat(self.lowest))]
        _, (largest,) = text.loop("0", count, self.lanes, limit, lowest)
        known = self.element(text, self.buffer["largest"], i)
        before = self.read(text, known)
        block = self.joined(text, "fmaximum", largest)
        after = self.larger.print(text, 1, {0: before, 1: block})[0]
        self.write(text, after, known)
        # Where no score counts, weights are zero whatever they are relative to.
        none = text.let(f"fcmp oeq {self.type} {after}, {self.lowest}")
        zero = literal(self.name, 0.0)
        base = text.let(f"select i1 {none}, {self.type} {zero}, {self.type} {after}")
        everywhere = self.spread(text, base)

        def weigh(s: str, carried: list[str]) -> list[str]:
            here = self.element(text, scores, s)
            given = {0: self.load(text, here), 1: everywhere}
            value = self.exponential.print(text, self.lanes, given)[0]
            self.store(text, value, here)
            return [text.let(f"fadd {self.vector} {carried[0]}, {value}")]

        _, (sums,) = text.loop("0", count, self.lanes, weigh, [(self.vector, "zeroinitializer")])
        share = self.exponential.print(text, 1, {0: before, 1: base})[0]
        self.write(text, share, self.element(text, self.buffer["share"], i))
        total = self.element(text, self.buffer["total"], i)
        kept = text.let(f"fmul {self.type} {self.read(text, total)}, {share}")
        kept = text.let(f"fadd {self.type} {kept}, {self.joined(text, 'fadd', sums)}")
        self.write(text, kept, total)

    def _means(self, text: Text, k: str, count: str) -> None:
        """Add the block's weighted values to the results, scaling what is there."""
        frame, high = self.frame, self.height
        first = text.let(f"icmp eq i64 {k}, 0")
        values = frame.at(4, 0, k)
        columns = frame.size[2]
        width = VALUES * self.lanes

        def tile(n: str, _: list[str]) -> list[str]:
            left = text.let(f"sub i64 {columns}, {n}")
            masks = [
                self.lane_mask(text, text.let(f"sub i64 {left}, {j * self.lanes}"))
                for j in range(VALUES)
            ]
            start = self.element(text, values, n)
            rows = [
                self.element(text, self.element(text, self.buffer["results"], i * LONGEST), n)
                for i in range(high)
            ]

            def along(s: str, carried: list[str]) -> list[str]:
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
                    share = self.element(text, self.buffer["share"], i)
                    factor = self.load_element(text, share)
                    for j in range(VALUES):
                        old = self.load(text, self.element(text, rows[i], j * self.lanes))
                        found.append(text.let(f"fmul {self.vector} {old}, {factor}"))
                return found

            types = [self.vector] * (high * VALUES)
            begin = text.when(first, lambda: ["zeroinitializer"] * len(types), scaled, types)
            carried = [("ptr", start), ("ptr", self.buffer["scores"])]
            carried += list(zip(types, begin))
            sums = text.loop("0", count, 1, along, carried)[1][2:]
            for i in range(high):
                for j in range(VALUES):
                    place = self.element(text, rows[i], j * self.lanes)
                    self.store(text, sums[i * VALUES + j], place)
            return []

        text.loop("0", columns, width, tile)

    def _finish_row(self, text: Text, i: int, row: str) -> None:
        """The row's means, and the logarithm of its total."""
        frame = self.frame
        total = self.read(text, self.element(text, self.buffer["total"], i))
        largest = self.read(text, self.element(text, self.buffer["largest"], i))
        zero, one = literal(self.name, 0.0), literal(self.name, 1.0)
        none = text.let(f"fcmp oeq {self.type} {total}, {zero}")
        share = text.let(f"fdiv {self.type} {one}, {total}")
        share = text.let(f"select i1 {none}, {self.type} {zero}, {self.type} {share}")
        factor = self.spread(text, share)
        to = frame.at(0, 3, row)
        base = self.element(text, self.buffer["results"], i * LONGEST)

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


def _larger(a: Value, b: Value) -> Value:
    return maximum(a, b)


__all__ = ["BLOCK", "LONGEST", "attention_ir", "spare"]
