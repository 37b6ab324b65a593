"""Fused loops: several operators as one kernel, planned for the sizes that come.

A kernel is a function of tensors that makes one step of a remembered call.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from rushlight._inductor.scalar_program import (
    Call,
    Evaluation,
    NotFusible,
    ScalarProgram,
    Spec,
    Whole,
    plan_calls,
    reading,
    row_program,
    shown,
)
from rushlight.engine.core import device as devices
from rushlight.engine.core import size as sizes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.loops import placement
from rushlight.engine.loops.identity import identified
from rushlight.engine.loops.plan import Loop, Plan
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.kinds.nested_loops import facts
from rushlight.engine.ops.kinds.planned import Built, Target, plan_of, signature
from rushlight.engine.ops.kinds.reduction import Reduce, reduced_size
from rushlight.engine.ops.kinds.rows import RowsAlong, pseudo_view


class Kernel:
    """Calls of operators in one loop.

    Args:
        name: what graphs call it
        calls: the calls, whose `Ref` count the inputs first, then results in order
        inputs: how many inputs there are
        results: the values that it gives
    """

    def __init__(
        self, name: str, calls: Sequence[Call], inputs: int, results: Sequence[int]
    ) -> None:
        self.__name__ = self.__qualname__ = name
        # Code that calls it has it as a global of its own.
        self.__module__ = "kernels"
        self.calls, self.inputs, self.results = list(calls), inputs, list(results)
        self.plans = PlanTable()

    def __call__(self, *inputs: Tensor) -> Any:
        if inputs and inputs[0]._storage_.device is not devices.cpu:
            return self._on_device(inputs)
        return self._run(inputs)

    def _on_device(self, inputs: Sequence[Tensor]) -> Any:
        """The same with loops for the device that the inputs are on; calls apart, if it lacks such a loop."""
        steps.Unrepeatable.note()
        try:
            with placement.planned_for(inputs[0], self.__name__):
                return self._run(inputs)
        except NotImplementedError:
            return self.apart(inputs)

    def _run(self, inputs: Sequence[Tensor]) -> Any:
        key = signature(inputs)
        plan = self.plans.get(key)
        if plan is None:
            try:
                plan = self.plans[key] = self.plan(inputs)
            except NotFusible:
                return self.apart(inputs)
        return self.filled(plan, inputs)

    def filled(self, plan: Plan, inputs: Sequence[Tensor]) -> Any:
        """The results, filled by the loop."""
        return steps.Produced.note(plan, inputs, plan.produce(*inputs))

    def __reduce__(self) -> Any:
        return type(self), (self.__name__, self.calls, self.inputs, self.results)

    @property
    def operators(self) -> list[Operator]:
        """What it calls, in order."""
        return [call.op for call in self.calls]

    def __repr__(self) -> str:
        return f"<{self.__name__} of {', '.join(op.full_name for op in self.operators)}>"

    def apart(self, inputs: Sequence[Tensor]) -> Any:
        """What the calls give one after the other, for sizes of which they share no loop."""
        values: list[Any] = list(inputs)
        for call in self.calls:
            made = call.op.call(*(shown(x, values) for x in call.args))
            values += made if isinstance(made, (tuple, list)) else [made]
        results = [values[k] for k in self.results]
        return results[0] if len(results) == 1 else tuple(results)

    def plan(self, inputs: Sequence[Tensor]) -> Plan:
        """The loop for inputs like these."""
        return self.build(inputs, *self.program(inputs))

    def program(self, inputs: Sequence[Tensor]) -> tuple[ScalarProgram, list[Spec]]:
        """What is computed of inputs like these, and what the results are like."""
        self.settle()
        memories = [t._dtype_.memory for t in inputs]
        program = ScalarProgram(plan_calls(self.calls, inputs), memories)
        specs = [spec for call in program.planned for spec in call.specs]
        return program, [specs[k - self.inputs] for k in self.results]

    def settle(self) -> None:
        """Have the operators' kernels: what came from disk may name some that nobody has called yet."""
        for call in self.calls:
            registry.load_family(call.op.family)
            call.op.settle()

    def build(self, inputs: Sequence[Tensor], program: ScalarProgram, specs: list[Spec]) -> Plan:
        raise NotImplementedError


class Map(Kernel):
    """Pointwise calls whose results have one size.

    Args:
        into: the number of the input whose memory the only result takes, if it has the same layout
    """

    def __init__(
        self, name: str, calls: Sequence[Call], inputs: int, results: Sequence[int],
        into: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(name, calls, inputs, results)
        self.into = into

    def __reduce__(self) -> Any:
        kind, given = super().__reduce__()
        return kind, (*given, self.into)

    def filled(self, plan: Plan, inputs: Sequence[Tensor]) -> Any:
        target = None if self.into is None else inputs[self.into]
        if target is None or plan.loop is None or not _is_like(target, plan.templates[0]):
            return super().filled(plan, inputs)
        operands = (target, *inputs)
        plan.loop.run(*operands)
        steps.Mapped.note(plan.loop, operands, 1)
        tensors.bump_version(target)
        return target

    def build(self, inputs: Sequence[Tensor], program: ScalarProgram, specs: list[Spec]) -> Plan:
        templates = [Template(sizes.intern(size), stride, kind) for size, stride, kind in specs]
        return Plan(self.loop(program, templates, inputs), templates)

    def loop(self, program: ScalarProgram, outs: Sequence[Template], ins: Sequence[Any]) -> Loop:
        """The loop of a program over elements of one size.

        Args:
            program: what is computed
            outs: what is written
            ins: what is read
        """

        def body(*xs: Any) -> list[Any]:
            return program.values(self.results, xs)

        # Pointwise calls always have a key.
        identity = "map", program.key(), tuple(self.results)
        memories = [t.dtype.memory for t in outs]
        return elementwise_loop(
            body, outs, ins, memories, program.memories, program.memories, identity=identity
        )


def _is_like(tensor: Tensor, template: Template) -> bool:
    """Whether a tensor has the layout of a new one."""
    own = tensor._size_, tensor._stride_, tensor._dtype_
    return own == (template.size, template.stride, template.dtype)


class Reduced(Kernel):
    """A reduction of what pointwise calls make: the last call, whose results are the only ones."""

    def build(self, inputs: Sequence[Tensor], program: ScalarProgram, specs: list[Spec]) -> Plan:
        whole = program.planned[-1]
        assert isinstance(whole, Whole) and isinstance(whole.request, Reduce)
        request, reduction = whole.request, whole.request.reduction

        def elements(xs: Any) -> list[Any]:
            return Evaluation(program, xs).elements(whole)

        made = reading(reduction, program.memories, elements)
        key = program.key()
        if key is not None:
            identified(made, key)
            for number, phase in enumerate(made.phases):
                identified(phase, (key, number))
        return plan_of(dataclasses.replace(request, inputs=tuple(inputs), reduction=made))


class Rows(Kernel):
    """Pointwise calls, reductions and row programs along the same dimensions: rows stay in the cache.

    Args:
        dims: the dimensions of a row
        scalars: how many of the results, the last ones, have one element a row
    """

    def __init__(
        self, name: str, calls: Sequence[Call], inputs: int, results: Sequence[int],
        dims: Sequence[int], scalars: int,
    ) -> None:  # fmt: skip
        super().__init__(name, calls, inputs, results)
        self.dims, self.scalars = tuple(dims), scalars

    def __reduce__(self) -> Any:
        kind, given = super().__reduce__()
        return kind, (*given, self.dims, self.scalars)

    def build(self, inputs: Sequence[Tensor], program: ScalarProgram, specs: list[Spec]) -> Plan:
        full = len(self.results) - self.scalars
        made = row_program(program, self.results[:full], self.results[full:])
        key = program.key()
        if key is not None:
            identified(made, ("rows", key, tuple(self.results), full))
        return plan_of(_RowsOfCalls(tuple(inputs), self.dims, made, specs))


class _RowsOfCalls(RowsAlong):
    """Rows whose results of one element a row may lack the row's dimensions."""

    def build(self, targets: Sequence[Target]) -> Built:
        return super().build([self._kept(target) for target in targets])

    def _kept(self, target: Target) -> Target:
        shape = self.shape
        size, _, _ = facts(target)
        kept = reduced_size(shape, self.dims, True)
        if size in (shape, kept):
            return target
        return pseudo_view(target, kept, sizes.contiguous_strides(kept))
