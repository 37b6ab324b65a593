"""The expressions of reductions, traced and ready to be printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.loops import casts
from rushlight.engine.loops.expr import Value, arg
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.reduction import Phase, Reduction
from rushlight.engine.loops.target import Target


class PhasePrograms:
    """The expressions of a block's phases, each with its arguments numbered in order."""

    def __init__(
        self,
        phases: Sequence[Phase],
        params: Sequence[str],
        ins: Sequence[str],
        target: Target,
    ) -> None:
        self.phases = phases
        self.params = params
        self.memories = ins
        self.target = target
        self.raws = [[casts.raw_type(m)] * casts.parts(m) for m in ins]
        self.built: list[Program] = []  # all of them
        self.steps: list[Program] = []
        self.combines: list[Program] = []
        self.closes: list[Program] = []
        self.known: list[list[str]] = [[]]  # types of the results before each phase
        for phase in phases:
            self._add(phase)

    def _add(self, phase: Phase) -> None:
        def step(*groups: list[Value]) -> Sequence[Value]:
            *parts, accs, index, before = groups
            return phase.step(accs, self.elements(parts), index[0], before)

        def close(accs: list[Value], count: list[Value]) -> Sequence[Value]:
            return phase.close(accs, count[0]) if phase.close else accs

        earlier = self.known[-1]
        self.steps.append(self.build(step, *self.raws, phase.accs, ["i32"], earlier))
        self.combines.append(self.build(phase.combine, phase.accs, phase.accs))
        self.closes.append(self.build(close, phase.accs, ["i64"]))
        self.known.append([*earlier, *(value.type for value in self.closes[-1].outputs)])

    def elements(self, parts: Sequence[list[Value]]) -> list[Any]:
        """The inputs' elements as a body wants them, from the parts loaded."""
        return [casts.from_memory(*x) for x in zip(parts, self.memories, self.params, strict=True)]

    def build(self, function: Callable[..., Sequence[Value]], *groups: Sequence[str]) -> Program:
        """Trace a function whose arguments are groups of values of the given types."""
        arguments = []
        count = 0
        for group in groups:
            arguments.append([arg(count + k, type) for k, type in enumerate(group)])
            count += len(group)
        self.built.append(Program(list(function(*arguments)), self.target))
        return self.built[-1]

    def description(self) -> str:
        """What the phases compute, for who wants to know whether others compute the same."""
        begins = [(phase.accs, phase.init, phase.cascades) for phase in self.phases]
        return f"{begins}{[program.description() for program in self.built]}"

    @property
    def widest(self) -> int:
        return max(p.widest for p in self.steps)

    @property
    def cost(self) -> int:
        return max(p.cost for p in self.steps)


class Programs(PhasePrograms):
    """The expressions of a whole reduction."""

    def __init__(
        self, reduction: Reduction, outs: Sequence[str], ins: Sequence[str], target: Target
    ) -> None:
        super().__init__(reduction.phases, reduction.params, ins, target)
        self.reduction = reduction
        self.collect = self.build(
            lambda results, count, first: reduction.collect(results, count[0], first[0]),
            self.known[-1],
            ["i64"],
            ["i64"],
        )
        self.combine = self.build(reduction.combine, reduction.totals, reduction.totals)
        self.finish = self.build(
            lambda totals, count: stored(reduction.finish(totals, count[0]), outs),
            reduction.totals,
            ["i64"],
        )

    def description(self) -> str:
        return f"{self.reduction.totals}{self.reduction.start}{super().description()}"


def stored(results: Any, outs: Sequence[str]) -> list[Value]:
    if not isinstance(results, (tuple, list)):
        results = (results,)
    return [
        part
        for result, memory in zip(results, outs, strict=True)
        for part in casts.to_memory(result, memory)
    ]
