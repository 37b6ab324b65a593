"""`draft_export`: a program all the same, and a report of what was in the way.

Where a specification of sizes cannot hold, sizes vary as far as they can. Where a program asks what only elements can
answer, those of the example arguments answer, and the program checks when it runs that they would answer the same.
"""

from __future__ import annotations

import enum
import warnings
from collections.abc import Mapping
from typing import Any

import rushlight
from rushlight._dynamo.exc import UserError, UserErrorType
from rushlight.engine.core.symbolic import SymBool
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.engine.native.records import dataclass
from rushlight.export._assertions import AssertingShapes
from rushlight.export.dimensions import NO_LIMIT, Dim, DimHint, DimHintType
from rushlight.fx.experimental._shape_guards import FUNCTIONS, as_python, place_of_program
from rushlight.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from rushlight.nn import Module
from rushlight.utils import _pytree as pytree

__all__ = ["DraftExportReport", "FailureReport", "FailureType", "draft_export"]


class FailureType(enum.IntEnum):
    """What was in the way."""

    MISSING_FAKE_KERNEL = 1
    DATA_DEPENDENT_ERROR = 2
    GUARD_ADDED = 3
    MISMATCHED_FAKE_KERNEL = 4

    def __str__(self) -> str:
        return self.name


@dataclass
class FailureReport:
    """Something that was in the way.

    Args:
        failure_type: what kind of thing
        data: what is known of it
    """

    failure_type: FailureType
    data: dict[str, Any]
    xfail: bool = False

    def __str__(self) -> str:
        if self.failure_type is FailureType.DATA_DEPENDENT_ERROR:
            return (
                f"Data dependent error.\n    {self.data['expr']} was taken to be {self.data['result']}, as it "
                f"is for the example arguments.\n    This occurred at {self.data['place']}; the program "
                "checks it when it runs (torch._check would say it in your code)."
            )
        return (
            f"Guard Added.\n    {self.data['message']}\n    Because of this, the dynamic shapes are now\n"
            f"    {self.data['new_dynamic_shapes']}"
        )


@dataclass
class DraftExportReport:
    """What was in the way of an export."""

    failures: list[FailureReport]

    def successful(self) -> bool:
        """Whether nothing was."""
        return not self.failures

    def apply_suggested_fixes(self) -> None:
        """Not there: what mends a program is said by the report, and done by people."""
        raise NotImplementedError("Not implemented yet")

    def __str__(self) -> str:
        if self.successful():
            return (
                "Congratulations: No issues are found during export, and it was able to soundly produce a "
                "graph.\nYou can now change back to torch.export.export()."
            )
        parts = [f"{k + 1}. {failure}" for k, failure in enumerate(self.failures)]
        head = f"WARNING: {len(self.failures)} issue(s) found during export, and it was not able to soundly produce a graph."
        return "\n\n".join([head, "Please follow the instructions to fix the errors.", *parts])


class _Elements(TorchDispatchMode):
    """Notes the numbers that a program gets from elements: what is asked for, and sizes that they decide."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[int] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        tags = {str(tag).rpartition(".")[2] for tag in func.declared_tags}
        if "data_dependent_output" in tags and isinstance(result, int):
            self.found.append(int(result))
        elif "dynamic_output_shape" in tags:
            first = next(x for x in pytree.tree_leaves(result) if isinstance(x, Tensor))
            self.found.append(first.shape[0])  # type: ignore[attr-defined]
        return result


class _Answering(AssertingShapes):
    """Lets numbers that were noted answer questions about elements.

    Args:
        found: the numbers, in the order that a trace makes symbols for them
        failures: gets the questions
    """

    def __init__(self, found: list[int], failures: list[FailureReport], **options: Any) -> None:
        super().__init__(**options)
        self._found, self._failures = found, failures

    def _unknown(self, operation: int, a: Any, b: Any, is_flipped: bool) -> bool | None:
        stated = self._stated(operation, a, b, is_flipped)
        if stated is not None:
            return stated
        comparison = SymBool(self._trace, operation, a, b)
        text = as_python(str(comparison))
        names = {f"u{k}": value for k, value in enumerate(self._found)}
        values = {**{str(s): v for s, v in self.backed_var_to_val.items()}, **names}
        try:
            holds = bool(eval(text, {**FUNCTIONS, **values}))
        except NameError:
            return super()._unknown(operation, a, b, is_flipped)
        self._failures.append(
            FailureReport(
                FailureType.DATA_DEPENDENT_ERROR,
                {"expr": str(comparison), "result": holds, "place": str(place_of_program())},
            )
        )
        return self.take_for_granted(comparison, holds)


def _elements_of(mod: Module, args: Any, kwargs: Any) -> list[int]:
    """The numbers that a module gets from the elements of arguments; nothing is changed by its call."""
    import copy

    noted = _Elements()
    given, named = pytree.tree_map_only(Tensor, lambda t: t.detach().clone(), (args, kwargs))
    with rushlight.random.fork_rng(), rushlight.no_grad(), noted:
        copy.deepcopy(mod)(*given, **named)
    return noted.found


def _as_they_can(dim: Any) -> Any:
    """A dimension that varies if the program allows it."""
    if isinstance(dim, Dim):
        return Dim.AUTO(min=dim.min, max=None if dim.max == NO_LIMIT else dim.max)
    if isinstance(dim, DimHint) and dim.type is DimHintType.DYNAMIC:
        return Dim.AUTO(min=dim.min, max=dim.max)
    return dim


def draft_export(
    mod: Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    preserve_module_call_signature: tuple[str, ...] = (),
    strict: bool = False,
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> Any:
    """A program, with a report of what was in the way of it (`program._report`)."""
    from rushlight.export._trace import _export

    failures: list[FailureReport] = []
    found: list[int] | None = None

    def attempt(shapes: Any) -> Any:
        env = None if found is None else _Answering(found, failures)
        return _export(
            mod, args, kwargs, shapes, strict=strict,
            preserve_module_call_signature=preserve_module_call_signature,
            prefer_deferred_runtime_asserts_over_guards=prefer_deferred_runtime_asserts_over_guards,
            env=env,
        )  # fmt: skip

    shapes, program = dynamic_shapes, None
    while program is None:
        try:
            program = attempt(shapes)
        except UserError as error:
            if (
                error.error_type is not UserErrorType.CONSTRAINT_VIOLATION
                or shapes is not dynamic_shapes
            ):
                raise
            shapes = pytree.tree_map(
                _as_they_can, dynamic_shapes, is_leaf=lambda x: isinstance(x, (Dim, DimHint))
            )
            failures.append(
                FailureReport(
                    FailureType.GUARD_ADDED, {"message": str(error), "new_dynamic_shapes": shapes}
                )
            )
        except GuardOnDataDependentSymNode:
            if found is not None:
                raise
            found = _elements_of(mod, args, dict(kwargs or {}))
    program._report = DraftExportReport(failures)
    if failures:
        warnings.warn(
            f"{len(failures)} issue(s) found during export, and it was not able to soundly produce a graph; "
            "print(program._report) tells them.",
            stacklevel=3,
        )
    return program
