"""Loops behind products of matrices: on each block of the result as soon as it is complete.

A result that is larger than the cache would be written to memory by the product, and read again by the loop behind it. The kernel
of the product calls that of the loop instead, for each band of rows and chunk of columns (`matmul_kernel`).
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
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, facts
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target
from rushlight.engine.ops.kinds.product_loops import LoopBehind, View
from rushlight.engine.ops.kinds.products import Product

# Smaller results stay in the cache by themselves.
LARGE_BYTES = 1 << 20
# Shorter rows are too little for a call of a kernel. Of longer ones a block has a part only: then what else is as large as
# the result is read in short pieces, far apart, which takes longer than to read it in one go.
FEWEST_COLUMNS, MOST_COLUMNS = 128, 576

Ints = tuple[int, ...]


@dataclasses.dataclass
class Epilogue:
    """A loop over the elements of a product's result.

    Args:
        make: the loop over one row, of what it writes and reads, as templates
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
        keeps: whether the product is wanted
    """

    product: Product
    inputs: tuple[Any, ...]
    specs: list[Spec]
    epilogue: Epilogue
    keeps: bool = False

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(len(targets), len(self.inputs))
        product = self.product
        written = [self._seen(("out", k), t) for k, t in enumerate(targets) if k or not self.keeps]
        made = self._made(chain, targets[0], written)
        given = [("in", k) for k in range(len(self.inputs))]
        ins = [View(p, t, s) for p, t, s in zip(given, product.inputs, product.strides)]
        read = [
            made if k is None else self._seen(given[k], self.inputs[k]) for k in self.epilogue.reads
        ]
        columns = product.shape[1]
        loop = self.epilogue.make(*([_row(x, columns) for x in xs] for xs in (written, read)))
        behind = LoopBehind(loop, [*written, *read])
        kind = product.specs[0][2]
        product.add_kernel(chain, product.shape, made, ins, kind, behind)
        return chain.finish()

    def _made(self, chain: ChainBuilder, first: Target, written: Sequence[View]) -> View:
        """Where the product is: a result, the place of the loop's only result, or scratch memory."""
        size, stride, kind = self.product.specs[0]
        own = [0, *reversed(stride)]
        if self.keeps:
            return View(("out", 0), first, own)
        if len(written) == 1 and facts(first)[2] is kind and written[0].strides == own:
            return written[0]
        template, place = chain.add_scratch(size, kind)
        return View(place, template, own)

    def _seen(self, place: Any, operand: Target) -> View:
        """An operand of the loop over the product's shape."""
        strides = strides_over(self.epilogue.size, self.product, operand)
        assert strides is not None, "the loop's operands were looked at before"
        return View(place, operand, [0, *strides])


def _row(x: View, columns: int) -> Template:
    """One row of an operand over a product's shape."""
    return Template(sizes.intern((columns,)), (x.strides[1],), facts(x.tensor)[2])


def may_have_epilogue(product: Product) -> bool:
    """Whether a loop may be behind each block of a product, and the result is larger than the cache."""
    kind = product.specs[0][2]
    if kind not in (dtypes.float32, dtypes.float64):
        return False
    if min(product.shape[:3]) < 2:
        return False
    return bool(math.prod(product.shape[1:]) * kind.itemsize >= LARGE_BYTES)


def gains(product: Product, size: Ints, besides: Sequence[Target]) -> bool:
    """Whether a loop behind each block of a product takes less time than behind the whole.

    Args:
        product: the product
        size: of its result as the loop sees it
        besides: what the loop reads besides
    """
    columns = product.shape[1]
    if not may_have_epilogue(product) or columns < FEWEST_COLUMNS:
        return False
    return columns <= MOST_COLUMNS or all(facts(x)[0] != size for x in besides)


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
