"""Element-wise loops: a scalar function bound to the geometry of its operands."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, state, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.loops import geometry, promotion
from rushlight.engine.loops.expr import INTS
from rushlight.engine.loops.function_loop import Nest, function_loop
from rushlight.engine.loops.identity import Written, identity_of
from rushlight.engine.loops.kernels import described_address
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.map_kernel import lanes_for, program_ir, trace
from rushlight.engine.loops.plan import Loop, number_kind
from rushlight.engine.loops.target import host_target
from rushlight.engine.native.lowlevel import Function, Module

# Loops that move much more than fits in the caches write around them.
STREAM_BYTES = 1 << 25
# An operation on a vector takes about as long as moving so many bytes.
OPERATION_BYTES = 2


def _geometry_of(operand: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(operand, Tensor):
        return operand._size_, operand._stride_
    if isinstance(operand, (Template, Constant)):
        return operand.size, operand.stride
    return (), ()


_kernels: Written[tuple[int, int]] = Written()


def _written(
    body: Callable[..., Any],
    outs: Sequence[str],
    ins: Sequence[str],
    params: Sequence[str],
    letters: str,
    stream: bool,
) -> tuple[int, int]:
    """The address of a kernel, and what an element costs in bytes moved."""
    program = Program(trace(body, outs, ins, params), host_target())
    lanes = lanes_for(program, (*outs, *ins), host_target())
    kernel = described_address(
        f"map|{outs}{ins}{letters}{stream}|{host_target()}|{program.description()}",
        lambda: program_ir(program, outs, ins, letters, stream=stream),
    )
    return kernel, OPERATION_BYTES * program.cost // lanes


def elementwise_loop(
    body: Callable[..., Any],
    targets: Sequence[Any],
    operands: Sequence[Any],
    outs: Sequence[str],
    ins: Sequence[str],
    params: Sequence[str],
    offsets: Sequence[int] = (),
    identity: Hashable = None,
) -> Loop:
    """The loop of a scalar function over broadcast operands.

    Operands are tensors, templates, numbers (given again at each run) or `Constant`s. Functions of
    one ``identity`` do the same (see `identity_of`, where none is given): what was written for one
    of them serves the others.
    """
    memories = [dtypes.BY_MEMORY[m] for m in (*outs, *ins)]
    shape = _geometry_of(targets[0])[0]
    strides = [
        [s * d.itemsize for s in geometry.expanded_strides(shape, *_geometry_of(operand))]
        for operand, d in zip((*targets, *operands), memories)
    ]
    order = geometry.dimension_order(shape, [tuple(s) for s in strides])
    nest, steps = geometry.merge_dimensions(
        [shape[d] for d in order], [[s[d] for d in order] for s in strides]
    )
    everything = (*targets, *operands)
    kinds = [
        (_operand_kind(operand, memory), d.itemsize)
        for operand, memory, d in zip(everything, (*outs, *ins), memories)
    ]
    constants = [o for o in everything if isinstance(o, Constant)]
    if constants:
        given = offsets or [0] * len(everything)
        offsets = [o.address if isinstance(o, Constant) else n for o, n in zip(everything, given)]
    types = tuple(outs), tuple(ins), tuple(params)
    planner = state.thread.planner
    if planner is not None:
        return planner.map_loop(  # type: ignore[no-any-return]
            body, types, nest, steps, kinds, offsets, identity, constants
        )
    letters = stride_letters(nest, steps, [d.itemsize for d in memories])
    moved = sum(d.itemsize for d in memories)
    stream = letters.strip("cs") == "" and sizes.numel(shape) * moved >= STREAM_BYTES
    kernel, cost = _kernels.get(
        identity_of(body) if identity is None else identity,
        (types, letters, stream),
        lambda: _written(body, *types, letters, stream),
    )
    work = sizes.numel(shape) * max(moved, cost)
    splittable = range(max(len(nest), 2))
    return Loop(kernel, nest, steps, kinds, 2, splittable, work, offsets, constants)


def walking_loop(
    module: Module, function: Function, targets: Sequence[Any], operands: Sequence[Any], kind: dtype,
    element_work: int,
) -> Loop:  # fmt: skip
    """The loop of a function of the kernel language that walks one dimension of broadcast operands of one type.

    ``element_work`` is what an element costs, in bytes moved.
    """
    everything = (*targets, *operands)
    shape = _geometry_of(targets[0])[0]
    strides = [
        [s * kind.itemsize for s in geometry.expanded_strides(shape, *_geometry_of(operand))]
        for operand in everything
    ]
    order = geometry.dimension_order(shape, [tuple(s) for s in strides])
    nest, steps = geometry.merge_dimensions(
        [shape[d] for d in order], [[s[d] for d in order] for s in strides]
    )
    kinds = [(_operand_kind(operand, kind.memory), kind.itemsize) for operand in everything]
    work = sizes.numel(shape) * element_work
    steps = [x or [0] for x in steps]
    memories = [kind.memory] * len(kinds)
    shared = range(max(len(nest), 1))
    return function_loop(
        module, function, Nest(nest or [1], steps, kinds, 1, shared, memories), work
    )


def unchanged(x: Any) -> Any:
    """The scalar function of a copy."""
    return x


def fill_loop(target: Template, value: Any, to: int = 0) -> Loop:
    """The loop that writes one number everywhere, from one of the target's elements on."""
    compute = promotion.compute_type(target.dtype)
    held = Constant(value, compute)
    return elementwise_loop(
        unchanged, [target], [held], [target.dtype.memory], [compute], [compute],
        (to * target.dtype.itemsize, 0), unchanged,
    )  # fmt: skip


def copy_loop(target: Template, source: Template, to: int = 0, start: int = 0) -> Loop:
    """The loop that copies ``source`` from one element on to ``target`` from another one on."""
    kinds = [target.dtype, source.dtype]
    return elementwise_loop(
        unchanged, [target], [source], *copied_types(*kinds),
        (to * kinds[0].itemsize, start * kinds[1].itemsize), unchanged,
    )  # fmt: skip


def copied_types(target: dtype, source: dtype) -> tuple[list[str], list[str], list[str]]:
    """How a copying loop writes, reads and holds elements.

    A copy without a change of type moves bits: no element is interpreted.
    """
    if target is not source:
        return [target.memory], [source.memory], [promotion.compute_type(source)]
    same = "u8" if source in dtypes.FLOAT8 else source.memory
    return [same], [same], [same]


def shaped(size: Sequence[int], stride: Sequence[int], kind: dtype) -> Template:
    """Memory as loops see it."""
    return Template(sizes.intern(tuple(size)), tuple(stride), kind)


class Constant:
    """An operand that a plan owns: a tensor's elements, or a number in memory."""

    def __init__(self, value: Any, memory: str) -> None:
        if isinstance(value, Tensor):
            self.size, self.stride = value._size_, value._stride_
            self.address = tensors.data_pointer(value)
            self.keep: Any = value
            return
        self.size, self.stride = sizes.intern(()), ()
        if type(value) in symbolic.INTEGERS and memory in INTS:
            # It may follow from sizes.
            self.keep = symbolic.words([value])
            self.address = ctypes.addressof(self.keep)
            return
        if memory in ("f32", "f64") and type(value) in symbolic.NUMBERS:
            self.keep = symbolic.words([symbolic.float_bits(value, memory == "f32")])
            self.address = ctypes.addressof(self.keep)
            return
        self.keep = numbers_in_memory(value, memory)
        self.address = symbolic.memory(self.keep)


def numbers_in_memory(value: Any, memory: str) -> Any:
    """A number as an element of a kernel type, in memory of its own."""
    if memory in ("c64", "c128"):
        part = ctypes.c_float if memory == "c64" else ctypes.c_double
        return (part * 2)(value.real, value.imag)
    if memory in ("f32", "f64"):
        return (ctypes.c_float if memory == "f32" else ctypes.c_double)(value)
    return ctypes.c_uint64(int(value) & (1 << 64) - 1)


def _operand_kind(operand: Any, memory: str) -> int:
    if isinstance(operand, (Tensor, Template)):
        return objects.TENSOR_OPERAND
    return objects.CONSTANT_OPERAND if isinstance(operand, Constant) else number_kind(memory)


def stride_letters(
    nest: Sequence[int], steps: Sequence[Sequence[int]], itemsizes: Sequence[int]
) -> str:
    """The kernel's word for each operand's inner stride; see `map_ir`."""
    if not nest:
        return "c" * len(itemsizes)
    letters = []
    for step, itemsize in zip(steps, itemsizes):
        if step[0] == itemsize:
            letters.append("c")
        elif step[0] == 0:
            letters.append("s")
        elif len(nest) > 1 and step[1] == itemsize:
            letters.append("t")
        else:
            letters.append("g")
    return "".join(letters)
