"""What several operators compute for one element, as one scalar function.

Values between the operators are rounded to the types in which tensors would have held them, so a fused loop gives the
same bits as the operators one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from rushlight._inductor.lowerings import kernel_of
from rushlight.engine.core import device as devices
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import numbers
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.loops import casts
from rushlight.engine.loops.expr import Complex, arg, const, schedule
from rushlight.engine.loops.identity import identity_of
from rushlight.engine.loops.reduction import Phase, Reduction
from rushlight.engine.loops.row_kernel import Buffered, RowProgram
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.kinds import planned
from rushlight.engine.ops.kinds.planned import Request
from rushlight.engine.ops.kinds.pointwise import Scalar
from rushlight.engine.ops.kinds.reduction import Reduce
from rushlight.engine.ops.kinds.rows import RowsAlong

Spec = tuple[tuple[int, ...], tuple[int, ...], dtype]


@dataclass(frozen=True)
class Ref:
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

    def __reduce__(self) -> Any:
        return _number_like, (self.value,)


def _number_like(value: Any) -> Number:
    return Number(value, numbers.wrapped(value))


class Call(NamedTuple):
    """A call of an operator: every argument of its schema, tensors as `Ref`."""

    op: Operator
    args: tuple[Any, ...]


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

    @property
    def recipe(self) -> Any:
        request = self.request
        return request.reduction if isinstance(request, Reduce) else request.program

    @property
    def params(self) -> Sequence[str]:
        """The types in which it wants its operands."""
        return self.recipe.params  # type: ignore[no-any-return]

    @property
    def buffered(self) -> Sequence[Buffered]:
        return () if isinstance(self.request, Reduce) else self.request.program.buffered

    def key(self) -> Hashable | None:
        """Calls of one key do the same; None where nothing tells."""
        return identity_of(self.recipe)


# So many operations are done once and buffered, rather than in each pass.
DEAR = 3

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
        args = [shown(x, values) for x in call.args]
        made = _element(call, args) if is_pointwise(call.op) else _whole(call, args)
        found.append(made)
        values += [stand_in(spec) for spec in made.specs]
    return found


def shown(x: Any, values: Sequence[Any]) -> Any:
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


class ScalarProgram:
    """Calls as scalar functions over the inputs' elements, and over what is found in a row.

    Args:
        planned: the calls
        memories: the inputs' types
    """

    def __init__(self, planned: Sequence[Planned], memories: Sequence[str]) -> None:
        self.planned, self.memories = planned, memories
        # For each value: the call that gives it and which of its results it is.
        self.makers: list[tuple[Planned, int] | None] = [None] * len(memories)
        for call in planned:
            self.makers += [(call, k) for k in range(len(call.specs))]
        self.rows = _RowParts(self)

    def key(self) -> Hashable | None:
        """Programs of one key compute the same; None where nothing tells."""
        parts: list[Hashable] = []
        for call in self.planned:
            operands = tuple(x if isinstance(x, Ref) else repr(x) for x in call.operands)
            kinds = tuple(kind for _, _, kind in call.specs)
            what = call.scalar.identity if isinstance(call, Element) else call.key()
            if what is None:
                return None
            parts.append((what, operands, kinds))
        return tuple(self.memories), tuple(parts)

    def values(self, indices: Sequence[int], xs: Sequence[Any]) -> list[Any]:
        """Values of an element without a row, from the inputs' elements."""
        here = Evaluation(self, xs)
        return [here.value(k) for k in indices]


class Evaluation:
    """The values of one element, each computed once.

    Args:
        program: says what they are
        xs: the inputs' elements, then what buffers hold
        found: the results of a row's phases so far
        now: before which phase it is; buffers that are filled later hold nothing yet
    """

    def __init__(
        self, program: ScalarProgram, xs: Sequence[Any], found: Sequence[Any] = (), now: int = 0
    ) -> None:
        self.program, self.xs, self.found, self.now = program, xs, found, now
        self.known: dict[int, Any] = {}

    def value(self, index: int) -> Any:
        if index not in self.known:
            self.known[index] = self._value(index)
        return self.known[index]

    def _value(self, index: int) -> Any:
        maker = self.program.makers[index]
        if maker is None:
            return self.xs[index]
        buffered = self._buffered(index)
        if buffered is not None:
            return buffered
        call, which = maker
        if isinstance(call, Whole):
            return self._of_row(call, which)
        scalar = call.scalar
        given = []
        for operand, memory, param in zip(call.operands, scalar.ins, scalar.params, strict=True):
            if isinstance(operand, Ref):
                x = self.value(operand.index)
            else:
                x = number(operand.value if isinstance(operand, Number) else operand, memory)
            given.append(typed(x, param))
        made = scalar.body(*given)
        made = made[which] if isinstance(made, (tuple, list)) else made
        return typed(made, call.specs[which][2].memory)

    def _buffered(self, key: Any) -> Any:
        """What a buffer holds, if it is filled by now."""
        place = self.program.rows.places.get(key)
        if place is None or self.program.rows.buffered[place].before > self.now:
            return None
        return self.xs[len(self.program.memories) + place]

    def elements(self, call: Whole, buffers: int | None = None) -> list[Any]:
        """The elements of a call's inputs, in the types in which it wants them; then the first of its own buffers."""
        found = [
            typed(self.value(ref.index), param)
            for ref, param in zip(call.operands, call.params, strict=True)
        ]
        for k in range(len(call.buffered) if buffers is None else buffers):
            own = self._buffered((id(call), k))
            if own is None:
                break
            found.append(own)
        return found

    def _of_row(self, call: Whole, which: int) -> Any:
        first, count = self.program.rows.results[id(call)]
        own = self.found[first : first + count]
        memory = call.specs[which][2].memory
        if isinstance(call.request, Reduce):
            return typed(own[which], memory)
        program = call.request.program
        scalars = list(program.scalars(own)) if program.scalars else []
        full = len(call.specs) - len(scalars)
        if which >= full:
            return typed(scalars[which - full], memory)
        made = program.body(self.elements(call), own)
        made = made[which] if isinstance(made, (tuple, list)) else made
        return typed(made, memory)


class _RowParts:
    """The phases and buffers of the calls that need whole rows.

    Args:
        program: the calls
    """

    def __init__(self, program: ScalarProgram) -> None:
        self.program = program
        self.phases: list[Phase] = []
        self.buffered: list[Buffered] = []
        # Which buffer holds a value, or a call's own buffered one.
        self.places: dict[Any, int] = {}
        # Where the results of a call's phases are among those of all, and how many there are.
        self.results: dict[int, tuple[int, int]] = {}
        self.count = 0

    def add(self, results: Sequence[int]) -> None:
        """Let the calls be phases.

        Args:
            results: the values that are wanted in the end
        """
        uses = Counter(results)
        for call in self.program.planned:
            uses.update(x.index for x in call.operands if isinstance(x, Ref))
        for call in self.program.planned:
            if isinstance(call, Whole):
                for ref in call.operands:
                    self._buffer(ref.index, uses)
                self._add_phases(call)

    def _buffer(self, index: int, uses: Counter[int]) -> None:
        """Compute what a call reads once for all passes, if that is work; before it, what others read, too."""
        maker = self.program.makers[index]
        if maker is None or index in self.places or self._cost(index) < DEAR:
            return
        if isinstance(maker[0], Element):
            for operand in maker[0].operands:
                if isinstance(operand, Ref) and uses[operand.index] > 1:
                    self._buffer(operand.index, uses)
        if self._cost(index) >= DEAR:
            before = len(self.phases)
            self._add_buffer(index, self._memory_of(index), before, self._value_of(index, before))

    def _add_buffer(self, key: Any, type: str, before: int, value: Callable[..., Any]) -> None:
        self.places[key] = len(self.buffered)
        self.buffered.append(Buffered(type, before, value))

    def _value_of(self, index: int, before: int) -> Callable[..., Any]:
        def value(xs: Any, found: Any) -> Any:
            # Its own buffer is about to be filled.
            here = Evaluation(self.program, xs, found, before)
            place = self.places.pop(index)
            try:
                return here.value(index)
            finally:
                self.places[index] = place

        return value

    def _memory_of(self, index: int) -> str:
        call, which = self.program.makers[index]  # type: ignore[misc]
        return call.specs[which][2].memory  # type: ignore[no-any-return]

    def _cost(self, index: int) -> int:
        """How many operations a value takes, from what can be read."""
        if self.program.makers[index] is None:
            return 0
        memories = [*self.program.memories, *(one.type for one in self.buffered)]
        xs = [arg(k, memory) for k, memory in enumerate(memories)]
        found = [arg(len(xs) + k, kind) for k, kind in enumerate(self.kinds)]
        value = Evaluation(self.program, xs, found, len(self.phases)).value(index)
        return sum(v.op not in ("arg", "const", "convert") for v in schedule([value])[0])

    @property
    def kinds(self) -> list[str]:
        """The types of the phases' results."""
        return [value.type for phase in self.phases for value in _results_of(phase)]

    def _add_phases(self, call: Whole) -> None:
        first, begin = self.count, len(self.phases)
        for number, phase in enumerate(_phases_of_row(call)):
            for k, one in enumerate(call.buffered):
                if one.before == number:
                    self._add_own(call, k, one, begin, first)
            self.phases.append(self._around(call, phase, first, len(self.phases)))
            self.count += len(_results_of(phase))
        self.results[id(call)] = first, self.count - first
        for k, one in enumerate(call.buffered):
            if one.before == len(self.phases) - begin:
                self._add_own(call, k, one, begin, first)

    def _add_own(self, call: Whole, k: int, one: Buffered, begin: int, first: int) -> None:
        """A buffer of a call's own row program."""
        before = begin + one.before

        def value(xs: Any, found: Any) -> Any:
            elements = Evaluation(self.program, xs, found, before).elements(call, k)
            return one.value(elements, found[first:])

        self._add_buffer((id(call), k), one.type, before, value)

    def _around(self, call: Whole, phase: Phase, first: int, number: int) -> Phase:
        """A phase over the inputs' elements, of one over those of a call's operands."""

        def step(accs: Any, xs: Any, index: Any, earlier: Any) -> Any:
            elements = Evaluation(self.program, xs, earlier, number).elements(call)
            return phase.step(accs, elements, index, earlier[first:])

        return Phase(phase.accs, phase.init, step, phase.combine, phase.close, phase.cascades)


def _phases_of_row(call: Whole) -> Sequence[Phase]:
    """The phases of a call over one row."""
    request = call.request
    if isinstance(request, RowsAlong):
        return request.program.phases
    reduction = request.reduction
    (phase,) = reduction.phases

    def close(accs: Any, count: Any) -> Any:
        results = phase.close(accs, count) if phase.close else accs
        totals = reduction.collect(results, count, const("i64", 0))
        made = reduction.finish(totals, count)
        made = made if isinstance(made, (tuple, list)) else [made]
        return [_narrowed(x, kind.memory) for x, (_, _, kind) in zip(made, call.specs, strict=True)]

    return [Phase(phase.accs, phase.init, phase.step, phase.combine, close)]


def _narrowed(x: Any, memory: str) -> Any:
    """A row's result in the type in which it would lie in memory.

    It is rounded once for the row then, and elements that are computed from it need no wider lanes.
    """
    return casts.cast(x, memory) if memory in ("f32", "i32") else x


def _results_of(phase: Phase) -> Sequence[Any]:
    accs = [const(kind, 0) for kind in phase.accs]
    return phase.close(accs, const("i64", 1)) if phase.close else accs


def fits_rows(request: Any) -> bool:
    """Whether a request can be phases of a row among others."""
    if isinstance(request, RowsAlong):
        return True
    return (
        isinstance(request, Reduce)
        and len(request.reduction.phases) == 1
        and not request.reduction.place
    )


def reading(
    reduction: Reduction, memories: Sequence[str], elements: Callable[[Any], Any]
) -> Reduction:
    """A reduction of what a function makes of other inputs' elements."""

    def around(phase: Phase) -> Phase:
        def step(accs: Any, xs: Any, index: Any, earlier: Any) -> Any:
            return phase.step(accs, elements(xs), index, earlier)

        return Phase(phase.accs, phase.init, step, phase.combine, phase.close, phase.cascades)

    return Reduction(
        tuple(memories), tuple(map(around, reduction.phases)), reduction.totals, reduction.start,
        reduction.collect, reduction.combine, reduction.finish, reduction.place,
    )  # fmt: skip


def row_program(program: ScalarProgram, full: Sequence[int], scalars: Sequence[int]) -> RowProgram:
    """A row program whose results are values of calls, those of whole rows first."""
    rows = program.rows
    rows.add([*full, *scalars])
    last = len(rows.phases)

    def body(xs: Any, found: Any) -> Any:
        here = Evaluation(program, xs, found, last)
        return [here.value(k) for k in full]

    def of_row(found: Any) -> Any:
        here = Evaluation(program, (), found, last)
        return [here.value(k) for k in scalars]

    return RowProgram(
        tuple(program.memories), tuple(rows.phases), body, of_row if scalars else None,
        tuple(rows.buffered),
    )  # fmt: skip
