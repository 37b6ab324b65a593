"""What several operators compute for one element, as one scalar function.

Values between the operators are rounded to the types in which tensors would have held them, so a fused loop gives the
same bits as the operators one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rushlight._inductor.lowerings import kernel_of
from rushlight.engine.core import device as devices
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.loops import casts
from rushlight.engine.loops.expr import Complex, const
from rushlight.engine.loops.reduction import Phase, Reduction
from rushlight.engine.loops.row_kernel import RowProgram
from rushlight.engine.ops.kinds import planned
from rushlight.engine.ops.kinds.planned import Request
from rushlight.engine.ops.kinds.pointwise import Scalar
from rushlight.engine.ops.kinds.reduction import Reduce
from rushlight.engine.ops.kinds.rows import RowsAlong

Spec = tuple[tuple[int, ...], tuple[int, ...], dtype]


class Ref(NamedTuple):
    """A value of a fused loop: an input, or a result of an earlier call."""

    index: int


@dataclass(frozen=True)
class Number:
    """A number where an operator takes a tensor.

    Args:
        value: the number
        tensor: what stands for it where types are found
    """

    value: Any
    tensor: Tensor

    def __repr__(self) -> str:
        return repr(self.value)


class Call(NamedTuple):
    """A call of an operator: every argument of its schema, tensors as `Ref`."""

    op: Operator
    args: tuple[Any, ...]

    @property
    def refs(self) -> list[Ref]:
        return [x for x in self.args if isinstance(x, Ref)]


class Element(NamedTuple):
    """A pointwise call, known for one element.

    Args:
        scalar: what it computes
        operands: its operands, numbers or `Ref`
        specs: its results
    """

    scalar: Scalar
    operands: list[Any]
    specs: list[Spec]


class Whole(NamedTuple):
    """A call that needs whole rows: a reduction, or a row program.

    Args:
        request: what it asks for
        operands: its inputs
        specs: its results
    """

    request: Reduce | RowsAlong
    operands: list[Ref]
    specs: list[Spec]


Planned = Element | Whole


def is_pointwise(op: Operator, tensors: int = 1) -> bool:
    """Whether a call of an operator with so many tensors is a scalar function of their elements."""
    kernel = kernel_of(op)
    # What looks at its operands before it runs looks at numbers, if the only tensor is what is changed.
    return kernel is not None and (kernel.rule.inspect is None or tensors == 1)


def request_of(op: Operator, args: Sequence[Any]) -> Request | None:
    """What a call asks for, where a rule says it."""
    kernel = planned.kernels.get(op.full_name)
    return None if kernel is None else kernel.rule(*args)


def stand_in(spec: Spec) -> Tensor:
    """A tensor without elements."""
    return tensors.empty_strided(*spec, devices.meta)


def plan_calls(calls: Sequence[Call], inputs: Sequence[Tensor]) -> list[Planned]:
    """What calls are for inputs like these."""
    values: list[Any] = list(inputs)
    found: list[Planned] = []
    for call in calls:
        args = [_shown(x, values) for x in call.args]
        made = _element(call, args) if is_pointwise(call.op) else _whole(call, args)
        found.append(made)
        values += [stand_in(spec) for spec in made.specs]
    return found


def _shown(x: Any, values: Sequence[Any]) -> Any:
    """An argument as rules look at it."""
    if isinstance(x, Ref):
        return values[x.index]
    return x.tensor if isinstance(x, Number) else x


def _element(call: Call, args: list[Any]) -> Element:
    kernel = kernel_of(call.op)
    assert kernel is not None
    common, specs = kernel.infer(args)
    if kernel.rule.inspect is not None:
        kernel.rule.inspect(common, args)
    operands, statics, positions = kernel.classify(args)
    scalar = kernel.scalar(operands, statics, common, [kind.memory for _, _, kind in specs])
    return Element(scalar, [call.args[k] for k in positions], list(specs))


def _whole(call: Call, args: list[Any]) -> Whole:
    request = request_of(call.op, args)
    if not isinstance(request, (Reduce, RowsAlong)):
        raise NotFusible(f"{call.op.full_name} for these arguments")
    refs = [next(ref for ref, x in zip(call.args, args) if x is given) for given in request.inputs]
    return Whole(request, refs, list(request.specs))


class NotFusible(Exception):
    """Calls that have no common loop for some arguments."""


def typed(x: Any, type: str) -> Any:
    """A value in another type, as a kernel gets it that loads it from memory."""
    if type not in casts.COMPLEX:
        return casts.cast(x, type)
    part = casts.COMPLEX[type]
    if isinstance(x, Complex):
        return Complex(casts.cast(x.real, part), casts.cast(x.imag, part))
    return Complex(casts.cast(x, part), const(part, 0))


def number(value: Any, memory: str) -> Any:
    """A Python number as a kernel gets it."""
    if memory in casts.COMPLEX:
        part = casts.COMPLEX[memory]
        return Complex(const(part, value.real), const(part, value.imag))
    return const(memory, value)


@dataclass
class ScalarProgram:
    """Calls as scalar functions over the inputs' elements, and over what earlier phases found in a row.

    Args:
        planned: the calls
        memories: the inputs' types
    """

    planned: Sequence[Planned]
    memories: Sequence[str]

    def __post_init__(self) -> None:
        # For each value: the call that gives it and which of its results it is.
        self.makers: list[tuple[Planned, int] | None] = [None] * len(self.memories)
        for call in self.planned:
            self.makers += [(call, k) for k in range(len(call.specs))]
        self.phases: list[Phase] = []
        # Where the results of a call's phases are among those of all.
        self.found: dict[int, tuple[int, int]] = {}
        self._count = 0

    def key(self) -> Hashable:
        """Programs of one key compute the same."""
        parts: list[Hashable] = []
        for call in self.planned:
            operands = tuple(x if isinstance(x, Ref) else repr(x) for x in call.operands)
            kinds = tuple(kind for _, _, kind in call.specs)
            what = call.scalar.identity if isinstance(call, Element) else self._key_of(call)
            parts.append((what, operands, kinds))
        return tuple(self.memories), tuple(parts)

    @staticmethod
    def _key_of(call: Whole) -> Hashable:
        from rushlight.engine.loops.identity import identity_of

        request = call.request
        recipe: Any = request.reduction if isinstance(request, Reduce) else request.program
        # Without a key of its own it is like no other.
        return identity_of(recipe) or id(recipe), isinstance(request, Reduce)

    def value(self, index: int, xs: Sequence[Any], found: Sequence[Any], memo: dict[int, Any]) -> Any:
        """A value, from the inputs' elements and the results of the phases so far."""
        if index not in memo:
            memo[index] = self._value(index, xs, found, memo)
        return memo[index]

    def _value(self, index: int, xs: Sequence[Any], found: Sequence[Any], memo: dict[int, Any]) -> Any:
        maker = self.makers[index]
        if maker is None:
            return xs[index]
        call, which = maker
        if isinstance(call, Whole):
            return self._of_row(call, which, xs, found, memo)
        scalar = call.scalar
        given = []
        for operand, memory, param in zip(call.operands, scalar.ins, scalar.params, strict=True):
            x = (
                self.value(operand.index, xs, found, memo)
                if isinstance(operand, Ref)
                else number(operand.value if isinstance(operand, Number) else operand, memory)
            )
            given.append(typed(x, param))
        made = scalar.body(*given)
        made = made[which] if isinstance(made, (tuple, list)) else made
        return typed(made, call.specs[which][2].memory)

    # -- rows --

    def elements(self, call: Whole, xs: Any, found: Any, memo: dict[int, Any]) -> list[Any]:
        """The elements of a call's inputs, in the types in which it wants them."""
        request = call.request
        params = request.reduction.params if isinstance(request, Reduce) else request.program.params
        return [
            typed(self.value(ref.index, xs, found, memo), param)
            for ref, param in zip(call.operands, params, strict=True)
        ]

    def _of_row(self, call: Whole, which: int, xs: Any, found: Any, memo: dict[int, Any]) -> Any:
        first, count = self.found[id(call)]
        own = found[first : first + count]
        request = call.request
        memory = call.specs[which][2].memory
        if isinstance(request, Reduce):
            return typed(own[which], memory)
        program = request.program
        scalars = list(program.scalars(own)) if program.scalars else []
        full = len(call.specs) - len(scalars)
        if which >= full:
            return typed(scalars[which - full], memory)
        made = program.body(self.elements(call, xs, found, memo), own)
        made = made[which] if isinstance(made, (tuple, list)) else made
        return typed(made, memory)

    def add_phases(self) -> None:
        """Let the calls that need whole rows be phases."""
        for call in self.planned:
            if isinstance(call, Whole):
                first = self._count
                for phase in _phases_of_row(call.request):
                    self.phases.append(self._around(call, phase, first))
                    self._count += len(_results_of(phase))
                self.found[id(call)] = first, self._count - first

    def _around(self, call: Whole, phase: Phase, first: int) -> Phase:
        """A phase over the inputs' elements, of one over those of a call's operands."""

        def step(accs: Any, xs: Any, index: Any, earlier: Any) -> Any:
            return phase.step(accs, self.elements(call, xs, earlier, {}), index, earlier[first:])

        return Phase(phase.accs, phase.init, step, phase.combine, phase.close, phase.cascades)


def _phases_of_row(request: Reduce | RowsAlong) -> Sequence[Phase]:
    """The phases of a request over one row."""
    if isinstance(request, RowsAlong):
        return request.program.phases
    reduction = request.reduction
    (phase,) = reduction.phases

    def close(accs: Any, count: Any) -> Any:
        results = phase.close(accs, count) if phase.close else accs
        totals = reduction.collect(results, count, const("i64", 0))
        made = reduction.finish(totals, count)
        return made if isinstance(made, (tuple, list)) else [made]

    return [Phase(phase.accs, phase.init, phase.step, phase.combine, close)]


def _results_of(phase: Phase) -> Sequence[Any]:
    accs = [const(kind, 0) for kind in phase.accs]
    return phase.close(accs, const("i64", 1)) if phase.close else accs


def fits_rows(request: Any) -> bool:
    """Whether a request can be phases of a row among others."""
    if isinstance(request, RowsAlong):
        return True
    return isinstance(request, Reduce) and len(request.reduction.phases) == 1 and not request.reduction.place


def reading(reduction: Reduction, memories: Sequence[str], elements: Callable[[Any], Any]) -> Reduction:
    """A reduction of what a function makes of other inputs' elements."""

    def around(phase: Phase) -> Phase:
        def step(accs: Any, xs: Any, index: Any, earlier: Any) -> Any:
            return phase.step(accs, elements(xs), index, earlier)

        return Phase(phase.accs, phase.init, step, phase.combine, phase.close, phase.cascades)

    return Reduction(
        tuple(memories), tuple(map(around, reduction.phases)), reduction.totals, reduction.start,
        reduction.collect, reduction.combine, reduction.finish, reduction.place,
    )  # fmt: skip


def row_program(
    program: ScalarProgram, full: Sequence[int], scalars: Sequence[int]
) -> RowProgram:
    """A row program whose results are values of calls, those of whole rows first."""
    program.add_phases()

    def body(xs: Any, found: Any) -> Any:
        memo: dict[int, Any] = {}
        return [program.value(k, xs, found, memo) for k in full]

    def of_row(found: Any) -> Any:
        memo: dict[int, Any] = {}
        return [program.value(k, (), found, memo) for k in scalars]

    return RowProgram(
        tuple(program.memories), tuple(program.phases), body, of_row if scalars else None
    )
