"""Pointwise operators: a scalar function applied to every element.

`pointwise` turns one scalar function into an operator's functional, in-place and ``out=`` variants,
on the CPU and on the meta device. The function gets one value per tensor or number argument of the
schema, in order; other arguments (strings, flags, numbers that were left out) arrive as they are,
and a kernel is compiled for each of their values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, symbolic
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import BOOLEAN, COMPLEX, INTEGRAL, dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.schema import Argument
from rushlight.engine.dispatch.source import define, identifier
from rushlight.engine.loops import geometry, promotion
from rushlight.engine.loops.expr import Complex, Value, convert
from rushlight.engine.loops.plan import Loop, Plan
from rushlight.engine.loops.plans import PlanTable, calls_nothing
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import elementwise_loop

NUMBERS = ("Scalar", "float", "int", "SymInt")
# Numbers that count as operands. Others, such as `alpha`, only scale one.
PROMOTING = {"self", "other", "exponent", "min", "max", "x", "n", "input"}

Args = Sequence[Any]
ResultRule = Callable[[dtype, Args], dtype]
Check = Callable[[dtype, Args], None]


def same(common: dtype, args: Args) -> dtype:
    """The result has the common type."""
    return common


def boolean(common: dtype, args: Args) -> dtype:
    """The result is a truth value."""
    return dtypes.bool_


def int32(common: dtype, args: Args) -> dtype:
    """The result is a small count, such as an exponent."""
    return dtypes.int32


def real_part(common: dtype, args: Args) -> dtype:
    """The result of a complex input is real."""
    return common.to_real()


def group(d: dtype) -> str:
    """The letter that lists of supported types use.

    b(ool), i(ntegers of the usual widths), u(nsigned of more than 8 bits), h(alf and bfloat16),
    f(loat and double), c(omplex), k (complex half), 8 (bits).
    """
    if d.category == BOOLEAN:
        return "b"
    if d.category == INTEGRAL:
        return "u" if d in (dtypes.uint16, dtypes.uint32, dtypes.uint64) else "i"
    if d.category == COMPLEX:
        return "k" if d is dtypes.complex32 else "c"
    return "8" if d.itemsize == 1 else "h" if d.itemsize == 2 else "f"


# What most operators say of an output that has not the type of their argument.
ALIKE = "Found dtype {given} but expected {wanted}"


class Pointwise(NamedTuple):
    """What a pointwise operator computes and in which types.

    Args:
        body: the scalar function
        promote: ``default`` combines the operands' types; ``float`` also makes integers floats;
            ``double`` takes the widest type of the category; or a function from the arguments
            to one of these words
        result: the result's type from the common one, or one rule per result
        allowed: the groups of common types that have a kernel, see `group`
        kernel: the name that messages about other types use
        defaults: numbers that are compiled in when they have (one of) these values
        compiled: arguments whose values are always compiled in
        separate: operands that keep their own type instead of taking part in promotion
        check: raises for arguments that PyTorch rejects
        inspect: raises for elements that PyTorch rejects, whenever the operator runs
        rounded: numbers beside half precision are rounded to it before they are used
        precise: operands that are not rounded to half precision if they have one element
        typed: the body gets the common type as its first argument
        raw: the body gets half precision as it is, to look at its bits
        flat: operands with which the result changes in steps only, which is not recorded
        exact: what is given as ``out`` must have the result's own type, or this is said; not where
            complex numbers become real
    """

    name: str
    body: Callable[..., Any]
    promote: str | Callable[[Args], str] = "default"
    result: ResultRule | Sequence[ResultRule] = same
    allowed: str = "biuhfck8"
    kernel: str = ""
    defaults: Mapping[str, Any] = MappingProxyType({})
    compiled: tuple[str, ...] = ()
    separate: tuple[str, ...] = ()
    check: Check | None = None
    inspect: Check | None = None
    rounded: bool = False
    precise: tuple[str, ...] = ()
    typed: bool = False
    raw: bool = False
    flat: tuple[str, ...] = ()
    exact: str = ""

    @property
    def results(self) -> Sequence[ResultRule]:
        return self.result if isinstance(self.result, (tuple, list)) else (self.result,)  # type: ignore[return-value]

    def is_compiled(self, name: str, value: Any) -> bool:
        """Whether an argument's value is part of the kernel."""
        if name in self.compiled:
            return True
        known = self.defaults.get(name, ())
        known = known if isinstance(known, tuple) else (known,)
        return not isinstance(value, Tensor) and value in known


# The functional kernels, by the full names of their operators.
kernels: dict[str, Kernel] = {}


def pointwise(*names: str, **facts: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a scalar function as the kernel of the named overloads and of their variants."""

    def decorate(body: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            operators.when_needed(name, partial(install_named, name, body, facts))
        return body

    return decorate


def install_named(name: str, body: Callable[..., Any], facts: dict[str, Any]) -> None:
    op = operators.operator(name)
    install(op, Pointwise(op.base_name, body, **facts))


def install(op: Operator, rule: Pointwise) -> None:
    """Register all variants of an operator whose functional form is ``op``."""
    inplaces, outs = outputs.variants(op)
    for form in (op, *inplaces, *outs):
        form.is_pointwise = True
    functional = kernels[op.full_name] = Kernel(op, rule)
    operators.register_kernel(op.full_name, "CPU", functional.functional())
    operators.register_kernel(op.full_name, "Meta", functional.meta)
    for variants, method in ((inplaces, "inplace"), (outs, "out")):
        for variant in variants:
            function = getattr(Kernel(variant, rule), method)
            operators.register_kernel(variant.full_name, "CPU", function)
            operators.register_kernel(variant.full_name, "Meta", function)


def _is_number(argument: Argument) -> bool:
    return argument.type.required.plain in NUMBERS


def _is_tensor(argument: Argument) -> bool:
    return argument.type.required.plain == "Tensor"


class Kernel:
    """The kernels of one overload, made from its rule; it remembers a plan for every signature."""

    calls_nothing = True
    # Whether steps say all that is done on a device, too.
    notes_device_steps = True

    def __init__(self, op: Operator, rule: Pointwise) -> None:
        self.op = op
        self.rule = rule
        outs = op.schema.out_arguments
        self.arguments = [a for a in op.schema.arguments if a not in outs]
        self.names = [identifier(a.name) for a in self.arguments]
        self.candidates = [
            i for i, a in enumerate(self.arguments) if _is_tensor(a) or self._is_operand(a)
        ]
        self.plans = PlanTable()
        self.loops = PlanTable()
        arguments = ", ".join(self.names)
        self.signature = define(
            "signature",
            f"def signature({arguments}):\n    return {self._key()}\n",
            {"is_compiled": rule.is_compiled},
            f"{op.full_name} signature",
        )

    def _is_operand(self, argument: Argument) -> bool:
        return _is_number(argument) and argument.name not in self.rule.compiled

    # -- the three variants --
    def functional(self) -> Callable[..., Any]:
        """A function over the schema's arguments that gives new tensors."""
        operands = "".join(f"{self.names[i]}, " for i in self.candidates)
        name = identifier(self.op.base_name)
        arguments = ", ".join(self.names)
        look = f"    inspect(plan.templates[0].dtype, ({arguments},))\n"
        source = (
            f"def {name}({arguments}):\n"
            f"    key = {self._key()}\n"
            f"    found = plans.get(key)\n"
            f"    if found is None:\n"
            f"        found = plans[key] = build(({arguments},))\n"
            f"    plan, pick = found\n"
            f"{look if self.rule.inspect is not None else ''}"
            f"    operands = ({operands})\n"
            f"    if pick is not None:\n"
            f"        operands = [operands[i] for i in pick]\n"
            f"    result = plan.produce(*operands)\n"
            f"    return note(plan, operands, result)\n"
        )
        names = {
            "plans": self.plans,
            "build": self.build,
            "note": steps.Produced.note,
            "inspect": self.rule.inspect,
            "is_compiled": self.rule.is_compiled,
        }
        kernel = calls_nothing(define(name, source, names, f"{self.op.full_name} plan"))
        kernel.notes_device_steps = True
        return kernel

    def _key(self) -> str:
        """Source of a call's signature: what its plan depends on."""
        parts = (self._key_part(a, n) for a, n in zip(self.arguments, self.names))
        return f"({', '.join(parts)},)"

    def _key_part(self, argument: Argument, name: str) -> str:
        if _is_tensor(argument):
            part = f"{name}._flags_, {name}._size_, {name}._stride_"
            if argument.type.is_optional:
                return f"None if {name} is None else ({part})"
            return part
        if not self._is_operand(argument):
            return f"{name}, type({name})"
        if argument.name in self.rule.defaults:
            value = f"{name} if is_compiled({argument.name!r}, {name}) else None"
            return f"{value}, type({name})"
        return f"type({name})"

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
            if self.rule.exact and target._dtype_ is not result:
                self.refuse_type(target._dtype_, result, common)
            outputs.prepare_out(target, size, stride, result)
            outputs.check_no_partial_overlap(target, inputs)
        self.fill(targets, inputs, common)
        return targets[0] if len(targets) == 1 else targets

    def refuse_type(self, given: dtype, result: dtype, common: dtype) -> None:
        """Raise since an output has another type than the result."""
        if common.category == COMPLEX and result.category != COMPLEX:
            return
        wanted, name = promotion.title(result), promotion.title(given)
        raise RuntimeError(self.rule.exact.format(wanted=wanted, given=name))

    def fill(self, targets: Sequence[Tensor], args: Args, common: dtype) -> None:
        """Compute into existing tensors."""
        if tensors.is_computed(targets[0]):
            if self.rule.inspect is not None:
                self.rule.inspect(common, args)
            written = tuple((t._flags_, t._size_, t._stride_) for t in targets)
            key = (written, self.signature(*args))
            found = self.loops.get(key)
            if found is None:
                given, statics, pick = self.classify(args)
                found = self.loops[key] = (self.loop(targets, given, statics, common), pick)
            loop, pick = found
            operands = (*targets, *(args[i] for i in pick))
            loop.run(*operands)
            steps.Mapped.note(loop, operands, len(targets))
        for target in targets:
            tensors.bump_version(target)

    # -- building --
    def classify(self, args: Args) -> tuple[list[Any], dict[int, Any], list[int]]:
        """Operands for the loop, compiled-in arguments by position, and the operands' positions."""
        operands, statics, positions = [], {}, []
        for i, (argument, value) in enumerate(zip(self.arguments, args)):
            is_number = _is_number(argument) and value is not None
            if isinstance(value, Tensor) or (
                is_number and not self.rule.is_compiled(argument.name, value)
            ):
                operands.append(value)
                positions.append(i)
            else:
                statics[i] = value
        return operands, statics, positions

    def infer(
        self, args: Args
    ) -> tuple[dtype, list[tuple[tuple[int, ...], tuple[int, ...], dtype]]]:
        """The common type, and each output's size, stride and type."""
        common = self.common(args)
        if self.rule.check is not None:
            self.rule.check(common, args)
        self.check_type(common)
        given = [t for t in args if isinstance(t, Tensor)]
        shape = geometry.broadcast_sizes(*(t._size_ for t in given))
        stride = geometry.output_strides(shape, [_layout(t, common) for t in given])
        return common, [(shape, stride, rule(common, args)) for rule in self.rule.results]

    def common(self, args: Args) -> dtype:
        """The type in which the operands are combined."""
        common = promotion.result_type(*self.promoting(args))
        rule = self.rule.promote if isinstance(self.rule.promote, str) else self.rule.promote(args)
        if rule == "float":
            return promotion.to_float(common)
        if rule == "double":
            return dtypes.complex128 if common.category == COMPLEX else dtypes.float64
        return common

    def promoting(self, args: Args) -> list[Any]:
        """The arguments whose types decide the common type."""
        return [
            value
            for argument, value in zip(self.arguments, args)
            if argument.name not in self.rule.separate
            and (isinstance(value, Tensor) or (argument.name in PROMOTING and value is not None))
        ]

    def check_type(self, common: dtype) -> None:
        if group(common) not in self.rule.allowed:
            name = self.rule.kernel or f"{self.op.packet_name.strip('_')}_cpu"
            raise NotImplementedError(f"\"{name}\" not implemented for '{promotion.title(common)}'")

    def build(self, args: tuple[Any, ...]) -> tuple[Plan, list[int] | None]:
        """The plan of a functional call with arguments like these."""
        outputs.common_device(args)
        common, specs = self.infer(args)
        operands, statics, positions = self.classify(args)
        templates = [Template(sizes.intern(size), stride, result) for size, stride, result in specs]
        loop = self.loop(templates, operands, statics, common)
        pick = [self.candidates.index(i) for i in positions]
        return Plan(loop, templates), None if pick == list(range(len(self.candidates))) else pick

    def _is_precise(self, position: int, operand: Tensor) -> bool:
        return self.arguments[position].name in self.rule.precise and operand._numel_ == 1

    def loop(
        self, targets: Sequence[Any], operands: Args, statics: dict[int, Any], common: dtype
    ) -> Loop:
        """The compiled loop for outputs and operands like these."""
        outs = [_dtype_of(t).memory for t in targets]
        body, ins, params, identity = self.scalar(operands, statics, common, outs)
        return elementwise_loop(body, targets, operands, outs, ins, params, identity=identity)

    def scalar(
        self, operands: Args, statics: dict[int, Any], common: dtype, outs: Sequence[str]
    ) -> Scalar:
        """What a call with operands like these computes for one element of the outputs."""
        rule = self.rule
        compute = common.memory if rule.raw else promotion.compute_type(common)
        ins, params, rounded = [], [], []
        separate = {i for i, a in enumerate(self.arguments) if a.name in rule.separate}
        positions = [i for i in range(len(self.arguments)) if i not in statics]
        for i, operand in zip(positions, operands):
            if isinstance(operand, Tensor):
                ins.append(operand._dtype_.memory)
                own = promotion.compute_type(operand._dtype_) if i in separate else compute
                loses = i not in separate and _loses(operand._dtype_, common)
                rounded.append(loses and not self._is_precise(i, operand))
            else:
                ins.append(number_memory(operand, compute))
                own = compute
                rounded.append(rule.rounded and group(common) == "h")
            params.append(own)
        count = len(self.arguments)

        def body(*values: Any) -> Any:
            given = iter(
                convert(convert(value, common.memory), compute) if is_rounded else value
                for value, is_rounded in zip(values, rounded)
            )
            arguments = [statics[i] if i in statics else next(given) for i in range(count)]
            made = rule.body(common, *arguments) if rule.typed else rule.body(*arguments)
            return rounded_to(common, made) if narrows and made.is_float else made

        # A wider output gets what the common type would have held.
        narrows = group(common) == "h" and not rule.raw and len(outs) == 1 and outs[0] in _WIDER
        # Numbers that are equal may still be of different types, or differ in their signs.
        compiled = repr(sorted(statics.items()))
        identity = self, common, tuple(rounded), narrows, compiled
        return Scalar(body, ins, params, identity)


class Scalar(NamedTuple):
    """What a call computes for one element.

    Args:
        body: the scalar function of the operands
        ins: their types in memory
        params: the types in which the body gets them
        identity: functions of one identity do the same
    """

    body: Callable[..., Any]
    ins: list[str]
    params: list[str]
    identity: Hashable


def _layout(operand: Tensor, common: dtype) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Size and stride of an operand; of one that is of another type, those of its conversion."""
    own = operand._size_, operand._stride_
    if operand._dtype_ is common or operand._flags_ & objects.CONTIGUOUS or sizes.is_dense(*own):
        return own
    return operand._size_, geometry.output_strides(operand._size_, [own])


def number_memory(value: Any, compute: str) -> str:
    """The type in which a kernel gets a Python number that it computes with as ``compute``."""
    if compute[0] in "fc":
        return compute
    if type(value) in symbolic.FLOATS:
        return "f64"
    return "i64" if compute == "bool" else compute


def _loses(given: dtype, common: dtype) -> bool:
    """Whether an operand must be rounded to half precision before it is used."""
    return group(common) == "h" and given is not common and given.category != BOOLEAN


# Floating point types in memory that hold more than half precision.
_WIDER = frozenset(
    kind.memory for kind in (dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)
)


def rounded_to(common: dtype, x: Value) -> Value:
    """A number in the precision of its type, where PyTorch rounds a step on the way."""
    return convert(convert(x, common.memory), x.type) if group(common) == "h" else x


def _dtype_of(target: Any) -> dtype:
    return target._dtype_ if isinstance(target, Tensor) else target.dtype


def real_or_complex(
    real: Callable[[Value], Any], complex: Callable[[Complex], Any]
) -> Callable[[Any], Any]:
    """One scalar function from those of real and of complex numbers."""

    def either(x: Any) -> Any:
        return complex(x) if isinstance(x, Complex) else real(x)

    return either
