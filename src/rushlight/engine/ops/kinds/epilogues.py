"""Loops behind a product of matrices, on each block of rows while that is in the cache.

A result that is larger than the cache would be written to memory by the product, and read again by the loop behind it. So an
`OuterLoop` runs both for a block of rows before it goes on to the next one.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core.tensor import Template
from rushlight.engine.loops import geometry
from rushlight.engine.loops.plan import Loop
from rushlight.engine.native import threads
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, OuterLoop, facts
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target
from rushlight.engine.ops.kinds.products import Product, View

# Smaller results stay in the cache by themselves.
LARGE_BYTES = 1 << 20
# So much of a result is a block, but not fewer rows: each block copies parts of the second factor anew.
BLOCK_BYTES, FEWEST_ROWS = 1 << 18, 64

Ints = tuple[int, ...]


@dataclasses.dataclass
class Epilogue:
    """A loop over the elements of a product's result.

    Args:
        make: the loop, of what it writes and reads, as templates of one block
        reads: the operands that it reads: places among a request's inputs, or None for the product
        size: of the result as the loop sees it: the product's, or one of which all but the last dimension are its rows
    """

    make: Callable[[list[Template], list[Template]], Loop]
    reads: Sequence[int | None]
    size: Ints


@dataclasses.dataclass
class ProductAndLoop(Request):
    """A product and the loop behind it.

    Args:
        product: the product, whose inputs are the first ones
        inputs: these, and what the loop reads besides
        specs: the product's, if it is wanted, too, and those of what the loop writes
        epilogue: the loop
        rows: the rows of a block, or as many as are best
    """

    product: Product
    inputs: tuple[Any, ...]
    specs: list[Spec]
    epilogue: Epilogue
    keeps: bool = False
    rows: int | None = None

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(len(targets), len(self.inputs))
        rows = self.product.shape[2]
        block = self.rows or block_rows(self.product)
        whole = rows // block
        strides = self._strides(targets)
        self._add(chain, targets, strides, 0, block, whole)
        # At no time does a block have a single row, whose product would be another loop's.
        if rows - whole * block:
            self._add(chain, targets, strides, whole * block, rows - whole * block, 1)
        return chain.finish()

    def _strides(self, targets: Sequence[Target]) -> dict[Any, list[int]]:
        """The strides of what the loop writes and reads over columns, rows and batches, in elements."""
        found: dict[Any, list[int]] = {}
        for k, target in enumerate(targets):
            found["out", k] = self._over_result(target)
        for k in self.epilogue.reads:
            if k is not None:
                found["in", k] = self._over_result(self.inputs[k])
        return found

    def _over_result(self, operand: Target) -> list[int]:
        strides = strides_over(self.epilogue.size, self.product, operand)
        assert strides is not None, "the loop's operands were looked at before"
        return strides

    def _add(
        self, chain: ChainBuilder, targets: Sequence[Target], strides: dict[Any, list[int]],
        first: int, rows: int, count: int,
    ) -> None:  # fmt: skip
        """Blocks of so many rows, from a row on."""
        product = self.product
        depth, columns, _, *batch = product.shape
        outer = OuterLoop(chain, [count, *batch])

        def add(place: Any, tensor: Target, own: Sequence[int], row: int) -> None:
            """An operand, whose strides are those along rows and batches."""
            item = facts(tensor)[2].itemsize
            steps = [own[row] * rows * item, *(s * item for s in own[row + 1 :])]
            outer.add_operand(place, steps, own[row] * first * item)

        ins = []
        for k, (tensor, own) in enumerate(zip(product.inputs, product.strides)):
            add(("in", k), tensor, own, 2)
            ins.append(View(("in", k), tensor, own[:3]))
        for place, own in strides.items():
            add(place, (targets if place[0] == "out" else self.inputs)[place[1]], own, 1)
        kind = product.specs[0][2]
        if self.keeps:
            made = View(("out", 0), targets[0], [0, *strides["out", 0][:2]])
        else:
            template, place = outer.add_scratch((rows, columns), kind)
            made = View(place, template, [0, 1, columns])
        block = dataclasses.replace(product, shape=(depth, columns, rows), result=(2, 1))
        block.add_kernel(outer, block.shape, made, ins, kind)
        self._add_loop(outer, targets, strides, made, (rows, columns))
        outer.finish()

    def _add_loop(
        self, outer: OuterLoop, targets: Sequence[Target], strides: dict[Any, list[int]], made: View,
        block: Ints,
    ) -> None:  # fmt: skip
        """The loop on a block."""

        def seen(tensor: Target, own: Sequence[int]) -> Template:
            return Template(sizes.intern(block), (own[1], own[0]), facts(tensor)[2])

        written = [("out", k) for k in range(int(self.keeps), len(targets))]
        outs = [seen(targets[k], strides["out", k]) for _, k in written]
        places, ins = [], []
        for k in self.epilogue.reads:
            if k is None:
                places.append(made.place)
                ins.append(seen(made.tensor, made.strides[1:]))
            else:
                places.append(("in", k))
                ins.append(seen(self.inputs[k], strides["in", k]))
        outer.add(self.epilogue.make(outs, ins), [*written, *places])


def may_have_epilogue(product: Product) -> bool:
    """Whether a product can be computed in blocks of rows, and its result is larger than the cache."""
    kind = product.specs[0][2]
    depth, columns, rows, *batch = product.shape
    if kind not in (dtypes.float32, dtypes.float64) or min(depth, columns) < 2:
        return False
    is_large = math.prod(product.shape[1:]) * kind.itemsize >= LARGE_BYTES
    block = FEWEST_ROWS * columns * kind.itemsize
    return is_large and rows >= 2 * FEWEST_ROWS and block <= 4 * BLOCK_BYTES


def block_rows(product: Product) -> int:
    """How many rows a block has: about as many as fit, an even share of all."""
    _, columns, rows, *batch = product.shape
    most = BLOCK_BYTES // (columns * product.specs[0][2].itemsize)
    share = -(-rows // threads.get_size()) if math.prod(batch) < threads.get_size() else rows
    block = max(FEWEST_ROWS, min(most, share))
    count = -(-rows // block)
    block = -(-rows // count)
    return block if rows % block != 1 else block + 1


def strides_over(size: Ints, product: Product, operand: Target) -> list[int] | None:
    """An operand's strides over the columns, rows and batches of a product's result, in elements.

    None if it has none, since the rows of the result are several dimensions for the loop.

    Args:
        size: of the result as the loop sees it
        product: the product
        operand: what broadcasts to the size
    """
    own, stride, _ = facts(operand)
    found = geometry.expanded_strides(size, own, stride)
    if len(size) == len(product.result):
        return list(reversed(found))
    *leading, column = found
    for k in range(len(leading) - 1):
        if size[k] != 1 and leading[k] != leading[k + 1] * size[k + 1]:
            return None
    return [column, leading[-1]]
