"""Vectors of whole numbers at even distances: what is computed from an element's position starts here.

A kernel's elements do not know where they are. Only the kernel below does, from their addresses.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, state, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Template
from rushlight.engine.loops.plan import Chain, Loop
from rushlight.engine.native.lowlevel import Module, load, store
from rushlight.engine.ops.kinds.elementwise import Constant, elementwise_loop

module = Module("positions")

# So many positions take up a quarter of a fast cache.
BLOCK = 1 << 10


@module.function
def count_up(pointers: int, numbers: int, strides: int) -> int:
    """Operands: where to write, where the vector starts, its first number, and the distance."""
    target = load(pointers)
    distance = load(load(pointers + 24))
    first = load(load(pointers + 16)) + (target - load(pointers + 8)) // 8 * distance
    for j in range(load(numbers)):
        store(target + j * 8, first + j * distance)
    return 0


def counting_loop(count: int, first: int = 0, distance: int = 1, to: int = 0) -> Loop:
    """The loop that writes int64 numbers, from one element on; both its operands are the vector."""
    planner = state.thread.planner
    if planner is not None:
        return planner.counting_loop(count, first, distance, to)  # type: ignore[no-any-return]
    words = [symbolic.words([number]) for number in (first, distance)]
    kinds = [(objects.TENSOR_OPERAND, 8)] * 2 + [(objects.CONSTANT_OPERAND, 8)] * 2
    offsets = [8 * to, 8 * to, *map(ctypes.addressof, words)]
    return Loop(
        module.address(count_up), [count], [[8], [0], [0], [0]], kinds, 1, [0], 8 * count, offsets,
        words,
    )  # fmt: skip


def counting_at(place: int, loop: Loop) -> tuple[Loop, list[int]]:
    """Such a loop as a link of a chain, where the vector is the operand at a place."""
    return loop, [place] * len(loop.kinds)


def vector(count: int) -> Template:
    """What a vector of positions looks like."""
    return tensors.template_for(sizes.intern((count,)), dtypes.int64)


def by_position(
    target: Template,
    body: Callable[..., Any],
    values: Sequence[Any],
    kind: str,
    identity: Any = None,
    first: int = 0,
    distance: int = 1,
) -> tuple[Chain, list[Template]]:
    """The loops that write ``body(position, *values)`` everywhere, and what scratch they need.

    Their operands are the target, the scratch, and the values that are plain numbers; values are of
    a kernel type. Positions may start with another number and be at another distance. Long vectors are written in blocks, so that the positions stay in the cache.
    """
    count = sizes.numel(target.size)
    is_cut = state.thread.planner is None and sizes.is_contiguous(target.size, target.stride)
    blocks = count // BLOCK if is_cut else 0
    types = ["i64", *[kind] * len(values)]
    memory = [target.dtype.memory]
    given = sum(not isinstance(value, Constant) for value in values)
    operands = 2 + given
    # What is no operand of the chain has a place that nobody looks at.
    numbers = [*range(2, operands), *[0] * (len(values) - given)]
    if not blocks:
        place = Template(target.size, sizes.contiguous_strides(target.size), dtypes.int64)
        loop = elementwise_loop(
            body, [target], [place, *values], memory, types, types, identity=identity
        )
        links = [counting_at(1, counting_loop(count, first, distance)), (loop, [0, 1, *numbers])]
        return Chain(operands, links), [vector(count)]

    def in_block(start: Any, place: Any, *given: Any) -> Any:
        return body(start + place, *given)

    # The scratch holds the positions in a block, and then where the blocks start.
    links = [
        counting_at(1, counting_loop(BLOCK, first, distance)),
        counting_at(1, counting_loop(blocks + 1, 0, BLOCK * distance, BLOCK)),
    ]
    rest = count % BLOCK
    pieces = [(0, blocks, BLOCK)]
    if rest:
        pieces.append((blocks, 1, rest))
    for block, rows, length in pieces:
        shape = sizes.intern((rows, length))
        piece = Template(shape, (BLOCK, 1), target.dtype)
        starts, places = (Template(shape, stride, dtypes.int64) for stride in ((1, 0), (0, 1)))
        offsets = [block * BLOCK * target.dtype.itemsize, 8 * (BLOCK + block), 0]
        loop = elementwise_loop(
            in_block, [piece], [starts, places, *values], memory, ["i64", *types], ["i64", *types],
            [*offsets, *[0] * len(values)], identity and (in_block.__code__, identity),
        )  # fmt: skip
        links.append((loop, [0, 1, 1, *numbers]))
    return Chain(operands, links), [vector(BLOCK + blocks + 1)]
