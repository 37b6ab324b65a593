"""Products of whole numbers of eight bits, and what is made of their sums.

One factor has no sign, the other one has: so the processor's instructions want it. The second factor is
laid out once for many products (`Factor`): four neighbours along the sum lie together, and blocks
of as many columns as a tile is wide lie one behind the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.expr import Value
from rushlight.engine.loops.matmul_tile import Tiles
from rushlight.engine.loops.plan import Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.loops.target import host_target
from rushlight.engine.ops import bridge
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder
from rushlight.engine.ops.kinds.product_loops import matrix_loop
from rushlight.engine.ops.kinds.views import cpu, meta

# So many bytes of a sum lie together.
QUAD = 4


def block_width() -> int:
    """How many columns a block of the second factor has."""
    return Tiles("i32", host_target(), True).width


class Factor:
    """The second factor of products: its numbers as the kernel reads them, and their sums.

    Args:
        numbers: an array of int8 of size [columns, depth]
    """

    def __init__(self, numbers: Any) -> None:
        columns, depth = numbers.shape
        self.columns, self.depth = columns, depth
        width = block_width()
        blocks, quads = -(-columns // width), -(-depth // QUAD)
        padded = np.zeros((blocks * width, quads * QUAD), np.int8)
        padded[:columns, :depth] = numbers
        laid = padded.reshape(blocks, width, quads, QUAD).transpose(0, 2, 1, 3)
        held = np.ascontiguousarray(laid).view(np.int32).reshape(blocks, quads, width)
        self.blocks, self.quads, self.width = blocks, quads, width
        self.packed = bridge.tensor_of(held)
        # What each column sums up to.
        self.sums = numbers.sum(1, dtype=np.int32)


def with_whole_quads(numbers: Tensor) -> Tensor:
    """Rows of bytes, of which each begins at a multiple of four and is as long as one."""
    depth = numbers._size_[1]
    stride, offset = numbers._stride_, numbers._offset_
    fits = depth % QUAD == 0 and offset % QUAD == 0 and stride[1] == 1
    if fits and (stride[0] % QUAD == 0 or numbers._size_[0] == 1):
        return numbers
    padded = np.zeros((numbers._size_[0], -(-depth // QUAD) * QUAD), np.uint8)
    padded[:, :depth] = bridge.array(numbers)
    return bridge.tensor_of(padded)


_plans = PlanTable()


def produced(
    name: Any,
    rows: Tensor,
    factor: Factor,
    kind: dtypes.dtype,
    finish: Callable[..., Value],
    beside: Sequence[Any] = (),
) -> Tensor:
    """What a function makes of the sums of a product, and of tensors and numbers beside them.

    Args:
        name: what tells the function from others
        rows: the first factor, bytes without a sign, as `with_whole_quads` gives them
        factor: the second one
        kind: the type of the result, which has a row for each row and a column for each column
        finish: the function: it gets a sum and what is beside it
        beside: tensors that stretch to the result's sizes, and numbers
    """
    steps.Unrepeatable.note()
    key = (
        name, kind, rows._size_, rows._stride_, factor.columns,
        *((t._flags_, t._size_) if isinstance(t, Tensor) else type(t) for t in beside),
    )  # fmt: skip
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = _planned(name, rows, factor, kind, finish, beside)
    return plan.produce(rows, factor.packed, *beside)  # type: ignore[no-any-return]


def _planned(
    name: Any,
    rows: Tensor,
    factor: Factor,
    kind: dtypes.dtype,
    finish: Callable[..., Value],
    beside: Sequence[Any],
) -> Plan:
    count, columns = rows._size_[0], factor.columns
    size = sizes.intern((count, columns))
    target = Template(size, sizes.contiguous_strides(size), kind)
    chain = ChainBuilder(1, 2 + len(beside))
    line = factor.blocks * factor.width
    template, place = chain.add_scratch((count, line), dtypes.int32)
    if count and columns:
        chain.add(_sums(rows, factor, line), [place, ("in", 0), ("in", 1), 0])
        seen = Template(size, template.stride, dtypes.int32)
        ins, params = ["i32"], ["i32"]
        for operand in beside:
            memory = operand._dtype_.memory if isinstance(operand, Tensor) else _memory(operand)
            ins.append(memory)
            params.append("i32" if memory == "i64" else memory)
        loop = elementwise_loop(
            finish, [target], [seen, *beside], [kind.memory], ins, params, identity=(name, kind)
        )
        given = [("in", 2 + k) for k in range(len(beside))]
        chain.add(loop, [("out", 0), place, *given])
    loop_, scratch = chain.finish() if chain.links else (None, [])
    return Plan(loop_, [target, *scratch], len(scratch))


def _memory(number: Any) -> str:
    return "f32" if isinstance(number, float) else "i64"


def _sums(rows: Tensor, factor: Factor, line: int) -> Any:
    """The loop of the product itself: for each block of columns, all rows."""
    bytes_, words = dtypes.uint8, dtypes.int32
    quads, width = factor.quads, factor.width
    shape = [quads, width, rows._size_[0], factor.blocks]
    step = rows._stride_[0] // QUAD
    strides = [[0, 1, line, width], [1, 0, step, 0], [width, 1, 0, quads * width]]
    return matrix_loop([words, bytes_, words], words, shape, strides, pairs=True)


# -- plain products --


@cpu("_int_mm")
def int_mm(self: Tensor, mat2: Tensor) -> Tensor:
    check_int_mm(self, mat2)
    from rushlight.engine.calls import pointwise
    from rushlight.engine.calls import view as views

    steps.Unrepeatable.note()
    factor = Factor(np.ascontiguousarray(bridge.array(mat2).T))
    shift = 0
    numbers = self
    if self._dtype_ is dtypes.int8:
        # As bytes without a sign, 128 more each: what that adds to the sums is taken off again.
        flipped = pointwise.bitwise_xor_Scalar(self, -128)
        numbers, shift = views.view_dtype(flipped, dtypes.uint8), 128
    correction = bridge.tensor_of(-shift * factor.sums.reshape(1, -1))
    return produced(
        "int_mm", with_whole_quads(numbers), factor, dtypes.int32, lambda s, c: s + c, [correction]
    )


@cpu("_int_mm.out")
def int_mm_out(self: Tensor, mat2: Tensor, out: Tensor) -> Tensor:
    from rushlight.engine.ops.kinds import outputs

    return outputs.copy_result(out, int_mm(self, mat2))


def check_int_mm(
    self: Tensor, mat2: Tensor, kinds: Sequence[Any] = (dtypes.int8, dtypes.uint8)
) -> None:
    """The operands of a product of whole numbers, of some types."""
    for name, matrix in (("self", self), ("mat2", mat2)):
        if len(matrix._size_) != 2:
            raise RuntimeError(f"Expected {name} to be of dimension 2 but got {len(matrix._size_)}")
    if self._size_[1] != mat2._size_[0]:
        raise RuntimeError(
            f"self.size(1) needs to match mat2.size(0) but got {self._size_[1]} and {mat2._size_[0]}"
        )
    for name, matrix in (("self", self), ("mat2", mat2)):
        if matrix._dtype_ not in kinds:
            raise RuntimeError(f"expected {name}'s type to be int8, but got {matrix._dtype_}")


@meta("_int_mm")
def int_mm_alike(self: Tensor, mat2: Tensor) -> Tensor:
    """What the product gives without elements."""
    check_int_mm(self, mat2)
    size = (self._size_[0], mat2._size_[1])
    return tensors.empty(size, dtypes.int32, self._storage_.device)
