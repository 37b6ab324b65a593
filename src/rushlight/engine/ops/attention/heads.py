"""Work on the matrices of one head after the other, as attention and its gradients need it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import recorder
from rushlight.engine.loops.expr import select
from rushlight.engine.loops.reduction import Reduction
from rushlight.engine.ops import bridge
from rushlight.engine.ops.kinds.elementwise import Constant, elementwise_loop, shaped
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, Operand, OuterLoop
from rushlight.engine.ops.kinds.product_loops import matrix_loop
from rushlight.engine.ops.kinds.reduction import reduce_into

# A band has about so many scores, and at least so many rows.
BAND, LEAST_ROWS = 1 << 17, 32
# Scores behind a row's place are computed for nothing: causal bands are that much lower, if not
# more of them are needed then.
CAUSAL_ROWS, CAUSAL_BANDS = 32, 16


class Band(NamedTuple):
    """Some queries: the first of them, how many there are, and how many keys they look at."""

    start: int
    rows: int
    seen: int


def bands(count: int, length: int, causal: bool) -> list[Band]:
    """The bands of so many queries and keys, those that look at most keys first."""
    rows = min(count, max(LEAST_ROWS, BAND // length))
    if causal:
        rows = min(rows, max(CAUSAL_ROWS, -(-count // CAUSAL_BANDS)))
    found = []
    start = 0
    while start < count:
        stop = min(start + rows, count)
        found.append(Band(start, stop - start, min(stop, length) if causal else length))
        start = stop
    return found[::-1]


# Parts of one matrix of this size serve smaller ones.
_WHOLE = 512


def _behind(rows: int, columns: int, kind: dtype) -> Tensor:
    """A matrix that is not zero behind its diagonal."""
    if rows <= _WHOLE and columns <= _WHOLE:
        return tensors.view_of(
            _behind_diagonal(_WHOLE, _WHOLE, kind), (rows, columns), (_WHOLE, 1), 0
        )
    return _behind_diagonal(rows, columns, kind)


@lru_cache(64)
def _behind_diagonal(rows: int, columns: int, kind: dtype) -> Tensor:
    # Which number is behind it does not matter.
    zero, other = bytes(kind.itemsize), b"\1" * kind.itemsize
    content = b"".join(
        (zero * (row + 1) + other * (columns - row - 1))[: columns * kind.itemsize]
        for row in range(rows)
    )
    return recorder.unnoted(lambda: bridge.tensor_of_bytes(content, (rows, columns), kind))  # type: ignore[no-any-return]


class Matrix(NamedTuple):
    """A matrix of each head: where it is, how far apart rows and elements are, where it begins."""

    place: Any
    rows: int
    elements: int
    start: int = 0

    @property
    def turned(self) -> Matrix:
        return Matrix(self.place, self.elements, self.rows, self.start)

    @property
    def over_columns(self) -> Matrix:
        """Every row's number in all columns."""
        return self._replace(elements=0)

    def at(self, row: int, column: int = 0) -> Matrix:
        """The part that begins here."""
        start = self.start + row * self.rows + column * self.elements
        return self._replace(start=start)


class Heads:
    """Loops that run for one head after the other.

    Args:
        chain: what they are a link of
        kind: the type of all matrices
        batch: how large the batch is
        groups: how many heads of keys and values there are
        repeat: how many heads of queries share each of those
    """

    def __init__(
        self, chain: ChainBuilder, kind: dtype, batch: int, groups: int, repeat: int = 1
    ) -> None:
        self.kind, self.repeat = kind, repeat
        self.outer = OuterLoop(chain, (batch, groups, repeat))
        self.finish = self.outer.finish

    def given(self, place: Any, stride: Sequence[int], shared: bool = False) -> Matrix:
        """The matrices of an operand of four dimensions; they may be shared by several heads."""
        head = stride[1]
        apart = (stride[0], head, 0) if shared else (stride[0], head * self.repeat, head)
        self.outer.add_operand(place, [n * self.kind.itemsize for n in apart])
        return Matrix(place, stride[2], stride[3])

    def scratch(self, rows: int, columns: int) -> Matrix:
        """A matrix of our own."""
        # Rows an odd number of cache lines apart do not compete for the same places in a cache.
        pitch = columns // 32 * 32 + 48 if columns > 1 else 1
        _, place = self.outer.add_scratch((rows, pitch), self.kind)
        return Matrix(place, pitch, 1)

    def turned(self, x: Matrix, rows: int, columns: int, often: bool) -> Matrix:
        """The transpose; a copy if it is read often."""
        if not often or x.rows == 1:
            return x.turned
        made = self.scratch(columns, rows)
        self.apply(lambda x: x, columns, rows, made, x.turned)
        return made

    def product(
        self, c: Matrix, a: Matrix, b: Matrix, rows: int, columns: int, depth: int,
        alpha: float = 1, adds: bool = False,
    ) -> None:  # fmt: skip
        """C = alpha * A B, or what is added to C."""
        operands = [c, c, a, b] if adds else [c, a, b]
        loop = matrix_loop(
            [self.kind] * len(operands),
            self.kind,
            [depth, columns, rows],
            [
                *([0, x.elements, x.rows] for x in operands[:-2]),
                [a.elements, 0, a.rows],
                [b.rows, b.elements, 0],
            ],
            alpha,
            offsets=[x.start for x in operands],
        )
        self.outer.add(loop, [*(x.place for x in operands), 0])

    def apply(
        self, body: Callable[..., Any], rows: int, columns: int, out: Matrix, *ins: Matrix | Constant
    ) -> None:  # fmt: skip
        """Write a function of matrices, element by element."""
        operands = (out, *ins)
        shapes = [
            shaped((rows, columns), (x.rows, x.elements), self.kind) if isinstance(x, Matrix) else x
            for x in operands
        ]
        starts = [x.start if isinstance(x, Matrix) else 0 for x in operands]
        names = [self.kind.memory] * len(ins)
        loop = elementwise_loop(
            body, shapes[:1], shapes[1:], [self.kind.memory], names, names,
            [n * self.kind.itemsize for n in starts],
        )  # fmt: skip
        self.outer.add(loop, [x.place if isinstance(x, Matrix) else 0 for x in operands])

    def reduce(
        self, reduction: Reduction, rows: int, columns: int, out: Matrix, *ins: Matrix
    ) -> None:
        """Reduce every row."""
        item = self.kind.itemsize
        operands = []
        for x in (out, *ins):
            strides = (x.rows * item, 0 if x is out else x.elements * item)
            operands.append(Operand(x.place, self.kind, strides))
            operands[-1].offset = x.start * item
        views = [shaped((rows, columns), (x.rows, x.elements), self.kind) for x in ins]
        reduce_into(self.outer, reduction, (rows, columns), (1,), operands[:1], operands[1:], views)

    def scores(
        self, scores: Matrix, queries: Matrix, keys: Matrix, mask: Matrix | None, band: Band,
        width: int, scale: float, causal: bool,
    ) -> None:  # fmt: skip
        """The scores of a band; the lowest number where a query must not look."""
        start, rows, seen = band
        self.product(scores, queries.at(start), keys, rows, seen, width, scale)
        if mask is not None:
            self.apply(lambda x, m: x + m, rows, seen, scores, scores, mask.at(start))
        if causal and seen > start:
            part = scores.at(0, start)
            self.apply(
                lambda x, hide: select(hide != 0, -math.inf, x), rows, seen - start, part, part,
                Constant(_behind(rows, seen - start, self.kind), self.kind.memory),
            )  # fmt: skip
