"""Products of bf16 on the processor's matrix unit, which multiplies squares of numbers at once.

The unit has eight registers of 16 rows of 64 bytes. One holds 16 rows of A with 32 neighbours along
the sum, or 16 pairs of rows of B with 16 columns, or a square of 16 by 16 results in f32. B is
copied into such squares, with zeros where the sum ends, and so is A where its rows meet many columns
or do not fill squares. A tile of C is two squares high and two wide and stays in its registers while
one block of the sum lasts.

A row of A may consist of runs, each so many bytes behind the one before: windows of an image are
such rows, which overlap.

Dims as in `matmul_kernel`: 0 is summed over, 1 runs along the columns of B and C, 2 along the rows
of A and C.
"""

from __future__ import annotations

import sys

from rushlight.engine.loops.frame import Frame
from rushlight.engine.loops.ir_text import Text
from rushlight.engine.loops.lanes import Lanes
from rushlight.engine.loops.target import Target
from rushlight.engine.loops.tiles import transpose

# A register: its rows, and how many elements of the sum it holds.
SIDE, DEPTH = 16, 32
SQUARE_BYTES = 1024
# A tile of C has so many rows and columns.
TILE = 2 * SIDE
# How many elements of the sum one block has at most, and how many rows of A make a band.
BLOCK, ROWS = 1024, 480
# Rows of A that meet at most so many columns are read where they lie.
FEW_COLUMNS = 256


class NUMBERS:
    """Positions in the last operand, in bytes: two f32, then words."""

    alpha, beta = 0, 4
    run = 8  # how many elements a run of A has
    jump = 16  # from one run to the next, in bytes
    block = 24  # how many elements of the sum a block has: whole runs
    bytes = 32


HALVES = f"<{DEPTH} x i16>"
WORDS = f"<{SIDE} x i32>"

# Registers of a tile: four squares of C, two of A, two of B.
_A, _B = 4, 6


def matrix_unit_ir(memory: str, turned: bool, added: bool) -> str:
    """The IR of a product of matrices of bf16.

    Operands: C, X if ``added``, A, B, and what `NUMBERS` says. C is of type ``memory``, bf16 only if
    the whole sum fits in one block; X is f32. C and X are contiguous along dim 1 and A's runs along
    dim 0. B is contiguous along dim 1, or along dim 0 if it is ``turned``.
    """
    return _Product(memory, turned, added).module()


def allowed() -> bool:
    """Ask the system for the unit, once per process: its registers are kept for who asks only."""
    if sys.platform != "linux":
        return False
    import ctypes

    arch_prctl, request_permission, tile_data = 158, 0x1023, 18
    return ctypes.CDLL(None).syscall(arch_prctl, request_permission, tile_data) == 0


class _Product(Lanes):
    def __init__(self, memory: str, turned: bool, added: bool) -> None:
        super().__init__("f32", Target(vector_bytes=4 * SIDE, masks=True))
        self.memory = memory
        self.result_bytes = 4 if memory == "f32" else 2
        self.turned = turned
        self.added = added

    # -- pieces --
    def times(self, text: Text, a: str, b: str | int) -> str:
        return text.let(f"mul i64 {a}, {b}")

    def at_most(self, text: Text, size: str, start: str, limit: int | str) -> str:
        left = text.let(f"sub i64 {size}, {start}")
        return text.call("i64", "llvm.smin.i64", ("i64", left), ("i64", str(limit)))

    def halves_mask(self, text: Text, count: str) -> str:
        name = f"llvm.get.active.lane.mask.v{DEPTH}i1.i64"
        return text.call(f"<{DEPTH} x i1>", name, ("i64", "0"), ("i64", count))

    def load_halves(self, text: Text, place: str, mask: str) -> str:
        return text.call(
            HALVES, "llvm.masked.load.v32i16.p0", ("ptr", place), ("i32 immarg", "2"),
            (f"<{DEPTH} x i1>", mask), (HALVES, "zeroinitializer"),
        )  # fmt: skip

    def unit(self, text: Text, name: str, *operands: tuple[str, str]) -> None:
        text.call("void", f"llvm.x86.{name}", *operands)

    # -- the factors' copies --
    def pack_rows(self) -> Text:
        """Copy 16 or fewer rows of A, or columns of a turned B that become its transposed squares.

        ``%from`` has rows ``%apart`` bytes apart. Every second square at ``%to`` is theirs.
        """
        text = Text()
        last = text.let("sub i64 %height, 1")

        def square(k: str, _: list[str]) -> list[str]:
            mask = self.halves_mask(text, text.let(f"sub i64 %depth, {k}"))
            number = text.let(f"udiv i64 {k}, {DEPTH}")
            to = self.step(text, "%to", self.times(text, number, 2 * SQUARE_BYTES))
            source = self.step(text, "%from", self.times(text, k, 2))
            rows = []
            for i in range(SIDE):
                row = text.call("i64", "llvm.smin.i64", ("i64", last), ("i64", str(i)))
                place = self.step(text, source, self.times(text, row, "%apart"))
                rows.append(self.load_halves(text, place, mask))

            def store(values: list[str], kind: str) -> list[str]:
                for i, value in enumerate(values):
                    text.do(f"store {kind} {value}, ptr {self.step(text, to, 64 * i)}, align 64")
                return []

            def turn() -> list[str]:
                words = [text.let(f"bitcast {HALVES} {row} to {WORDS}") for row in rows]
                return store(transpose(text, words, WORDS), WORDS)

            text.when("%turn", turn, lambda: store(rows, HALVES))
            return []

        text.loop("0", "%depth", DEPTH, square)
        return text

    def pack_columns(self) -> Text:
        """Copy up to 32 columns of B into squares of pairs of its rows, two beside each other."""
        text = Text()
        mask = self.halves_mask(text, "%width")
        padded = text.let(f"and i64 {text.let(f'add i64 %depth, {DEPTH - 1}')}, {-DEPTH}")
        final = text.let("sub i64 %depth, 1")

        def row(k: str) -> str:
            """A row of B; zeros below the last."""
            inside = text.let(f"icmp slt i64 {k}, %depth")
            every = text.let(f"insertelement <{DEPTH} x i1> poison, i1 {inside}, i64 0")
            order = f"<{DEPTH} x i32> zeroinitializer"
            bits = f"<{DEPTH} x i1>"
            every = text.let(f"shufflevector {bits} {every}, {bits} poison, {order}")
            kept = text.let(f"and {bits} {every}, {mask}")
            near = text.call("i64", "llvm.smin.i64", ("i64", k), ("i64", final))
            return self.load_halves(
                text, self.step(text, "%from", self.times(text, near, "%apart")), kept
            )

        def pair(k: str, _: list[str]) -> list[str]:
            number = text.let(f"udiv i64 {k}, {DEPTH}")
            line = text.let(f"udiv i64 {text.let(f'urem i64 {k}, {DEPTH}')}, 2")
            to = self.step(text, "%to", self.times(text, number, 2 * SQUARE_BYTES))
            to = self.step(text, to, self.times(text, line, 64))
            low, high = row(k), row(text.let(f"add i64 {k}, 1"))
            for j in range(2):
                order = (lane for i in range(SIDE) for lane in (SIDE * j + i, DEPTH + SIDE * j + i))
                written = ", ".join(f"i32 {lane}" for lane in order)
                words = text.let(
                    f"shufflevector {HALVES} {low}, {HALVES} {high}, <{DEPTH} x i32> <{written}>"
                )
                place = self.step(text, to, j * SQUARE_BYTES)
                text.do(f"store {HALVES} {words}, ptr {place}, align 64")
            return []

        text.loop("0", padded, 2, pair)
        return text

    # -- a tile of C --
    def tile(self) -> Text:
        """Up to 32 rows and columns of C: its sums, then what is stored."""
        text = Text()
        squares = text.let(f"alloca [{TILE * TILE * 4} x i8], align 64")
        for register in range(4):
            self.unit(text, "tilezero", ("i8 immarg", str(register)))

        def square(_: str, carried: list[str]) -> list[str]:
            a, b = carried
            for register, start, half, apart in (
                (_A, a, "%ahalf", "%apart"), (_B, b, str(SQUARE_BYTES), "64")
            ):  # fmt: skip
                for i, where in enumerate((start, self.step(text, start, half))):
                    self.unit(
                        text, "tileloadd64", ("i8 immarg", str(register + i)), ("ptr", where),
                        ("i64", apart),
                    )  # fmt: skip
            for i in range(2):
                for j in range(2):
                    registers = (2 * i + j, _A + i, _B + j)
                    operands = [("i8 immarg", str(r)) for r in registers]
                    self.unit(text, "tdpbf16ps", *operands)
            return [self.step(text, a, "%astep"), self.step(text, b, 2 * SQUARE_BYTES)]

        def run(_: str, carried: list[str]) -> list[str]:
            a, b = carried
            pointers = [("ptr", a), ("ptr", b)]
            _, (_, b) = text.loop("0", "%squares", 1, square, pointers)
            return [self.step(text, a, "%jump"), b]

        text.loop("0", "%runs", 1, run, [("ptr", "%a"), ("ptr", "%b")])
        row_bytes = TILE * 4
        for i in range(2):
            for j in range(2):
                where = self.step(text, squares, i * SIDE * row_bytes + j * SIDE * 4)
                self.unit(
                    text, "tilestored64", ("i8 immarg", str(2 * i + j)), ("ptr", where),
                    ("i64", str(row_bytes)),
                )  # fmt: skip
        alpha, beta = (self.spread(text, x) for x in ("%alpha", "%beta"))
        masks = []
        for j in range(2):
            masks.append(self.lane_mask(text, text.let(f"sub i64 %width, {j * SIDE}")))

        def row(i: str, _: list[str]) -> list[str]:
            sums = self.step(text, squares, self.times(text, i, row_bytes))
            to = self.step(text, "%c", self.times(text, i, "%cm"))
            beside = self.step(text, "%x", self.times(text, i, "%xm"))
            for j in range(2):
                place = self.step(text, sums, j * SIDE * 4)
                value = text.let(f"load {self.vector}, ptr {place}, align 64")
                value = text.let(f"fmul {self.vector} {value}, {alpha}")
                value = self.added_to(text, value, beta, beside, j, masks[j])
                self.store_results(
                    text, value, self.step(text, to, j * SIDE * self.result_bytes), masks[j]
                )
            return []

        text.loop("0", "%height", 1, row)
        return text

    def added_to(self, text: Text, value: str, beta: str, row: str, j: int, mask: str) -> str:
        """A vector plus what lies beside it, if there is anything to be added."""

        def add() -> list[str]:
            other = self.load_some(text, self.step(text, row, j * SIDE * 4), mask)
            return [self.multiply_add(text, other, beta, value)]

        return text.when("%adds", add, lambda: [value], [self.vector])[0]

    def store_results(self, text: Text, value: str, place: str, mask: str) -> None:
        if self.memory == "f32":
            self.store_some(text, value, place, mask)
            return
        half = f"<{SIDE} x i16>"
        text.call(
            "void", "llvm.masked.store.v16i16.p0", (half, self.rounded(text, value)),
            ("ptr", place), ("i32 immarg", "2"), (self.mask, mask),
        )  # fmt: skip

    def rounded(self, text: Text, value: str) -> str:
        """f32 as bf16: to the nearest, ties to even, NaN stays NaN."""
        nan = text.let(f"fcmp uno {self.vector} {value}, {value}")
        bits = text.let(f"bitcast {self.vector} {value} to {WORDS}")
        odd = text.let(f"lshr {WORDS} {bits}, splat (i32 16)")
        odd = text.let(f"and {WORDS} {odd}, splat (i32 1)")
        up = text.let(f"add {WORDS} {odd}, splat (i32 32767)")
        near = text.let(f"lshr {WORDS} {text.let(f'add {WORDS} {bits}, {up}')}, splat (i32 16)")
        kept = text.let(f"select <{SIDE} x i1> {nan}, {WORDS} splat (i32 32704), {WORDS} {near}")
        return text.let(f"trunc {WORDS} {kept} to <{SIDE} x i16>")

    # -- the whole --
    def module(self) -> str:
        text = Text()
        rows = "ptr %from, i64 %apart, i64 %depth, i64 %height, ptr %to, i1 %turn"
        text.define_function("pack_rows", rows, self.pack_rows())
        columns = "ptr %from, i64 %apart, i64 %depth, i64 %width, ptr %to"
        text.define_function("pack_columns", columns, self.pack_columns())
        tile = (
            "ptr %a, i64 %astep, i64 %ahalf, i64 %apart, i64 %jump, ptr %b, i64 %squares, i64 %runs, "
            "ptr %c, i64 %cm, ptr %x, i64 %xm, i64 %height, "
            "i64 %width, float %alpha, float %beta, i1 %adds"
        )
        text.define_function("tile", tile, self.tile())
        self._configure(text)
        stacked = text.let(f"alloca [{BLOCK * ROWS * 2} x i8], align 64")
        panel = text.let(f"alloca [{BLOCK * TILE * 2} x i8], align 64")
        self._blocks(text, stacked, panel)
        self.unit(text, "tilerelease")
        return text.module()

    def _configure(self, text: Text) -> None:
        """Give all eight registers 16 rows of 64 bytes."""
        sizes = [0] * 64
        sizes[0] = 1
        for register in range(8):
            sizes[16 + 2 * register] = 64
            sizes[48 + register] = SIDE
        written = ", ".join(f"i8 {n}" for n in sizes)
        layout = text.let("alloca [64 x i8], align 64")
        text.do(f"store <64 x i8> <{written}>, ptr {layout}, align 64")
        self.unit(text, "ldtilecfg", ("ptr", layout))

    def _blocks(self, text: Text, stacked: str, panel: str) -> None:
        frame = Frame(text, 4 + self.added, 3)
        c, x, a, b, numbers = 0, int(self.added), 1 + self.added, 2 + self.added, 3 + self.added
        depth, columns, rows = frame.size
        given = frame.bases[numbers]
        alpha = text.let(f"load float, ptr {given}")
        beta = text.let(f"load float, ptr {self.step(text, given, NUMBERS.beta)}")
        run, jump, block = (
            text.let(f"load i64, ptr {self.step(text, given, place)}")
            for place in (NUMBERS.run, NUMBERS.jump, NUMBERS.block)
        )
        row_bytes = frame.stride[2][a]
        few = text.let(f"icmp sle i64 {columns}, {FEW_COLUMNS}")

        def sums(k: str, _: list[str]) -> list[str]:
            deep = self.at_most(text, depth, k, block)
            first = text.let(f"icmp eq i64 {k}, 0")
            adds = "true" if self.added else text.let(f"xor i1 {first}, true")

            def choose(kind: str, one: str, other: str) -> str:
                return text.let(f"select i1 {first}, {kind} {one}, {kind} {other}")

            beside = choose("ptr", frame.bases[x], frame.bases[c])
            beside_step = choose("i64", frame.stride[2][x], frame.stride[2][c])
            factor = choose("float", beta, "1.0")
            right = frame.at(b, 0, k)
            number = text.let(f"udiv i64 {k}, {run}")
            within = text.let(f"sub i64 {k}, {self.times(text, number, run)}")
            left = self.step(text, frame.bases[a], self.times(text, number, jump))
            left = self.step(text, left, self.times(text, within, 2))
            length = text.call("i64", "llvm.smin.i64", ("i64", run), ("i64", deep))
            runs = text.let(f"udiv i64 {deep}, {length}")
            run_squares = text.let(
                f"udiv i64 {text.let(f'add i64 {length}, {DEPTH - 1}')}, {DEPTH}"
            )
            squares = self.times(text, run_squares, runs)
            tile_bytes = self.times(text, squares, 2 * SQUARE_BYTES)
            whole = text.let(f"icmp eq i64 {text.let(f'urem i64 {length}, {DEPTH}')}, 0")
            direct = text.let(f"and i1 {whole}, {few}")

            def copy_rows(rows: str, count: str, to: str) -> None:
                """Copy rows of A from a place on into the squares of tiles."""

                def stack(i: str, _: list[str]) -> list[str]:
                    number = text.let(f"udiv i64 {i}, {TILE}")
                    half = text.let(f"udiv i64 {text.let(f'urem i64 {i}, {TILE}')}, {SIDE}")
                    place = self.step(text, to, self.times(text, number, tile_bytes))
                    place = self.step(text, place, self.times(text, half, SQUARE_BYTES))
                    tall = self.at_most(text, count, i, SIDE)
                    row = frame.at(a, 2, i, rows)

                    def one(_: str, carried: list[str]) -> list[str]:
                        start, into = carried
                        text.do(
                            f"call void @pack_rows(ptr {start}, i64 {row_bytes}, i64 {length}, "
                            f"i64 {tall}, ptr {into}, i1 false)"
                        )
                        past = self.times(text, run_squares, 2 * SQUARE_BYTES)
                        return [self.step(text, start, jump), self.step(text, into, past)]

                    text.loop("0", runs, 1, one, [("ptr", row), ("ptr", place)])
                    return []

                text.loop("0", count, SIDE, stack)

            def band(m: str, _: list[str]) -> list[str]:
                high = self.at_most(text, rows, m, ROWS)
                lines = frame.at(a, 2, m, left)

                def copy_all() -> list[str]:
                    copy_rows(lines, high, stacked)
                    return []

                text.when(direct, list, copy_all)

                def columns_of(n: str, _: list[str]) -> list[str]:
                    width = self.at_most(text, columns, n, TILE)

                    self._pack(text, frame, b, frame.at(b, 1, n, right), deep, width, panel)
                    offset = self.times(text, n, self.result_bytes)
                    corner = self.step(text, frame.at(c, 2, m), offset)
                    start = self.times(text, m, beside_step)
                    other = self.step(text, self.step(text, beside, start), self.times(text, n, 4))

                    def tiles(i: str, _: list[str]) -> list[str]:
                        tall = self.at_most(text, high, i, TILE)
                        near = self.step(text, other, self.times(text, i, beside_step))

                        def call(top: str, layout: str, squares: str, runs: str) -> list[str]:
                            text.do(
                                f"call void @tile(ptr {top}, {layout}, ptr {panel}, i64 {squares}, "
                                f"i64 {runs}, ptr {frame.at(c, 2, i, corner)}, "
                                f"i64 {frame.stride[2][c]}, ptr {near}, i64 {beside_step}, "
                                f"i64 {tall}, i64 {width}, float {alpha}, float {factor}, i1 {adds})"
                            )
                            return []

                        def where_they_lie() -> list[str]:
                            half = self.times(text, row_bytes, SIDE)
                            layout = f"i64 64, i64 {half}, i64 {row_bytes}, i64 {jump}"
                            return call(frame.at(a, 2, i, lines), layout, run_squares, runs)

                        def copied() -> list[str]:
                            def copy() -> list[str]:
                                copy_rows(frame.at(a, 2, i, lines), tall, stacked)
                                return []

                            text.when(direct, copy, list)
                            number = text.let(f"udiv i64 {i}, {TILE}")
                            number = text.let(f"select i1 {direct}, i64 0, i64 {number}")
                            top = self.step(text, stacked, self.times(text, number, tile_bytes))
                            layout = f"i64 {2 * SQUARE_BYTES}, i64 {SQUARE_BYTES}, i64 64, i64 0"
                            return call(top, layout, squares, "1")

                        full = text.let(f"icmp eq i64 {tall}, {TILE}")
                        text.when(text.let(f"and i1 {full}, {direct}"), where_they_lie, copied)
                        return []

                    text.loop("0", high, TILE, tiles)
                    return []

                text.loop("0", columns, TILE, columns_of)
                return []

            text.loop("0", rows, ROWS, band)
            return []

        text.loop("0", depth, block, sums)

    def _pack(
        self, text: Text, frame: Frame, b: int, source: str, deep: str, width: str, to: str
    ) -> None:
        """Copy the columns of B that a tile of C needs."""
        if not self.turned:
            text.do(
                f"call void @pack_columns(ptr {source}, i64 {frame.stride[0][b]}, i64 {deep}, "
                f"i64 {width}, ptr {to})"
            )
            return

        def half(j: str, _: list[str]) -> list[str]:
            square = self.step(text, to, self.times(text, j, SQUARE_BYTES // SIDE))
            wide = self.at_most(text, width, j, SIDE)
            text.do(
                f"call void @pack_rows(ptr {frame.at(b, 1, j, source)}, i64 {frame.stride[1][b]}, "
                f"i64 {deep}, i64 {wide}, ptr {square}, i1 true)"
            )
            return []

        text.loop("0", width, SIDE, half)
