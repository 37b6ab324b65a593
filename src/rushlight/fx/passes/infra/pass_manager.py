"""Running passes in an order that they ask for."""

from __future__ import annotations

import inspect
import itertools
import logging
from collections.abc import Callable
from functools import wraps
from queue import Queue
from typing import Any

from rushlight.fx.graph_module import GraphModule
from rushlight.fx.passes.infra.pass_base import PassResult
from rushlight.nn.modules.module import Module

__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]

logger = logging.getLogger(__name__)

Pass = Callable[..., Any]
Constraint = Callable[[Pass, Pass], bool]


def pass_result_wrapper(fn: Pass) -> Pass:
    """Let a pass that changes a module in place, and returns nothing, return a `PassResult`."""
    if fn is None:
        return None

    @wraps(fn)
    def wrapped(gm: Any) -> PassResult | None:
        result = fn(gm)
        if result is None:
            return PassResult(gm, True)
        if isinstance(result, PassResult):
            return result
        if isinstance(result, Module):
            return PassResult(result, True)  # type: ignore[arg-type]
        return None

    if not inspect.isfunction(fn):
        wrapped.__name__ = type(fn).__name__
    return wrapped


def _name(one: Pass) -> str:
    return one.__name__ if inspect.isfunction(one) else type(one).__name__


def _validate_pass_schedule_constraint(constraint: Constraint, passes: list[Pass]) -> None:
    for index, first in enumerate(passes):
        for offset, second in enumerate(passes[index + 1 :]):
            if not constraint(first, second):
                raise RuntimeError(
                    f"pass schedule constraint violated. Expected {first} before {second} but "
                    f"found {first} at index {index} and {second} at index{index + 1 + offset} in "
                    f"pass list."
                )


def _topological_sort_passes(passes: list[Pass], constraints: list[Constraint]) -> list[Pass]:
    """The passes in an order that no constraint forbids."""
    if len(constraints) == 0:
        return passes
    later: dict[Pass, list[Pass]] = {one: [] for one in passes}
    missing = dict.fromkeys(passes, 0)
    for constraint in constraints:
        for first, second in itertools.permutations(passes, 2):
            # Two that must not come in this order must come in the other.
            if not constraint(first, second):
                later[second].append(first)
                missing[first] += 1
    visited = dict.fromkeys(passes, False)
    ready: Queue[Pass] = Queue()
    for one in passes:
        if missing[one] == 0:
            ready.put(one)
    ordered: list[Pass] = []
    while not ready.empty():
        one = ready.get()
        ordered.append(one)
        visited[one] = True
        for other in later[one]:
            missing[other] -= 1
            if missing[other] == 0 and not visited[other]:
                ready.put(other)
    cycle = [one for one in missing if missing[one] != 0]
    if cycle:
        raise RuntimeError(f"Circular dependency detected within the following passes: {cycle}")
    return ordered


def this_before_that_pass_constraint(this: Pass, that: Pass) -> Constraint:
    """A constraint: the first pass comes before the second."""

    def depends_on(a: Pass, b: Pass) -> bool:
        return a != that or b != this

    return depends_on


class PassManager:
    """Runs passes.

    Args:
        passes: the passes
        constraints: say of two passes whether they may come in that order
        steps: how often all are run, at most
        run_checks_after_each_pass: whether checks are made after each
        suppress_check_failures: whether checks that fail are no errors
    """

    passes: list[Pass]
    constraints: list[Constraint]
    _validated: bool = False
    steps: int = 1

    def __init__(
        self,
        passes: list[Pass] | None = None,
        constraints: list[Constraint] | None = None,
        steps: int | None = None,
        run_checks_after_each_pass: bool = False,
        suppress_check_failures: bool = False,
    ) -> None:
        self.passes = passes or []
        self.constraints = constraints or []
        if steps:
            self.steps = steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures

    def add_pass(self, _pass: Pass) -> None:
        """Add a pass."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Constraint) -> None:
        """Add a constraint."""
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self) -> None:
        """Raise an error if the order of the passes is forbidden."""
        if self._validated:
            return
        for constraint in self.constraints:
            _validate_pass_schedule_constraint(constraint, self.passes)
        self._validated = True

    def solve_constraints(self) -> None:
        """Put the passes in an order that is not forbidden."""
        self.passes = _topological_sort_passes(self.passes, self.constraints)
        self._validated = True

    def add_checks(self, check: Callable[..., Any]) -> None:
        """Add a check: a function of a module that raises an error."""
        parameters = list(inspect.signature(check).parameters.values())
        if len(parameters) != 1:
            raise TypeError("PassManager check function should only take in one variable, a module")
        self.check = check  # type: ignore[method-assign]

    def check(self, module: Any) -> None:
        """Raise an error if a module is not as it should be."""

    def __call__(self, module: Any) -> PassResult:
        """Run the passes on a module."""
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        ever = False
        for _ in range(self.steps):
            changed = False
            for index, one in enumerate(self.passes):
                result = self._run(module, one, index)
                module = result.graph_module
                changed = changed or result.modified
                if isinstance(module, GraphModule):
                    module.recompile()
                if self.run_checks_after_each_pass:
                    self.check(module)
            ever = ever or changed
            if not changed:
                break
        return PassResult(module, ever)

    def _run(self, module: Any, one: Pass, index: int) -> PassResult:
        name = _name(one)
        logger.debug("Running pass '%s'", name)
        try:
            result = one(module)
            if not isinstance(result, PassResult) and not hasattr(result, "graph_module"):
                raise TypeError(
                    f"The result of the pass {name} should be type PassResult.Please wrap it with "
                    f"pass_result_wrapper()"
                )
        except Exception as error:
            before = [_name(other) for other in self.passes[:index]]
            raise Exception(
                f"An error occurred when running the '{name}' pass after the following passes: "
                f"{before}"
            ) from error
        return result
