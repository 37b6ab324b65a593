"""Loops behind products of matrices and convolutions: on each part of the result as soon as it is complete.

A result that is larger than the cache would be written to memory by the product, and read again by the loop behind it. The kernel
of the product calls that of the loop instead, for each row of tiles (`matmul_kernel`). A convolution that does images one after the
other does the loop behind each (`windows/epilogues`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core.tensor import Template
from rushlight.engine.loops import geometry
from rushlight.engine.loops.plan import Loop
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, facts
from rushlight.engine.ops.kinds.planned import Built, Request, Spec, Target
from rushlight.engine.ops.kinds.products import LoopBehind, Product, View

# Smaller results stay in the cache by themselves.
LARGE_BYTES = 1 << 20
# Shorter rows are too little for a call of a kernel. Of longer ones a block has a part only: then what else is as large as
# the result is read in short pieces, far apart, which takes longer than to read it in one go.
FEWEST_COLUMNS, MOST_COLUMNS = 128, 576

Ints = tuple[int, ...]


@dataclass
class Epilogue:
    """A loop over the elements of a result.

    Args:
        make: the loop over one part of it, of what it writes and reads, as templates
        reads: the operands that it reads: places among a request's inputs, or None for the result
        size: of the result as the loop sees it
    """

    make: Callable[[list[Template], list[Template]], Loop]
    reads: Sequence[int | None]
    size: Ints


@dataclass
class WithLoop(Request):
    """What a request asks for, and a loop behind it.

    Args:
        before: the request, whose inputs are the first ones
        inputs: these, and what the loop reads besides
        specs: those of the request, if its result is wanted, too, and those of what the loop writes
        epilogue: the loop
        keeps: whether the request's result is wanted
    """

    before: Any
    inputs: tuple[Any, ...]
    specs: list[Spec]
    epilogue: Epilogue
    keeps: bool = False

    # For kinds of requests, what has a loop behind them.
    of_request: ClassVar[dict[type, type[WithLoop]]] = {}

    @classmethod
    def is_possible(cls, before: Any) -> bool:
        """Whether a loop may be behind each part of a request, and the result is larger than the cache."""
        raise NotImplementedError

    @classmethod
    def gains(cls, before: Any, size: Ints, besides: Sequence[Target]) -> bool:
        """Whether a loop behind each part takes less time than behind the whole.

        Args:
            before: the request
            size: of its result as the loop sees it
            besides: what the loop reads besides
        """
        return cls.is_possible(before)

    @classmethod
    def strides(cls, before: Any, size: Ints, operand: Target) -> list[int] | None:
        """A loop's operand over the request's result, in elements; None if it cannot be cut into parts as that."""
        raise NotImplementedError

    def _places(self, targets: Sequence[Target]) -> tuple[list[Any], list[Any]]:
        """What the loop writes, and what it reads besides: places and tensors."""
        written = [(("out", k), t) for k, t in enumerate(targets) if k or not self.keeps]
        read = [None if k is None else (("in", k), self.inputs[k]) for k in self.epilogue.reads]
        return written, read

    def _result(self, chain: ChainBuilder, targets: Sequence[Target]) -> tuple[Any, Target]:
        """Where the request's result is: a result, the place of the loop's only result, or scratch memory."""
        size, stride, kind = self.before.specs[0]
        own_kind = facts(targets[0])[2]
        if self.keeps:
            return ("out", 0), targets[0]
        strides = self.strides(self.before, self.epilogue.size, targets[0])
        plain = self.strides(self.before, size, Template(sizes.intern(size), stride, kind))
        if len(targets) == 1 and own_kind is kind and strides == plain:
            return ("out", 0), targets[0]
        template, place = chain.add_scratch(size, kind)
        return place, template


@dataclass
class ProductAndLoop(WithLoop):
    """A product of matrices, and the loop behind each row of its tiles."""

    before: Product

    @classmethod
    def is_possible(cls, before: Product) -> bool:
        kind = before.specs[0][2]
        if kind not in (dtypes.float32, dtypes.float64) or min(before.shape[:3]) < 2:
            return False
        return bool(math.prod(before.shape[1:]) * kind.itemsize >= LARGE_BYTES)

    @classmethod
    def gains(cls, before: Product, size: Ints, besides: Sequence[Target]) -> bool:
        columns = before.shape[1]
        if not cls.is_possible(before) or columns < FEWEST_COLUMNS:
            return False
        return columns <= MOST_COLUMNS or all(facts(x)[0] != size for x in besides)

    @classmethod
    def strides(cls, before: Product, size: Ints, operand: Target) -> list[int] | None:
        """Over the columns, rows and batches; all but the last dimension of the size may be the rows."""
        own, stride, _ = facts(operand)
        found = geometry.expanded_strides(size, own, stride)
        if len(size) == len(before.result):
            return list(reversed(found))
        *leading, column = found
        for k in range(len(leading) - 1):
            if size[k] != 1 and leading[k] != leading[k + 1] * size[k + 1]:
                return None
        return [column, leading[-1]]

    def build(self, targets: Sequence[Target]) -> Built:
        chain = ChainBuilder(len(targets), len(self.inputs))
        product = self.before
        places, read_places = self._places(targets)
        place, tensor = self._result(chain, targets)
        made = View(place, tensor, [0, *reversed(product.specs[0][1])])
        written = [self._seen(*x) for x in places]
        read = [made if x is None else self._seen(*x) for x in read_places]
        columns = product.shape[1]
        loop = self.epilogue.make(*([_row(x, columns) for x in xs] for xs in (written, read)))
        ins = [
            View(("in", k), t, s) for k, (t, s) in enumerate(zip(product.inputs, product.strides))
        ]
        behind = LoopBehind(loop, [*written, *read])
        product.add_kernel(chain, product.shape, made, ins, product.specs[0][2], behind)
        return chain.finish()

    def _seen(self, place: Any, operand: Target) -> View:
        """An operand of the loop over the product's shape."""
        strides = self.strides(self.before, self.epilogue.size, operand)
        assert strides is not None, "the loop's operands were looked at before"
        return View(place, operand, [0, *strides])


WithLoop.of_request[Product] = ProductAndLoop


def _row(x: View, columns: int) -> Template:
    """One row of an operand over a product's shape."""
    return Template(sizes.intern((columns,)), (x.strides[1],), facts(x.tensor)[2])
