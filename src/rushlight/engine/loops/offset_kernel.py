"""Products whose factors lie where tables say: convolutions, and their gradients for weights.

    C[m, v] = bias[m] + sum over k of A[p(m) + a(k)] * B[b(k) + v]

A row of B is a vector that begins at a table's offset for the step of the sum, plus another one's
for the place along the result. Windows of an image are such rows, so the image is read where it
lies, once for every tile of the result, and never copied into columns.

Dim 0 is summed over, dim 1 counts vectors, dim 2 runs along rows of A and C. A tile of C is held in
registers over the whole sum. The tables are words of bytes:

- a step of the sum: the offset in A, the offset in B; the last one `AHEAD` times more;
- a vector: its offset in B, where it goes in C if all of it goes there in one piece, else -1, then
  where each lane goes, -1 for lanes that count for nothing;
- a row, if rows are placed by a table rather than at equal distances: its offset in A.
"""

from __future__ import annotations

from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.ir_text import Text
from rushlight.engine.loops.lanes import Lanes
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.tile_choice import choose_tile

STEP_BYTES = 16
# How much of A stays in cache while all vectors of B go by.
ROWS_BYTES = 1 << 19
# So many vectors of B, over all steps, stay in cache themselves.
FEW_VECTORS = 1 << 13
# Rows of B are asked for so many steps early; the table of steps goes on for as many.
AHEAD = 8


def vector_words(lanes: int) -> int:
    """How many words describe a vector."""
    return 2 + lanes


def offset_product_ir(
    type: str,
    biased: bool,
    block: int = 0,
    lone: bool = False,
    placed: bool = False,
    target: Target | None = None,
) -> str:
    """The IR of a product by tables.

    Operands: C, A, B, the bias if ``biased``, the table of steps, the table of vectors. With a
    ``block``, sums are continued from block to block of so many steps: all vectors go to C in one
    piece and are added to what is there. A ``lone`` row of A takes more vectors at once. Rows
    that are ``placed`` have a table for the last operand, and overlap so much that all of them stay
    in cache.
    """
    return _OffsetProduct(type, biased, block, lone, placed, target or host_target()).module()


class _OffsetProduct(Lanes):
    def __init__(
        self, type: str, biased: bool, block: int, lone: bool, placed: bool, target: Target
    ) -> None:
        super().__init__(type, target)
        self.biased = biased
        self.placed = placed
        self.block = block
        self.adding = block > 0
        wide = target.vector_bytes == 64
        self.heights = (1,) if lone else (8, 4, 2) if wide else (4, 2)
        self.vectors = 8 if lone else 3
        self.vector_bytes = 8 * vector_words(self.lanes)

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """The parameters of a tile."""
        words = ["ptr a", "i64 am", "ptr b", "ptr c", "i64 cm", "ptr steps", "i64 depth"]
        words += ["ptr vectors", "ptr bias", "i64 bm", "ptr rows", "i64 height"]
        return [(w.split()[0], "%" + w.split()[1]) for w in words]

    def tile(self, rows: int, vectors: int) -> Text:
        """Up to ``rows`` rows of C, ``vectors`` vectors wide."""
        text = Text()
        final = text.let("sub i64 %height, 1")
        row = ["0"]
        for i in range(1, rows):
            row.append(text.call("i64", "llvm.smin.i64", ("i64", final), ("i64", str(i))))
        left = [self.step(text, "%a", self._row_offset(text, r)) for r in row]
        into = [self.step(text, "%c", text.let(f"mul i64 {r}, %cm")) for r in row]
        words = [
            [self._word(text, "%vectors", j * self.vector_bytes + 8 * w) for w in (0, 1)]
            for j in range(vectors)
        ]
        right = [self.step(text, "%b", start) for start, _ in words]
        places = [[self.step(text, c, place) for _, place in words] for c in into]
        sums = self._first_sums(text, row, places)

        def one(step: str, sums: list[str]) -> list[str]:
            in_a, in_b = (self._word(text, step, 8 * w) for w in (0, 1))
            line = [self.load(text, self.step(text, b, in_b)) for b in right]
            later = self._word(text, step, STEP_BYTES * AHEAD + (0 if self.placed else 8))
            for start in [left[0], left[-1]] if self.placed else right:
                self.fetch(text, self.step(text, start, later))
            found = []
            for i in range(rows):
                factor = self.load_element(text, self.step(text, left[i], in_a))
                found += [
                    self.multiply_add(text, factor, line[j], sums[i * vectors + j])
                    for j in range(vectors)
                ]
            return found

        # A single row has too few sums to keep the processor busy: it goes on with two of each.
        streams = 2 if rows == 1 else 1

        def along(_: str, carried: list[str]) -> list[str]:
            step, *sums = carried
            found = []
            for k in range(0, len(sums), rows * vectors):
                found += one(step, sums[k : k + rows * vectors])
                step = self.step(text, step, STEP_BYTES)
            return [step, *found]

        def together(sums: list[str], start: str, stop: str, step: str) -> tuple[str, list[str]]:
            carried = [("ptr", step), *((self.vector, s) for s in sums)]
            turns = len(sums) // (rows * vectors)
            _, (step, *found) = text.loop(start, stop, turns, along, carried)
            return step, found

        even, step = "0", "%steps"
        if streams == 2:
            even = text.let("and i64 %depth, -2")
            empty = ["zeroinitializer"] * len(sums)
            step, found = together([*sums, *empty], "0", even, step)
            halves = zip(found[: len(sums)], found[len(sums) :])
            sums = [text.let(f"fadd {self.vector} {a}, {b}") for a, b in halves]
        sums = together(sums, even, "%depth", step)[1]

        def finish(i: int) -> None:
            for j in range(vectors):
                value = sums[i * vectors + j]
                if self.adding:
                    self.store(text, value, places[i][j])
                else:
                    self._finish_vector(text, value, into[i], places[i][j], words[j][1], j)

        def rest(i: int) -> list[str]:
            """Row i and those after it, as far as there are any."""
            finish(i)
            if i + 1 < rows:
                text.when(text.let(f"icmp sgt i64 %height, {i + 1}"), lambda: rest(i + 1), list)
            return []

        rest(0)
        return text

    def _row_offset(self, text: Text, row: str) -> str:
        """Where a row of a tile begins in A."""
        if not self.placed:
            return text.let(f"mul i64 {row}, %am")
        return self._word(text, self.step(text, "%rows", text.let(f"mul i64 {row}, 8")), 0)

    def _word(self, text: Text, base: str, offset: int) -> str:
        return text.let(f"load i64, ptr {self.step(text, base, offset)}")

    def _first_sums(self, text: Text, row: list[str], places: list[list[str]]) -> list[str]:
        """What the sums begin with, row by row."""
        if self.adding:
            return [self.load(text, place) for line in places for place in line]
        if not self.biased:
            return ["zeroinitializer" for line in places for _ in line]
        sums = []
        for r, line in zip(row, places, strict=True):
            place = self.step(text, "%bias", text.let(f"mul i64 {r}, %bm"))
            sums += [self.load_element(text, place)] * len(line)
        return sums

    def _finish_vector(
        self, text: Text, value: str, base: str, place: str, whole: str, j: int
    ) -> None:
        def together() -> list[str]:
            self.store(text, value, place)
            return []

        def apart() -> list[str]:
            table = self.step(text, "%vectors", j * self.vector_bytes + 16)
            offsets = text.let(f"load <{self.lanes} x i64>, ptr {table}, align 8")
            self.scatter(text, value, base, offsets)
            return []

        text.when(text.let(f"icmp sge i64 {whole}, 0"), together, apart)

    def module(self) -> str:
        text = Text()
        for height in self.heights:
            for vectors in range(1, self.vectors + 1):
                self._define(text, height, vectors)
        frame = Frame(text, 5 + self.biased + self.placed, 3)
        c, a, b = 0, 1, 2
        bias = 3 if self.biased else 0
        steps, vectors = 3 + self.biased, 4 + self.biased
        places = vectors + self.placed
        depth, count, rows = frame.size
        block = str(self.block) if self.adding else text.let(f"add i64 {depth}, 1")

        def at_most(size: str, start: str, limit: str | int) -> str:
            left = text.let(f"sub i64 {size}, {start}")
            return text.call("i64", "llvm.smin.i64", ("i64", left), ("i64", str(limit)))

        def sums(k: str, _: list[str]) -> list[str]:
            deep = at_most(depth, k, block)
            step = frame.at(steps, 0, k)
            row_bytes = text.let(f"mul i64 {text.let(f'add i64 {deep}, 1')}, {self.item}")
            fitting = text.let(f"sdiv i64 {ROWS_BYTES}, {row_bytes}")
            fitting = text.let(f"and i64 {fitting}, {-self.heights[0]}")
            # Where B is small, results are written along rows.
            large = text.let(f"icmp sgt i64 {text.let(f'mul i64 {deep}, {count}')}, {FEW_VECTORS}")
            fitting = text.let(f"select i1 {large}, i64 {fitting}, i64 0")
            band_rows = text.call(
                "i64", "llvm.smax.i64", ("i64", fitting), ("i64", str(self.heights[0]))
            )
            if self.placed:
                band_rows = text.let(f"add i64 {rows}, 1")

            def band(m: str, _: list[str]) -> list[str]:
                high = at_most(rows, m, band_rows)
                bases = {x: frame.at(x, 2, m) for x in (c, a, bias, places)}

                def slivers(n: str, _: list[str]) -> list[str]:
                    width = at_most(count, n, self.vectors)
                    table = frame.at(vectors, 1, n)

                    def tiles(i: str, _: list[str]) -> list[str]:
                        tall = at_most(high, i, self.heights[0])
                        at = {x: frame.at(x, 2, i, bases[x]) for x in bases}
                        stride = frame.stride[2]
                        values = [
                            at[a], stride[a], frame.bases[b], at[c], stride[c], step, deep,
                            table, at[bias], stride[bias], at[places], tall,
                        ]  # fmt: skip
                        self._choose(text, width, values)
                        return []

                    text.loop("0", high, self.heights[0], tiles)
                    return []

                text.loop("0", count, self.vectors, slivers)
                return []

            text.loop("0", rows, band_rows, band)
            return []

        most = text.call("i64", "llvm.smax.i64", ("i64", depth), ("i64", "1"))
        text.loop("0", most, block, sums)
        return text.module()

    def _define(self, text: Text, height: int, vectors: int) -> None:
        function = self.tile(height, vectors)
        parameters = ", ".join(f"{t} {n}" for t, n in self.parameters)
        text.define_function(f"tile{height}x{vectors}", parameters, function)

    def _choose(self, text: Text, width: str, values: list[str]) -> None:
        """Call the tile that just covers so many vectors, and the height, the last of ``values``."""

        def call(rows: int, vectors: int) -> None:
            given = zip(self.parameters, values, strict=True)
            written = ", ".join(f"{t} {v}" for (t, _), v in given)
            text.do(f"call void @tile{rows}x{vectors}({written})")

        def wider(vectors: int) -> str:
            return text.let(f"icmp sgt i64 {width}, {vectors}")

        choose_tile(text, self.heights, self.vectors, values[-1], wider, call)
