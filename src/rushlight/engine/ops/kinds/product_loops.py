"""The loops of products of matrices: the generated kernel, and the one for AMX, bound to sizes and strides."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.engine.core import objects, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template
from rushlight.engine.loops.amx_kernel import BLOCK as AMX_BLOCK
from rushlight.engine.loops.amx_kernel import amx_ir
from rushlight.engine.loops.kernels import kernel_address
from rushlight.engine.loops.matmul_kernel import matmul_ir
from rushlight.engine.loops.plan import Loop
from rushlight.engine.ops.kinds.nested_loops import facts
from rushlight.engine.ops.kinds.planned import Target
from rushlight.engine.ops.kinds.product_ways import BY_SIZES, Way

Ints = tuple[int, ...]
# A processor computes about so many operations of 4 bytes in the time that it moves a byte.
OPERATIONS_PER_BYTE = 8
_NUMBERS: dict[str, Any] = {
    "f32": ctypes.c_float, "f64": ctypes.c_double, "i8": ctypes.c_int8, "i16": ctypes.c_int16,
    "i32": ctypes.c_int32, "i64": ctypes.c_int64, "u8": ctypes.c_uint8,
}  # fmt: skip


class View:
    """An operand's place among a plan's, and its strides over the product's shape."""

    def __init__(self, place: Any, tensor: Target, strides: Sequence[int]) -> None:
        self.place = place
        self.tensor = tensor
        self.strides = list(strides)

    def copy(self) -> View:
        return View(self.place, self.tensor, self.strides)

    def swapped(self) -> View:
        """With rows and columns exchanged."""
        k, n, m, *batch = self.strides
        return View(self.place, self.tensor, [k, m, n, *batch])

    def over(self, shape: Ints, first: int = 0) -> Any:
        """The operand as loops see it, over the shape's dimensions from ``first`` on."""
        kind = facts(self.tensor)[2]
        return Template(sizes.intern(shape[first:]), tuple(self.strides[first:]), kind)


class LoopBehind(NamedTuple):
    """A loop that runs on each block of a product as soon as that is complete.

    Args:
        loop: over one row of elements
        operands: what it writes and reads, over the product's shape
    """

    loop: Loop
    operands: list[View]


def matrix_loop(
    kinds: Sequence[dtype],
    kind: dtype,
    shape: Sequence[int],
    strides: Sequence[Sequence[int]],
    alpha: Any = 1,
    beta: Any = 1,
    pairs: bool = False,
    offsets: Sequence[int] = (),
    way: Way = BY_SIZES,
    behind: LoopBehind | None = None,
) -> Loop:
    """The loop of a product by the generated kernel; see `matmul_ir` for what it asks.

    Args:
        kinds: the types of the operands' tensors
        kind: the type that is computed in
        shape: the sizes of k, n, m and of the batch's dimensions
        strides: those of C, X if there is one, A and B over the shape, in elements
        alpha: the factor of the product
        beta: the factor of X
        pairs: whether the factors are pairs of bf16
        offsets: where each operand begins, in elements
        way: how it is computed
        behind: another loop, on each block of the result
    """
    item, memory = kind.itemsize, kind.memory
    numbers = (_NUMBERS[memory] * 2)(alpha, beta)
    turned = shape[1] > 1 and strides[-1][1] != 1
    starts = [n * item for n in offsets] or [0] * len(strides)
    steps = [*([s * item for s in x] for x in strides), [0] * len(shape)]
    operands = [(objects.TENSOR_OPERAND, k.itemsize) for k in kinds]
    operands.append((objects.CONSTANT_OPERAND, item))
    starts.append(symbolic.memory(numbers))
    work = 2 * math.prod(shape) * item // (4 * OPERATIONS_PER_BYTE)
    keep: tuple[Any, ...] = (numbers,)
    if behind is not None:
        items = [facts(x.tensor)[2].itemsize for x in behind.operands]
        code = symbolic.words([behind.loop.kernel])
        steps += [[s * n for s in x.strides] for x, n in zip(behind.operands, items)]
        steps.append([0] * len(shape))
        operands += [*((objects.TENSOR_OPERAND, n) for n in items), (objects.CONSTANT_OPERAND, 8)]
        starts += [*(0 for _ in items), ctypes.addressof(code)]
        work += behind.loop.work * math.prod(shape[2:])
        keep = numbers, code, behind.loop
    return Loop(
        kernel_address(
            matmul_ir,
            memory,
            turned,
            len(strides) > 3,
            None,
            pairs,
            None if turned else way.packs,
            way.stacks,
            0 if behind is None else len(behind.operands),
        ),
        shape,
        steps,
        operands,
        3,
        way.shared_dims(len(shape)),
        work,
        starts,
        keep,
        # every part packs its operands for itself
        shares=1,
    )


def amx_loop(
    kinds: Sequence[dtype],
    shape: Sequence[int],
    strides: Sequence[Sequence[int]],
    alpha: Any = 1,
    beta: Any = 1,
    runs: tuple[int, int] | None = None,
    offsets: Sequence[int] = (),
) -> Loop:
    """The loop of a product of bf16 on AMX; see `amx_ir` for what it asks.

    The arguments are those of `matrix_loop`; ``runs`` says how many elements each run of A has, and
    how many there are from one run to the next.
    """
    turned = strides[-1][1] != 1
    run, jump = runs or (AMX_BLOCK, AMX_BLOCK)
    block = run * max(1, AMX_BLOCK // run)
    factors = struct.unpack("q", struct.pack("ff", alpha, beta))
    numbers = symbolic.words([*factors, run, 2 * jump, block])
    items = [kind.itemsize for kind in kinds]
    starts = [n * item for n, item in zip(offsets, items)] or [0] * len(items)
    return Loop(
        kernel_address(amx_ir, kinds[0].memory, turned, len(strides) > 3),
        shape,
        [*([s * n for s in x] for x, n in zip(strides, items)), [0] * len(shape)],
        [*((objects.TENSOR_OPERAND, n) for n in items), (objects.CONSTANT_OPERAND, 4)],
        3,
        range(1, len(shape)),
        math.prod(shape) // (2 * OPERATIONS_PER_BYTE),
        [*starts, ctypes.addressof(numbers)],
        numbers,
        shares=1,
    )
