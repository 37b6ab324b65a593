"""Pointwise operators: a scalar function applied to every element.

`pointwise` turns one scalar function into an operator's functional, in-place and ``out=`` variants,
on the CPU and on the meta device. The function gets one value per tensor or number argument of the
schema, in order; other arguments (strings, flags, numbers that were left out) arrive as they are,
and a kernel is compiled for each of their values.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import BOOLEAN, COMPLEX, FLOATING, INTEGRAL, dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Argument
from rushlight.engine.dispatch.source import define, identifier
from rushlight.engine.loops import geometry, promotion
from rushlight.engine.loops.map_kernel import map_ir
from rushlight.engine.loops.plan import Loop, Plan, number_kind
from rushlight.engine.loops.plans import PlanTable, note_loop, note_plan
from rushlight.engine.native import machine
from rushlight.engine.ops.kinds import outputs

NUMBERS = ("Scalar", "float", "int", "SymInt")
# Numbers that count as operands. Others, such as `alpha`, only scale one.
PROMOTING = {"self", "other", "exponent", "min", "max", "x", "n", "input"}
CATEGORIES = {"b": BOOLEAN, "i": INTEGRAL, "f": FLOATING, "c": COMPLEX}
STREAM_BYTES = 1 << 26

ResultRule = Callable[[dtype, Sequence[Any]], dtype]


def same(common: dtype, args: Sequence[Any]) -> dtype:
    """The result has the common type."""
    return common


def boolean(common: dtype, args: Sequence[Any]) -> dtype:
    """The result is a truth value."""
    return dtypes.bool_


def real_part(common: dtype, args: Sequence[Any]) -> dtype:
    """The result of a complex input is real."""
    return common.to_real()


@dataclass(frozen=True)
class Pointwise:
    """What a pointwise operator computes and in which types.

    Args:
        body: the scalar function
        promote: ``default`` combines the operands' types; ``float`` also makes integers floats
        result: the result's type from the common one
        allowed: the categories of common types that have a kernel: b(ool), i(nteger), f, c(omplex)
        defaults: numbers that are compiled in when they have this value
        separate: operands that keep their own type instead of taking part in promotion
        check: raises for arguments that PyTorch rejects, given the common type and the arguments
        cost: how many times dearer than an addition an element is, for splitting over threads
    """

    name: str
    body: Callable[..., Any]
    promote: str = "default"
    result: ResultRule | Sequence[ResultRule] = same
    allowed: str = "bifc"
    defaults: dict[str, Any] = field(default_factory=dict)
    separate: tuple[str, ...] = ()
    cost: int = 1
    check: Callable[[dtype, Sequence[Any]], None] | None = None

    @property
    def results(self) -> Sequence[ResultRule]:
        return self.result if isinstance(self.result, (tuple, list)) else (self.result,)  # type: ignore[return-value]


def pointwise(*names: str, **facts: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a scalar function as the kernel of the named overloads and of their variants."""

    def decorate(body: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            op = operators.operator(name)
            install(op, Pointwise(op.base_name, body, **facts))
        return body

    return decorate


def install(op: Operator, rule: Pointwise) -> None:
    """Register all variants of an operator whose functional form is ``op``."""
    variants = ([op], []) if op.schema.kind != "functional" else outputs.variants(op)
    if op.schema.kind == "functional":
        functional = Kernel(op, rule)
        operators.register_kernel(op.full_name, "CPU", functional.functional())
        operators.register_kernel(op.full_name, "Meta", functional.meta)
    for inplace in variants[0]:
        kernel = Kernel(inplace, rule)
        operators.register_kernel(inplace.full_name, "CPU", kernel.inplace)
        operators.register_kernel(inplace.full_name, "Meta", kernel.inplace)
    for out in variants[1]:
        kernel = Kernel(out, rule)
        operators.register_kernel(out.full_name, "CPU", kernel.out)
        operators.register_kernel(out.full_name, "Meta", kernel.out)


def _is_number(argument: Argument) -> bool:
    return argument.type.required.plain in NUMBERS


def _is_tensor(argument: Argument) -> bool:
    return argument.type.required.plain == "Tensor"


class Kernel:
    """The kernels of one overload, made from its rule; it remembers a plan for every signature."""

    def __init__(self, op: Operator, rule: Pointwise) -> None:
        self.op = op
        self.rule = rule
        outs = op.schema.out_arguments
        self.arguments = [a for a in op.schema.arguments if a not in outs]
        self.names = [identifier(a.name) for a in self.arguments]
        self.plans = PlanTable()
        self.loops = PlanTable()

    # -- the three variants --
    def functional(self) -> Callable[..., Any]:
        """A function over the schema's arguments that gives new tensors."""
        parts = [self._key_part(a, n) for a, n in zip(self.arguments, self.names)]
        operands = [n for a, n in zip(self.arguments, self.names) if _is_tensor(a) or _is_number(a)]
        name = identifier(self.op.base_name)
        arguments = ", ".join(self.names)
        source = (
            f"def {name}({arguments}):\n"
            f"    key = ({', '.join(parts)},)\n"
            f"    found = plans.get(key)\n"
            f"    if found is None:\n"
            f"        found = plans[key] = build(({arguments},))\n"
            f"    plan, pick = found\n"
            f"    operands = ({', '.join(operands)},)\n"
            f"    if pick is not None:\n"
            f"        operands = [operands[i] for i in pick]\n"
            f"    result = plan.produce(*operands)\n"
            f"    return note_plan(plan, operands, result)\n"
        )
        names = {"plans": self.plans, "build": self.build, "note_plan": note_plan}
        return define(name, source, names, f"{self.op.full_name} plan")

    def _key_part(self, argument: Argument, name: str) -> str:
        """Source of what the signature takes from an argument."""
        if _is_tensor(argument):
            part = f"{name}._flags, {name}._size, {name}._stride"
            if argument.type.is_optional:
                return f"None if {name} is None else ({part})"
            return part
        if argument.name in self.rule.defaults:
            return f"{name} if {name} == {self.rule.defaults[argument.name]!r} else type({name})"
        return f"type({name})" if _is_number(argument) else name

    def meta(self, *args: Any) -> Any:
        """What `functional` would give, without any elements."""
        device = outputs.common_device(args)
        return outputs.new_outputs(self.infer(args)[1], device)

    def inplace(self, *args: Any) -> Tensor:
        """Write the result over the first argument."""
        common, specs = self.infer(args)
        target: Tensor = args[0]
        outputs.check_inplace(target, specs[0][0], specs[0][2])
        outputs.check_no_partial_overlap(target, args[1:])
        self.fill((target,), args, common)
        return target

    def out(self, *args: Any) -> Any:
        """Write the results to the tensors given after the other arguments."""
        count = len(self.arguments)
        inputs, targets = args[:count], args[count:]
        common, specs = self.infer(inputs)
        outputs.common_device((*inputs, *targets))
        for target, (size, stride, result) in zip(targets, specs):
            outputs.prepare_out(target, size, stride, result)
            outputs.check_no_partial_overlap(target, inputs)
        self.fill(targets, inputs, common)
        return targets[0] if len(targets) == 1 else targets

    def fill(self, targets: Sequence[Tensor], args: Sequence[Any], common: dtype) -> None:
        """Compute into existing tensors."""
        if targets[0]._storage._device_code == 0:
            key = tuple(
                part
                for a in (*targets, *args)
                for part in (
                    (a._flags, a._size, a._stride) if isinstance(a, Tensor) else (a, type(a))
                )
            )
            found = self.loops.get(key)
            if found is None:
                operands, statics, pick = self.classify(args)
                found = self.loops[key] = (self.loop(targets, operands, statics, common), pick)
            loop, pick = found
            operands = (*targets, *(args[i] for i in pick))
            loop.run(*operands)
            note_loop(loop, operands, len(targets))
        for target in targets:
            tensors.bump_version(target)

    # -- building --
    def classify(self, args: Sequence[Any]) -> tuple[list[Any], dict[int, Any], list[int]]:
        """Operands for the loop, compiled-in arguments by position, and the operands' positions."""
        operands, statics, positions = [], {}, []
        for i, (argument, value) in enumerate(zip(self.arguments, args)):
            default = self.rule.defaults.get(argument.name, statics)
            elided = default is not statics and not isinstance(value, Tensor) and value == default
            if isinstance(value, Tensor) or (
                _is_number(argument) and value is not None and not elided
            ):
                operands.append(value)
                positions.append(i)
            else:
                statics[i] = default if elided else value
        return operands, statics, positions

    def infer(
        self, args: Sequence[Any]
    ) -> tuple[dtype, list[tuple[tuple[int, ...], tuple[int, ...], dtype]]]:
        """The common type, and each output's size, stride and type."""
        operands, _, _ = self.classify(args)
        common = promotion.result_type(*self.promoting(args))
        if self.rule.promote == "float":
            common = promotion.to_float(common)
        self.check_type(common)
        if self.rule.check is not None:
            self.rule.check(common, args)
        given = [t for t in operands if isinstance(t, Tensor)]
        shape = geometry.broadcast_sizes(*(t._size for t in given))
        stride = geometry.output_strides(shape, [(t._size, t._stride) for t in given])
        return common, [(shape, stride, rule(common, args)) for rule in self.rule.results]

    def promoting(self, args: Sequence[Any]) -> list[Any]:
        """The arguments whose types decide the common type."""
        return [
            value
            for argument, value in zip(self.arguments, args)
            if argument.name not in self.rule.separate
            and (isinstance(value, Tensor) or (argument.name in PROMOTING and value is not None))
        ]

    def check_type(self, common: dtype) -> None:
        allowed = {CATEGORIES[letter] for letter in self.rule.allowed}
        if common.category not in allowed:
            raise NotImplementedError(
                f'"{self.op.packet_name.strip("_")}_cpu" not implemented for '
                f"'{promotion.title(common)}'"
            )

    def build(self, args: tuple[Any, ...]) -> tuple[Plan, list[int] | None]:
        """The plan of a functional call with arguments like these."""
        common, specs = self.infer(args)
        operands, statics, positions = self.classify(args)
        templates = [Template(sizes.intern(size), stride, result) for size, stride, result in specs]
        loop = self.loop(templates, operands, statics, common)
        candidates = [i for i, a in enumerate(self.arguments) if _is_tensor(a) or _is_number(a)]
        pick = [candidates.index(i) for i in positions]
        return Plan(loop, templates), None if pick == list(range(len(candidates))) else pick

    def loop(
        self,
        targets: Sequence[Any],
        operands: Sequence[Any],
        statics: dict[int, Any],
        common: dtype,
    ) -> Loop:
        """The compiled loop for outputs and operands like these."""
        compute = promotion.compute_type(common)
        outs = [_dtype_of(t).memory for t in targets]
        ins, params = [], []
        separate = {i for i, a in enumerate(self.arguments) if a.name in self.rule.separate}
        positions = [i for i in range(len(self.arguments)) if i not in statics]
        for i, operand in zip(positions, operands):
            own = promotion.compute_type(operand._dtype) if isinstance(operand, Tensor) else compute
            ins.append(operand._dtype.memory if isinstance(operand, Tensor) else compute)
            params.append(own if i in separate else compute)
        count = len(self.arguments)

        def body(*values: Any) -> Any:
            given = iter(values)
            return self.rule.body(
                *(statics[i] if i in statics else next(given) for i in range(count))
            )

        return elementwise_loop(body, targets, operands, outs, ins, params, self.rule.cost)


def _dtype_of(target: Any) -> dtype:
    return target._dtype if isinstance(target, Tensor) else target.dtype


def _geometry_of(operand: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(operand, Tensor):
        return operand._size, operand._stride
    if isinstance(operand, (Template, Constant)):
        return operand.size, operand.stride
    return (), ()


def elementwise_loop(
    body: Callable[..., Any],
    targets: Sequence[Any],
    operands: Sequence[Any],
    outs: Sequence[str],
    ins: Sequence[str],
    params: Sequence[str],
    cost: int = 1,
    offsets: Sequence[int] = (),
) -> Loop:
    """The loop of a scalar function over broadcast operands.

    Operands are tensors, templates, numbers (given again at each run) or `Constant`s.
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
    letters = stride_letters(nest, steps, [d.itemsize for d in memories])
    work = sizes.numel(shape) * max(sum(d.itemsize for d in memories), 8 * cost)
    stream = letters.strip("cs") == "" and work >= STREAM_BYTES and cost == 1
    kernel = machine.address(map_ir(body, outs, ins, params, letters, stream=stream))
    everything = (*targets, *operands)
    kinds = [
        (_operand_kind(operand, memory), d.itemsize)
        for operand, memory, d in zip(everything, (*outs, *ins), memories)
    ]
    constants = [o for o in everything if isinstance(o, Constant)]
    if constants:
        offsets = [o.address if isinstance(o, Constant) else 0 for o in everything]
    splittable = range(max(len(nest), 2))
    return Loop(kernel, nest, steps, kinds, 2, splittable, work, offsets, constants)


class Constant:
    """An operand that a plan owns: a tensor's elements, or a number in memory."""

    def __init__(self, value: Any, memory: str) -> None:
        if isinstance(value, Tensor):
            self.size, self.stride = value._size, value._stride
            self.address = tensors.data_pointer(value)
            self.keep: Any = value
            return
        self.size, self.stride = sizes.intern(()), ()
        self.keep = numbers_in_memory(value, memory)
        self.address = ctypes.addressof(self.keep)


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
    letters = []
    for step, itemsize in zip(steps, itemsizes):
        inner = step[0] if nest else 0
        if not nest or inner == itemsize:
            letters.append("c")
        elif inner == 0:
            letters.append("s")
        elif len(nest) > 1 and step[1] == itemsize:
            letters.append("t")
        else:
            letters.append("g")
    if not nest:
        return "c" * len(letters)
    return "".join(letters)
