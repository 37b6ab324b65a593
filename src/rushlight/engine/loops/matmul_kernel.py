"""Matrix products: C = alpha * A B + beta * X, in blocks that fit the caches.

Dim 0 is summed over, dim 1 runs along the columns of B and C, dim 2 along the rows of A and C. A
tile of C is held in registers while a row of B is multiplied with one element from each of several
rows of A. Tiles at the edges repeat their last row and mask their last vector. B is copied into
slivers as wide as a tile where its columns are not contiguous or its rows lie far apart; A is copied
into stacks as high as a tile where enough columns make use of it. The order of the sum depends on
sizes alone.
"""

from __future__ import annotations

import sys

from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.ir_text import Text
from rushlight.engine.loops.lanes import Lanes
from rushlight.engine.loops.target import Target, host_target
from rushlight.engine.loops.tile_choice import choose_tile
from rushlight.engine.loops.tiles import LARGEST_TILE, transpose

# How many elements of the sum one block has at most.
BLOCK = 512
# How much of B is copied at once. The copy lies on its thread's stack, which is small on some systems.
PACKED_BYTES = 9 << 17 if sys.platform == "linux" else 256 << 10
# So many rows of A are copied at once: lines of memory that run across rows serve them all.
BAND = 64
# B is copied from this many bytes on, if there are so many rows to make use of it.
PACK_BYTES, PACK_ROWS = 1 << 19, 64
# From this depth on a tile's work takes longer than the way to memory.
FETCH_DEPTH = 128
# A is copied if there are so many columns to make use of it and its rows are so far apart.
STACK_COLUMNS, STACK_BYTES = 192, 1 << 11


def matmul_ir(
    type: str, turned: bool, added: bool, target: Target | None = None, paired: bool = False
) -> str:
    """The IR of a product of matrices of one element type.

    Operands: C, X if ``added``, A, B, and the pair alpha, beta. C and X are contiguous along
    dim 1; so is B unless it is ``turned``, which serves every stride. If the factors are ``paired``,
    their elements are two neighbours along dim 0 in bf16, and the type is f32.
    """
    return _Product(type, turned, added, target or host_target(), paired).module()


class _Product(Lanes):
    def __init__(self, type: str, turned: bool, added: bool, target: Target, paired: bool) -> None:
        super().__init__(type, target)
        self.paired = paired
        self.turned = turned
        self.added = added
        wide = target.vector_bytes == 64
        self.vectors = 3
        self.heights = (8, 4, 2) if wide else (4, 2)
        self.width = self.vectors * self.lanes

    # -- pieces --
    def accumulate(self, text: Text, a: str, b: str, c: str) -> str:
        """c + a b for elements of the factors; for pairs, with both products."""
        if not self.paired:
            return self.multiply_add(text, a, b, c)
        pairs = f"<{2 * self.lanes} x bfloat>"
        given = [(self.vector, c)]
        given += [(pairs, text.let(f"bitcast {self.vector} {x} to {pairs}")) for x in (a, b)]
        return text.call(self.vector, "llvm.x86.avx512bf16.dpbf16ps.512", *given)

    # -- a tile of C --
    @property
    def tile_parameters(self) -> list[tuple[str, str]]:
        words = ["i64 am", "i64 ak", "ptr b", "i64 bk", "ptr c", "i64 cm", "ptr x", "i64 xm"]
        words += ["i64 depth", "i64 height", "i64 last"]
        pairs = [("ptr", "%a")] + [(w.split()[0], "%" + w.split()[1]) for w in words]
        return [
            *pairs,
            (self.type, "%alpha"),
            (self.type, "%beta"),
            ("i1", "%adds"),
            ("i1", "%padded"),
        ]

    def tile(self, rows: int, vectors: int) -> Text:
        """Up to ``rows`` rows of C, ``vectors`` vectors wide, the last of them ``%last`` lanes."""
        text = Text()
        final = text.let("sub i64 %height, 1")
        offsets = ["0"]
        for i in range(1, rows):
            row = text.call("i64", "llvm.smin.i64", ("i64", final), ("i64", str(i)))
            offsets.append(text.let(f"mul i64 {row}, %am"))
        mask = self.lane_mask(text, "%last")

        def sums_of(masked: bool) -> list[str]:
            def along(_: str, carried: list[str]) -> list[str]:
                a, b, *sums = carried
                line = []
                for j in range(vectors):
                    place = self.step(text, b, j * self.lanes * self.item)
                    if j == vectors - 1 and masked:
                        line.append(self.load_some(text, place, mask))
                    else:
                        line.append(text.let(f"load {self.vector}, ptr {place}, align {self.item}"))
                found = []
                for i in range(rows):
                    place = self.step(text, a, offsets[i])
                    element = text.let(f"load {self.type}, ptr {place}, align {self.item}")
                    left = self.spread(text, element)
                    found += [
                        self.accumulate(text, left, line[j], sums[i * vectors + j])
                        for j in range(vectors)
                    ]
                return [self.step(text, a, "%ak"), self.step(text, b, "%bk"), *found]

            empty = [(self.vector, "zeroinitializer")] * (rows * vectors)
            _, (_, _, *sums) = text.loop(
                "0", "%depth", 1, along, [("ptr", "%a"), ("ptr", "%b"), *empty]
            )
            return sums

        every = text.let(f"icmp eq i64 %last, {self.lanes}")
        # masks cost a place among the multiplications, and copies of B end in zeros
        whole = text.let(f"or i1 {every}, %padded")
        sums = (
            text.when(
                whole,
                lambda: sums_of(False),
                lambda: sums_of(True),
                [self.vector] * (rows * vectors),
            )
            if self.target.masks
            else sums_of(False)
        )
        alpha, beta = (self.spread(text, x) for x in ("%alpha", "%beta"))

        def finish(i: int, adds: bool) -> None:
            c = self.step(text, "%c", text.let(f"mul i64 %cm, {i}"))
            x = self.step(text, "%x", text.let(f"mul i64 %xm, {i}")) if adds else ""
            for j in range(vectors):
                offset = j * self.lanes * self.item
                value = self.multiply(text, alpha, sums[i * vectors + j])
                masked = j == vectors - 1
                if adds:
                    place = self.step(text, x, offset)
                    other = self._load_edge(text, place, mask, every, masked)
                    value = self.multiply_add(text, beta, other, value)
                self._store_edge(text, value, self.step(text, c, offset), mask, every, masked)

        def rest(i: int, adds: bool) -> list[str]:
            """Row i and those after it, as far as there are any."""
            finish(i, adds)
            if i + 1 < rows:
                more = text.let(f"icmp sgt i64 %height, {i + 1}")
                text.when(more, lambda: rest(i + 1, adds), list)
            return []

        text.when("%adds", lambda: rest(0, True), lambda: rest(0, False))
        return text

    def _load_edge(self, text: Text, place: str, mask: str, every: str, masked: bool) -> str:
        plain = f"load {self.vector}, ptr {place}, align {self.item}"
        if not masked:
            return text.let(plain)
        if self.target.masks:
            return self.load_some(text, place, mask)
        return text.when(
            every,
            lambda: [text.let(plain)],
            lambda: [self.load_some(text, place, mask)],
            [self.vector],
        )[0]

    def _store_edge(
        self, text: Text, value: str, place: str, mask: str, every: str, masked: bool
    ) -> None:
        def plain() -> list[str]:
            text.do(f"store {self.vector} {value}, ptr {place}, align {self.item}")
            return []

        def some() -> list[str]:
            self.store_some(text, value, place, mask)
            return []

        if not masked:
            plain()
        elif self.target.masks:
            some()
        else:
            text.when(every, plain, some)

    # -- a sliver of B --
    def pack(self) -> Text:
        """Copy up to ``%width`` columns of ``%depth`` rows of B to ``%to``."""
        text = Text()
        size = self.width * self.item

        def straight(k: str, _: list[str]) -> list[str]:
            row = self.step(text, "%b", text.let(f"mul i64 {k}, %bk"))
            to = self.step(text, "%to", text.let(f"mul i64 {k}, {size}"))
            self._pack_some(text, row, to, "%width")
            return []

        text.loop("0", "%depth", 1, straight)
        return text

    def pack_turned(self) -> Text:
        """The same for columns that are not contiguous, tile by tile."""
        text = Text()
        size = self.width * self.item
        side = min(self.lanes, LARGEST_TILE)
        square = f"<{side} x {self.type}>"
        dense = text.let(f"icmp eq i64 %bk, {self.item}")

        def band(n: str, _: list[str]) -> list[str]:
            columns = text.let(f"sub i64 %width, {n}")
            wide = text.let(f"icmp sge i64 {columns}, {side}")
            base = self.step(text, "%b", text.let(f"mul i64 {n}, %bn"))
            target = self.step(text, "%to", text.let(f"mul i64 {n}, {self.item}"))
            most = text.call("i64", "llvm.smin.i64", ("i64", columns), ("i64", str(side)))

            def block(k: str, _: list[str]) -> list[str]:
                left = text.let(f"sub i64 %depth, {k}")
                whole = text.let(f"and i1 {wide}, {text.let(f'icmp sge i64 {left}, {side}')}")
                whole = text.let(f"and i1 {whole}, {dense}")
                corner = self.step(text, base, text.let(f"mul i64 {k}, %bk"))
                to = self.step(text, target, text.let(f"mul i64 {k}, {size}"))
                deep = text.call("i64", "llvm.smin.i64", ("i64", left), ("i64", str(side)))

                def turn() -> list[str]:
                    rows, at = [], corner
                    for r in range(side):
                        at = self.step(text, at, "%bn") if r else at
                        rows.append(text.let(f"load {square}, ptr {at}, align {self.item}"))
                    for r, row in enumerate(transpose(text, rows, square)):
                        place = self.step(text, to, r * size)
                        text.do(f"store {square} {row}, ptr {place}, align {self.item}")
                    return []

                def each() -> list[str]:
                    def column(c: str, _: list[str]) -> list[str]:
                        source = self.step(text, corner, text.let(f"mul i64 {c}, %bn"))
                        place = self.step(text, to, text.let(f"mul i64 {c}, {self.item}"))

                        def one(r: str, _: list[str]) -> list[str]:
                            a = self.step(text, source, text.let(f"mul i64 {r}, %bk"))
                            b = self.step(text, place, text.let(f"mul i64 {r}, {size}"))
                            value = text.let(f"load {self.type}, ptr {a}, align {self.item}")
                            text.do(f"store {self.type} {value}, ptr {b}, align {self.item}")
                            return []

                        text.loop("0", deep, 1, one)
                        return []

                    text.loop("0", most, 1, column)
                    return []

                text.when(whole, turn, each)
                return []

            text.loop("0", "%depth", side, block)
            return []

        text.loop("0", "%width", side, band)
        return text

    def pack_rows(self) -> Text:
        """Copy ``%depth`` rows of B, ``%width`` columns of each, into slivers one after the other.

        Whole rows are read at a time: they lie together in memory, the parts of a sliver do not.
        """
        text = Text()
        size = self.width * self.item
        apart = text.let(f"mul i64 %depth, {size}")
        even = text.let(f"sub i64 %width, {self.width - 1}")

        def row(k: str, _: list[str]) -> list[str]:
            source = self.step(text, "%b", text.let(f"mul i64 {k}, %bk"))
            to = self.step(text, "%to", text.let(f"mul i64 {k}, {size}"))

            def piece(_: str, carried: list[str]) -> list[str]:
                source, to = carried
                for j in range(self.vectors):
                    offset = j * self.lanes * self.item
                    place = self.step(text, source, offset)
                    value = text.let(f"load {self.vector}, ptr {place}, align {self.item}")
                    place = self.step(text, to, offset)
                    text.do(f"store {self.vector} {value}, ptr {place}, align 16")
                return [self.step(text, source, size), self.step(text, to, apart)]

            done, (source, to) = text.loop(
                "0", even, self.width, piece, [("ptr", source), ("ptr", to)]
            )
            self._pack_some(text, source, to, text.let(f"sub i64 %width, {done}"))
            return []

        text.loop("0", "%depth", 1, row)
        return text

    def _pack_some(self, text: Text, source: str, to: str, width: str) -> None:
        """Copy so many elements of a row, if any, and zeros after them."""

        def some() -> list[str]:
            for j in range(self.vectors):
                left = text.let(f"sub i64 {width}, {j * self.lanes}")
                count = text.call("i64", "llvm.smax.i64", ("i64", left), ("i64", "0"))
                offset = j * self.lanes * self.item
                mask = self.lane_mask(text, count)
                value = self.load_some(text, self.step(text, source, offset), mask)
                text.do(f"store {self.vector} {value}, ptr {self.step(text, to, offset)}, align 16")
            return []

        text.when(text.let(f"icmp sgt i64 {width}, 0"), some, list)

    def stack_up(self) -> Text:
        """Copy up to a tile's height of rows of A to ``%to``, one element of each row in turn."""
        text = Text()
        high = self.heights[0]
        piece = f"<{high} x {self.type}>"
        size = high * self.item
        flat = text.let(f"icmp eq i64 %am, {self.item}")
        whole = text.let(f"icmp eq i64 %height, {high}")
        dense = text.let(f"icmp eq i64 %ak, {self.item}")
        along = text.let(f"and i1 {whole}, {flat}")
        square = text.let(f"and i1 {whole}, {dense}")

        def copy(k: str, _: list[str]) -> list[str]:
            source = self.step(text, "%a", text.let(f"mul i64 {k}, %ak"))
            place = self.step(text, "%to", text.let(f"mul i64 {k}, {size}"))
            value = text.let(f"load {piece}, ptr {source}, align {self.item}")
            text.do(f"store {piece} {value}, ptr {place}, align {self.item}")
            return []

        def turn(k: str, _: list[str]) -> list[str]:
            at = self.step(text, "%a", text.let(f"mul i64 {k}, %ak"))
            to = self.step(text, "%to", text.let(f"mul i64 {k}, {size}"))
            rows = []
            for r in range(high):
                at = self.step(text, at, "%am") if r else at
                rows.append(text.let(f"load {piece}, ptr {at}, align {self.item}"))
            for r, row in enumerate(transpose(text, rows, piece)):
                place = self.step(text, to, r * size)
                text.do(f"store {piece} {row}, ptr {place}, align {self.item}")
            return []

        def singly(first: str) -> list[str]:
            def element(k: str, _: list[str]) -> list[str]:
                source = self.step(text, "%a", text.let(f"mul i64 {k}, %ak"))
                place = self.step(text, "%to", text.let(f"mul i64 {k}, {size}"))

                def one(r: str, _: list[str]) -> list[str]:
                    a = self.step(text, source, text.let(f"mul i64 {r}, %am"))
                    b = self.step(text, place, text.let(f"mul i64 {r}, {self.item}"))
                    value = text.let(f"load {self.type}, ptr {a}, align {self.item}")
                    text.do(f"store {self.type} {value}, ptr {b}, align {self.item}")
                    return []

                text.loop("0", "%height", 1, one)
                return []

            text.loop(first, "%depth", 1, element)
            return []

        def squares() -> list[str]:
            even = text.let(f"and i64 %depth, {-high}")
            text.loop("0", even, high, turn)
            return singly(even)

        def straight() -> list[str]:
            text.loop("0", "%depth", 1, copy)
            return []

        def other() -> list[str]:
            text.when(square, squares, lambda: singly("0"))
            return []

        text.when(along, straight, other)
        return text

    def stack_flat(self) -> Text:
        """Copy a whole band of A whose rows are neighbours in memory, across all of it at a time."""
        text = Text()
        high = self.heights[0]
        piece = f"<{high} x {self.type}>"
        size = high * self.item
        apart = text.let(f"mul i64 %depth, {size}")

        def across(k: str, _: list[str]) -> list[str]:
            source = self.step(text, "%a", text.let(f"mul i64 {k}, %ak"))
            to = self.step(text, "%to", text.let(f"mul i64 {k}, {size}"))
            for i in range(0, BAND, high):
                value = text.let(
                    f"load {piece}, ptr {self.step(text, source, i * self.item)}, align {self.item}"
                )
                text.do(f"store {piece} {value}, ptr {to}, align {self.item}")
                to = self.step(text, to, apart)
            return []

        text.loop("0", "%depth", 1, across)
        return text

    # -- the whole --
    def module(self) -> str:
        text = Text()
        parameters = ", ".join(f"{t} {n}" for t, n in self.tile_parameters)
        for height in self.heights:
            for vectors in range(1, self.vectors + 1):
                text.define_function(
                    f"tile{height}x{vectors}", parameters, self.tile(height, vectors)
                )
        # Kernels of one type define the same functions, so that they share their code.
        sliver = "ptr %b, i64 %bk, i64 %bn, i64 %depth, i64 %width, ptr %to"
        text.define_function("pack_turned", sliver, self.pack_turned())
        if not self.target.masks:
            text.define_function("pack", sliver, self.pack())
        text.define_function("stack_up", "ptr %a, i64 %ak, i64 %am, i64 %depth, i64 %height, ptr %to",
            self.stack_up(),
        )  # fmt: skip
        text.define_function(
            "stack_flat", "ptr %a, i64 %ak, i64 %depth, ptr %to", self.stack_flat()
        )
        text.define_function(
            "pack_rows", "ptr %b, i64 %bk, i64 %depth, i64 %width, ptr %to", self.pack_rows()
        )
        line = BLOCK * self.item
        columns_at_most = PACKED_BYTES // line // self.width * self.width
        stacked = text.let(f"alloca [{line * BAND} x i8], align 64")
        slivers_of_b = text.let(f"alloca [{line * columns_at_most} x i8], align 64")
        frame = Frame(text, 4 + self.added, 3)
        c, x, a, b, numbers = 0, int(self.added), 1 + self.added, 2 + self.added, 3 + self.added
        depth, columns, rows = frame.size
        alpha = text.let(f"load {self.type}, ptr {frame.bases[numbers]}")
        place = self.step(text, frame.bases[numbers], self.item)
        beta = text.let(f"load {self.type}, ptr {place}")
        one = {"f": "1.0"}.get(self.name[0], "1")
        bk, bn = frame.stride[0][b], frame.stride[1][b]
        block = _even_part(text, depth, BLOCK)
        slivers_in_all = _quotient_up(text, columns, self.width)
        slivers_at_once = _even_part(text, slivers_in_all, columns_at_most // self.width)
        columns_at_once = text.let(f"mul i64 {slivers_at_once}, {self.width}")
        most = text.call("i64", "llvm.smax.i64", ("i64", depth), ("i64", "1"))
        packs = self._packs(text, frame, b)
        stacks = self._stacks(text, frame, a)
        high_tile = self.heights[0]
        am, ak = frame.stride[2][a], frame.stride[0][a]
        flat = text.let(f"icmp eq i64 {am}, {self.item}")
        tile_am = text.let(f"select i1 {stacks}, i64 {self.item}, i64 {am}")
        tile_ak = text.let(f"select i1 {stacks}, i64 {high_tile * self.item}, i64 {ak}")

        def at_most(size: str, start: str, limit: str | int) -> str:
            left = text.let(f"sub i64 {size}, {start}")
            return text.call("i64", "llvm.smin.i64", ("i64", left), ("i64", str(limit)))

        def sums(k: str, _: list[str]) -> list[str]:
            deep = at_most(depth, k, block)
            first = text.let(f"icmp eq i64 {k}, 0")
            adds = "true" if self.added else text.let(f"xor i1 {first}, true")

            def choose(type: str, a: str, b: str) -> str:
                return text.let(f"select i1 {first}, {type} {a}, {type} {b}")

            other = choose("ptr", frame.bases[x], frame.bases[c])
            other_step = choose("i64", frame.stride[2][x], frame.stride[2][c])
            factor = choose(self.type, beta, one)
            left = frame.at(a, 0, k)
            right = frame.at(b, 0, k)

            deep_bytes = text.let(f"mul i64 {deep}, {self.item}")

            def columns_from(first_column: str, _: list[str]) -> list[str]:
                wide = at_most(columns, first_column, columns_at_once)
                chunk = frame.at(b, 1, first_column, right)
                text.when(
                    packs,
                    lambda: self._pack_all(text, chunk, bk, bn, deep, wide, slivers_of_b),
                    list,
                )

                def band(first_row: str, _: list[str]) -> list[str]:
                    last_row = text.let(f"add i64 {first_row}, {BAND}")
                    last_row = text.call("i64", "llvm.smin.i64", ("i64", last_row), ("i64", rows))

                    def stack() -> list[str]:
                        full = text.let(f"sub i64 {last_row}, {first_row}")
                        full = text.let(f"icmp eq i64 {full}, {BAND}")
                        text.when(text.let(f"and i1 {full}, {flat}"), whole, singly)
                        return []

                    def whole() -> list[str]:
                        text.do(
                            f"call void @stack_flat(ptr {frame.at(a, 2, first_row, left)}, "
                            f"i64 {ak}, i64 {deep}, ptr {stacked})"
                        )
                        return []

                    def singly() -> list[str]:
                        text.loop(first_row, last_row, high_tile, stack_tile)
                        return []

                    def stack_tile(m: str, _: list[str]) -> list[str]:
                        text.do(
                            f"call void @stack_up(ptr {frame.at(a, 2, m, left)}, i64 {ak}, "
                            f"i64 {am}, i64 {deep}, i64 {at_most(rows, m, high_tile)}, "
                            f"ptr {stack_of(first_row, m)})"
                        )
                        return []

                    text.when(stacks, stack, list)
                    text.loop(first_row, last_row, high_tile, lambda m, _: tiles(first_row, m))
                    return []

                def stack_of(first_row: str, m: str) -> str:
                    offset = text.let(f"sub i64 {m}, {first_row}")
                    return self.step(text, stacked, text.let(f"mul i64 {offset}, {deep_bytes}"))

                def tiles(first_row: str, m: str) -> list[str]:
                    tall = at_most(rows, m, high_tile)
                    copied = stack_of(first_row, m)
                    top = text.let(
                        f"select i1 {stacks}, ptr {copied}, ptr {frame.at(a, 2, m, left)}"
                    )
                    edge = frame.at(c, 2, m)
                    beside = self.step(text, other, text.let(f"mul i64 {m}, {other_step}"))

                    def slivers(n: str, _: list[str]) -> list[str]:
                        width = at_most(wide, n, self.width)
                        here, step = self._sliver(
                            text, packs, frame.at(b, 1, n, chunk), bk, bn, deep, width,
                            self.step(text, slivers_of_b, text.let(f"mul i64 {n}, {deep_bytes}")),
                        )  # fmt: skip
                        column = text.let(f"add i64 {first_column}, {n}")
                        offset = text.let(f"mul i64 {column}, {self.item}")
                        values = [
                            top, tile_am, tile_ak, here, step,
                            self.step(text, edge, offset), frame.stride[2][c],
                            self.step(text, beside, offset), other_step, deep, tall,
                        ]  # fmt: skip
                        self._fetch_tile(text, values[5], values[6], deep)
                        self._choose_width(text, width, values, [alpha, factor, adds, packs])
                        return []

                    text.loop("0", wide, self.width, slivers)
                    return []

                text.loop("0", rows, BAND, band)
                return []

            text.loop("0", columns, columns_at_once, columns_from)
            return []

        text.loop("0", most, block, sums)
        return text.module()

    def _fetch_tile(self, text: Text, c: str, cm: str, deep: str) -> None:
        """Ask for a tile of C early: it is written once the whole depth is multiplied."""

        def ask() -> list[str]:
            for i in range(self.heights[0]):
                row = self.step(text, c, text.let(f"mul i64 {cm}, {i}"))
                for j in range(self.vectors):
                    place = self.step(text, row, j * self.lanes * self.item)
                    self.fetch(text, place, writes=True, level=2)
            return []

        text.when(text.let(f"icmp sge i64 {deep}, {FETCH_DEPTH}"), ask, list)

    def _pack_all(
        self, text: Text, b: str, bk: str, bn: str, deep: str, wide: str, to: str
    ) -> list[str]:
        """Copy a block of B into slivers."""
        if not self.turned:
            text.do(f"call void @pack_rows(ptr {b}, i64 {bk}, i64 {deep}, i64 {wide}, ptr {to})")
            return []
        deep_bytes = text.let(f"mul i64 {deep}, {self.item}")

        def sliver(n: str, _: list[str]) -> list[str]:
            left = text.let(f"sub i64 {wide}, {n}")
            width = text.call("i64", "llvm.smin.i64", ("i64", left), ("i64", str(self.width)))
            source = self.step(text, b, text.let(f"mul i64 {n}, {bn}"))
            place = self.step(text, to, text.let(f"mul i64 {n}, {deep_bytes}"))
            text.do(
                f"call void @pack_turned(ptr {source}, i64 {bk}, i64 {bn}, i64 {deep}, i64 {width}, "
                f"ptr {place})"
            )
            return []

        text.loop("0", wide, self.width, sliver)
        return []

    def _sliver(
        self, text: Text, packs: str, source: str, bk: str, bn: str, deep: str, width: str, to: str
    ) -> list[str]:
        """Where a sliver of B lies, and how far apart its rows are."""
        size = str(self.width * self.item)
        here = text.let(f"select i1 {packs}, ptr {to}, ptr {source}")
        step = text.let(f"select i1 {packs}, i64 {size}, i64 {bk}")
        if self.target.masks:
            return [here, step]

        def copied() -> list[str]:
            text.do(
                f"call void @pack(ptr {source}, i64 {bk}, i64 {bn}, i64 {deep}, i64 {width}, "
                f"ptr {to})"
            )
            return [to, size]

        partial = text.let(f"icmp slt i64 {width}, {self.width}")
        partial = text.let(f"and i1 {partial}, {text.let(f'xor i1 {packs}, true')}")
        return text.when(partial, copied, lambda: [here, step], ["ptr", "i64"])

    def _packs(self, text: Text, frame: Frame, b: int) -> str:
        """Whether B is copied."""
        if self.turned:
            return "true"
        reach = text.let(f"mul i64 {frame.size[0]}, {frame.stride[0][b]}")
        far = text.let(f"icmp sgt i64 {reach}, {PACK_BYTES}")
        used = text.let(f"icmp sge i64 {frame.size[2]}, {PACK_ROWS}")
        return text.let(f"and i1 {far}, {used}")

    def _stacks(self, text: Text, frame: Frame, a: int) -> str:
        """Whether A is copied."""
        apart = text.call("i64", "llvm.abs.i64", ("i64", frame.stride[2][a]), ("i1", "false"))
        far = text.let(f"icmp sge i64 {apart}, {STACK_BYTES}")
        turned = text.let(f"icmp ne i64 {frame.stride[0][a]}, {self.item}")
        used = text.let(f"icmp sge i64 {frame.size[1]}, {STACK_COLUMNS}")
        return text.let(f"and i1 {used}, {text.let(f'or i1 {far}, {turned}')}")

    def _choose_width(self, text: Text, width: str, values: list[str], rest: list[str]) -> None:
        """Call the tile that just covers a width and the height, the last of ``values``."""

        def call(rows: int, vectors: int) -> None:
            last = text.let(f"sub i64 {width}, {(vectors - 1) * self.lanes}")
            given = zip(self.tile_parameters, [*values, last, *rest], strict=True)
            text.do(
                f"call void @tile{rows}x{vectors}({', '.join(f'{t} {v}' for (t, _), v in given)})"
            )

        def wider(vectors: int) -> str:
            return text.let(f"icmp sgt i64 {width}, {vectors * self.lanes}")

        choose_tile(text, self.heights, self.vectors, values[-1], wider, call)


def _quotient_up(text: Text, size: str, part: str | int) -> str:
    """How many parts of this size there are, the last perhaps smaller."""
    less = text.let(f"sub i64 {part}, 1")
    return text.let(f"udiv i64 {text.let(f'add i64 {size}, {less}')}, {part}")


def _even_part(text: Text, size: str, most: int) -> str:
    """The size of parts, as few and as equal as can be with so many elements at most; at least 1."""
    parts = text.call("i64", "llvm.smax.i64", ("i64", _quotient_up(text, size, most)), ("i64", "1"))
    even = _quotient_up(text, size, parts)
    return text.call("i64", "llvm.smax.i64", ("i64", even), ("i64", "1"))
