"""Small tensors of random numbers as plans: what a call drew and computed, ready to be done again.

While such a call runs for the first time, every step of it is noted: words drawn from a generator
are a loop too, whose operand is the generator's state. If all that was done fills the one result,
the steps become a plan, or a loop on the tensor that was given, and the call cache repeats it.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import objects
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.generator import Generator
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.loops import plans
from rushlight.engine.loops.plan import Chain, Loop, Plan
from rushlight.engine.native import heap_types, mersenne, rejection
from rushlight.engine.native.lowlevel import Function
from rushlight.engine.ops.kinds.elementwise import copy_loop, shaped

# A plan keeps the interpreter locked while it draws, so that no other thread does.
MOST_ELEMENTS = 1 << 14

# A loop and its tensors, the written one first.
Step = tuple[Loop, tuple[Tensor, ...]]


class Trace(threading.local):
    """The steps of the call that this thread notes, if any; None in their place if one is unknown."""

    steps: list[Step | None] | None = None
    # How often a stream was asked for, and how often a step drew from it.
    uses = draws = 0


_trace = Trace()
_NUMBERS: dict[int, Any] = {
    objects.FLOAT32_OPERAND: ctypes.c_float, objects.FLOAT64_OPERAND: ctypes.c_double,
    objects.INT_OPERAND: ctypes.c_int64,
}  # fmt: skip
# Functions of the stream that are steps of a plan, and the kernels that call them.
_KERNELS: dict[Function, Function] = {
    mersenne.draw: mersenne.draw_kernel, mersenne.normals: mersenne.normals_kernel,
    mersenne.permutation: mersenne.permutation_kernel,
    mersenne.normal_blocks: mersenne.normal_blocks_kernel,
    mersenne.exponentials: mersenne.exponentials_kernel,
}  # fmt: skip


def note_use() -> None:
    """Note that something is about to draw."""
    _trace.uses += 1


def note_unknown() -> None:
    """Note that something was done that is no loop."""
    if _trace.steps is not None:
        _trace.steps.append(None)


def note_loop(loop: Loop, operands: Sequence[Any]) -> None:
    """Note that a loop ran on tensors and numbers."""
    if _trace.steps is not None:
        given = tuple(x for x in operands if isinstance(x, Tensor))
        _trace.steps.append((_with_numbers(loop, operands), given))


def note_drawn(
    function: Function, generator: Generator, target: Tensor, numbers: Sequence[float] = ()
) -> None:
    """Note that a function of the stream filled a tensor."""
    if _trace.steps is None:
        return
    kernel = _KERNELS.get(function)
    if kernel is None:
        note_unknown()
        return
    _trace.draws += 1
    held = [(ctypes.c_double * 1)(n) for n in numbers]
    constants = [generator.address, *map(ctypes.addressof, held)]
    kinds = [(objects.TENSOR_OPERAND, target._dtype.itemsize)]
    kinds += [(objects.CONSTANT_OPERAND, 8)] * len(constants)
    loop = Loop(
        rejection.module.address(kernel), [target._numel], [[0]] * len(kinds), kinds, 1, [], 0,
        [0, *constants], (held, generator),
    )  # fmt: skip
    _trace.steps.append((loop, (target,)))


def note_called(
    kernel: Function, generator: Generator, operands: Sequence[Tensor], words: Sequence[int]
) -> None:
    """Note that a kernel drew: its operands are tensors, the first one written, the generator, words."""
    if _trace.steps is None:
        return
    _trace.draws += 1
    table = (ctypes.c_int64 * len(words))(*words)
    constants = [generator.address, ctypes.addressof(table)]
    kinds = [(objects.TENSOR_OPERAND, x._dtype.itemsize) for x in operands]
    kinds += [(objects.CONSTANT_OPERAND, 8)] * len(constants)
    loop = Loop(
        rejection.module.address(kernel), [1], [[0]] * len(kinds), kinds, 1, [], 0,
        [*[0] * len(operands), *constants], (table, generator),
    )  # fmt: skip
    _trace.steps.append((loop, tuple(operands)))


def note_copy(target: Tensor, source: Tensor) -> None:
    """Note that a tensor was copied to another one."""
    if _trace.steps is not None:
        whole, other = (shaped(t._size, t._stride, t._dtype) for t in (target, source))
        _trace.steps.append((copy_loop(whole, other), (target, source)))


def _with_numbers(loop: Loop, operands: Sequence[Any]) -> Loop:
    """A loop that holds the numbers which it would be given."""
    given = iter(operands)
    kinds, offsets, held = [], [], []
    own = loop.offsets or (0,) * len(loop.kinds)
    for (how, itemsize), offset in zip(loop.kinds, own):
        operand = None if how == objects.CONSTANT_OPERAND else next(given)
        if how in _NUMBERS:
            held.append((_NUMBERS[how] * 1)(operand))
            how, offset = objects.CONSTANT_OPERAND, ctypes.addressof(held[-1])
        kinds.append((how, itemsize))
        offsets.append(offset)
    return Loop(
        loop.kernel, loop.sizes, loop.strides, kinds, loop.kernel_dims, loop.splittable, loop.work,
        offsets, (loop, held),
    )  # fmt: skip


def remembered(fill: Callable[[], Tensor]) -> Tensor:
    """Make and fill a tensor from the default generator; note it as a plan if it is one."""
    if plans.recording.steps is None or not heap_types.supported():
        return fill()
    result, noted = _traced(fill)
    plan = None if noted is None else _plan_of(noted, result)
    if plan is None:
        plans.note_other()
        return result
    return plans.note_plan(plan, (), result)  # type: ignore[no-any-return]


def written(
    target: Tensor, fill: Callable[[], Tensor], generator: Any, given: Sequence[Tensor] = ()
) -> Tensor:
    """Fill a tensor, perhaps by other tensors; note that as a loop on them if it is one."""
    if generator is not None or plans.recording.steps is None or not heap_types.supported():
        return fill()
    result, noted = _traced(fill)
    chain = None if noted is None else _loop_of(noted, [target, *given])
    if chain is None:
        plans.note_other()
    else:
        plans.note_loop(chain, (target, *given), 1)
    return result


def _traced(fill: Callable[[], Tensor]) -> tuple[Tensor, list[Step | None] | None]:
    """What a function fills, and its steps; None in their place if it drew in an unknown way."""
    outer = plans.recording.steps
    plans.recording.steps, _trace.steps = None, []
    _trace.uses = _trace.draws = 0
    try:
        result = fill()
        noted = _trace.steps
    finally:
        plans.recording.steps, _trace.steps = outer, None
    return result, noted if _trace.uses <= _trace.draws else None


def _loop_of(steps: Sequence[Step | None], known: Sequence[Tensor]) -> Chain | None:
    """The steps as loops on known tensors; what they use besides stays in memory of its own."""
    if not steps or None in steps or not 0 < known[0]._numel <= MOST_ELEMENTS:
        return None
    places = {id(tensor._storage): k for k, tensor in reversed(list(enumerate(known)))}
    if all(step is None or places.get(id(step[1][0]._storage)) != 0 for step in steps):
        return None
    links = []
    for step in steps:
        assert step is not None
        loop, operands = step
        at = [places.get(id(x._storage), -1) for x in operands]
        links.append((_held(loop, operands, known, at), [place for place in at if place >= 0]))
    padded = [(loop, [*at, *[0] * (len(loop.kinds) - len(at))]) for loop, at in links]
    return Chain(len(known), padded, draws=True)


def _held(
    loop: Loop, operands: Sequence[Tensor], known: Sequence[Tensor], at: Sequence[int]
) -> Loop:
    """A loop whose operands are known tensors; where the others lie is part of it."""
    given = iter(zip(operands, at))
    kinds, offsets, own = [], [], loop.offsets or (0,) * len(loop.kinds)
    for (how, itemsize), offset in zip(loop.kinds, own):
        if how != objects.CONSTANT_OPERAND:
            tensor, place = next(given)
            if place < 0:
                how, offset = objects.CONSTANT_OPERAND, offset + tensors.data_pointer(tensor)
            else:
                offset += (tensor._offset - known[place]._offset) * itemsize
        kinds.append((how, itemsize))
        offsets.append(offset)
    return Loop(
        loop.kernel, loop.sizes, loop.strides, kinds, loop.kernel_dims, loop.splittable, loop.work,
        offsets, (loop, list(operands)),
    )  # fmt: skip


def _plan_of(steps: Sequence[Step | None], result: Tensor) -> Plan | None:
    is_plain = type(result) is Tensor and result._keys == key_bits.CPU and not result._offset
    if not steps or not is_plain or not 0 < result._numel <= MOST_ELEMENTS:
        return None
    templates = [Template(result._size, result._stride, result._dtype)]
    if all(step is None or step[1][0]._storage is not result._storage for step in steps):
        return None
    places = {id(result._storage): 0}
    links = []
    for step in steps:
        if step is None:
            return None
        loop, operands = step
        for operand in operands:
            if id(operand._storage) not in places:
                places[id(operand._storage)] = len(templates)
                template = Template(sizes.intern(operand._size), operand._stride, operand._dtype)
                templates.append(template)
        shifts = iter([x._offset * x._dtype.itemsize for x in operands])
        constant = objects.CONSTANT_OPERAND
        moved = loop.moved([0 if how == constant else next(shifts) for how, _ in loop.kinds])
        positions = [places[id(x._storage)] for x in operands]
        links.append((moved, [*positions, *[0] * (len(loop.kinds) - len(positions))]))
    return Plan(Chain(len(templates), links, draws=True), templates, len(templates) - 1)
