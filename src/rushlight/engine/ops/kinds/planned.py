"""Operators that are a rule from arguments to a request, and a request to loops.

A rule checks a call's arguments and says what is wanted: a `Request` knows its inputs, what the
results look like and how to build the loops that fill them. Functional, in-place and ``out=``
variants, on the CPU and on the meta device, all follow from the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar, Union

from rushlight.engine.core import keys
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import recorder, steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.loops.plan import Chain, Loop, Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.kinds import outputs

Spec = tuple[tuple[int, ...], tuple[int, ...], dtype]
Target = Union[Template, Tensor]
Built = tuple[Union[Loop, Chain], list[Template]]


class Request:
    """What one call asks for."""

    inputs: tuple[Tensor, ...]
    specs: list[Spec]

    def build(self, targets: Sequence[Target]) -> Built:
        """The loops that fill the targets from the inputs, and the scratch tensors they use."""
        raise NotImplementedError


@dataclass
class Computed(Request):
    """A request that other operators or numpy fulfil."""

    specs: list[Spec]
    compute: Callable[[], Any]
    inputs: tuple[Tensor, ...] = ()


Rule = TypeVar("Rule", bound=Callable[..., Request])


def contiguous_spec(size: Sequence[int], kind: dtype) -> Spec:
    """A contiguous result."""
    return tuple(size), sizes.contiguous_strides(tuple(size)), kind


CheckOut = Callable[[Tensor, dtype], None]
# The kernels of functional overloads, by the full names of their operators.
kernels: dict[str, Kernel] = {}


def planned(
    *names: str, exact: bool | CheckOut = False, typed_by_out: bool = False
) -> Callable[[Rule], Rule]:
    """Register a rule as the kernel of the named overloads and of their variants.

    Args:
        exact: an ``out=`` tensor must have the result's own type; or what checks its type
        typed_by_out: without a ``dtype`` argument, an ``out=`` tensor's type takes its place
    """

    def decorate(rule: Rule) -> Rule:
        for name in names:
            operators.when_needed(name, partial(_install, name, rule, exact, typed_by_out))
        return rule

    return decorate


def _install(
    name: str, rule: Callable[..., Request], exact: bool | CheckOut, typed_by_out: bool
) -> None:
    """Register the kernels of an overload and of its variants."""
    op = operators.operator(name)
    kernel = kernels[op.full_name] = Kernel(op, rule, exact, typed_by_out)
    inplace, out = outputs.variants(op)
    if op.schema.kind != "functional":
        inplace, out = [], [op]
    else:
        operators.register_kernel(op.full_name, "CPU", kernel.functional)
        operators.register_kernel(op.full_name, "Meta", kernel.meta)
    for other, run in [(o, kernel.inplace) for o in inplace] + [(o, kernel.out) for o in out]:
        operators.register_kernel(other.full_name, "CPU", run)
        operators.register_kernel(other.full_name, "Meta", run)


def signature(args: Sequence[Any]) -> tuple[Any, ...]:
    """What a plan depends on."""
    return tuple(
        (a._flags_, a._size_, a._stride_)
        if isinstance(a, Tensor)
        else tuple(a)
        if isinstance(a, list)
        else (type(a), a)
        for a in args
    )


class Kernel:
    """The kernels of an overload; it remembers a plan for every signature."""

    calls_nothing = True
    # Whether steps say all that is done on a device, too.
    notes_device_steps = True

    def __init__(
        self,
        op: Operator,
        rule: Callable[..., Request],
        exact: bool | CheckOut,
        typed_by_out: bool,
    ) -> None:
        self.op = op
        self.rule = rule
        self.check_out = outputs.check_exact if exact is True else exact
        outs = op.schema.out_arguments
        self.names = [a.name for a in op.schema.arguments if a not in outs]
        self.typed = self.names.index("dtype") if typed_by_out else -1
        self.plans = PlanTable()
        self.loops = PlanTable()

    def functional(self, *args: Any) -> Any:
        """Give new tensors."""
        key = signature(args)
        found = self.plans.get(key)
        if found is None:
            warnings = recorder.recording.warnings
            request = self.rule(*args)
            if isinstance(request, Computed):
                return self._computed(args, request)
            found = plan_of(request), _positions(request, args)
            if warnings == recorder.recording.warnings:
                self.plans[key] = found
        plan, positions = found
        inputs = [args[i] for i in positions]
        return steps.Produced.note(plan, inputs, plan.produce(*inputs))

    def _computed(self, args: Sequence[Any], request: Computed) -> Any:
        """What a request gives that calls operators: these must not see histories."""
        given = (t for a in args for t in (a if isinstance(a, (list, tuple)) else (a,)))
        if not any(isinstance(t, Tensor) and t._keys_ & keys.AUTOGRAD for t in given):
            return request.compute()
        return self.rule(*map(steps.without_history, args)).compute()  # type: ignore[attr-defined]

    def meta(self, *args: Any) -> Any:
        """What `functional` would give, without any elements."""
        given = [t for a in args for t in (a if isinstance(a, (list, tuple)) else (a,))]
        return outputs.new_outputs(self.rule(*args).specs, outputs.common_device(given))

    def inplace(self, *args: Any) -> Tensor:
        """Write the result over the first argument."""
        target: Tensor = args[0]
        request = self.rule(*args)
        size, _, result = request.specs[0]
        outputs.check_inplace(target, size, result)
        self._fill((target,), args, request, in_place=True)
        return target

    def out(self, *args: Any) -> Any:
        """Write the results to the tensors given after the other arguments."""
        count = len(self.names)
        inputs, targets = list(args[:count]), args[count:]
        if self.typed >= 0 and inputs[self.typed] is None:
            inputs[self.typed] = targets[0]._dtype_
        request = self.rule(*inputs)
        outputs.common_device((*inputs, *targets))
        for target, (size, _, result) in zip(targets, request.specs):
            if self.check_out:
                self.check_out(target, result)
            outputs.check_cast(result, target._dtype_)
            outputs.resize_output(target, size)
            outputs.check_written_once(target)
        self._fill(targets, inputs, request)
        return targets[0] if len(targets) == 1 else targets

    def _fill(
        self,
        targets: Sequence[Tensor],
        args: Sequence[Any],
        request: Request,
        in_place: bool = False,
    ) -> None:
        """Compute into existing tensors."""
        if not tensors.is_computed(targets[0]):
            for target in targets:
                tensors.bump_version(target)
            return
        # In place, the first argument is the target; another one with its memory is still read.
        read = args[1:] if in_place else args
        shared = any(
            t._storage_ is x._storage_ for t in targets for x in read if isinstance(x, Tensor)
        )
        if isinstance(request, Computed) or shared:
            results = self.functional(*args)
            results = results if isinstance(results, tuple) else (results,)
            for target, result in zip(targets, results):
                operators.operator("copy_").call(target, result, False)
            return
        key = signature((*targets, *args))
        found = self.loops.get(key)
        if found is None:
            found = self.loops[key] = *request.build(targets), _positions(request, args)
        loop, scratch, positions = found
        held = [tensors.create(template) for template in scratch]
        operands = (*targets, *held, *(args[i] for i in positions))
        loop.run(*operands)
        steps.Written.note(loop, operands, len(targets))
        for target in targets:
            tensors.bump_version(target)


def plan_of(request: Request) -> Plan:
    """The plan that makes the results of a request."""
    templates = [Template(sizes.intern(size), stride, kind) for size, stride, kind in request.specs]
    loop, scratch = request.build(templates)
    return Plan(loop, [*templates, *scratch], len(scratch))


def _positions(request: Request, args: Sequence[Any]) -> list[int]:
    """Where the request's inputs are among the arguments.

    One tensor may be several arguments; each input then gets one of its own, since later calls
    with other tensors use the same places.
    """
    found: list[int] = []
    for x in request.inputs:
        places = [i for i, a in enumerate(args) if a is x]
        found.append(next((i for i in places if i not in found), places[0]))
    return found
