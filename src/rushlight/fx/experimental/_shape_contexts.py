"""What a program says of sizes before there are symbols for them, and the errors that sizes lead to."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Sequence
from typing import Any

from rushlight._guards import Source
from rushlight.engine.native.records import dataclass


class GuardOnDataDependentSymNode(RuntimeError):
    """A program asks how large something is that its elements decide."""

    def __init__(self, cond: Any, *args: Any) -> None:
        super().__init__(*args)
        self.cond = cond


class ConstraintViolationError(RuntimeError):
    """A size that was said to vary cannot."""


class DimDynamic(enum.Enum):
    """What a size of a tensor is."""

    DYNAMIC = 0
    DUCK = 1
    STATIC = 2
    UNBACKED = 3
    INFER_STRIDE = 4
    OBLIVIOUS_SIZE = 5


@dataclass(frozen=True)
class Constraint:
    """What is said of a size."""

    warn_only: bool


@dataclass(frozen=True)
class StrictMinMaxConstraint(Constraint):
    """Between which numbers a size lies, without further guards."""

    vr: Any

    def render(self, source: Source) -> str:
        """The same as a text."""
        return f"{self.vr.lower} <= {source.name} <= {self.vr.upper}"


@dataclass(frozen=True)
class RelaxedUnspecConstraint(Constraint):
    """That a size is not always the same."""

    def render(self, source: Source) -> str:
        """The same as a text."""
        return f"RelaxedUnspecConstraint({source.name})"


@dataclass(frozen=True)
class EqualityConstraint(Constraint):
    """Which sizes are equal."""

    source_pairs: list[tuple[Source, Source]]
    derived_equalities: list[Any] = dataclasses.field(default_factory=list)
    phantom_symbols: list[Any] = dataclasses.field(default_factory=list)
    relaxed_sources: set[Source] = dataclasses.field(default_factory=set)


@dataclass(frozen=True)
class SymbolicContext:
    """Which parts of a tensor's metadata are symbols."""


@dataclass(frozen=True)
class SymIntSymbolicContext(SymbolicContext):
    """What an integer argument is."""

    constraint: Any


@dataclass(frozen=True)
class StatelessSymbolicContext(SymbolicContext):
    """What the sizes and strides of a tensor are.

    Args:
        dynamic_sizes: for each dimension
        dynamic_strides: for each dimension; found from the sizes if not given
        constraint_sizes: what is said of the sizes
        constraint_strides: what is said of the strides
        view_base_context: the same for what the tensor is a view of
    """

    dynamic_sizes: Sequence[DimDynamic]
    dynamic_strides: Sequence[DimDynamic] = None  # type: ignore[assignment]
    constraint_sizes: Sequence[Any] = None  # type: ignore[assignment]
    constraint_strides: Sequence[Any] = None  # type: ignore[assignment]
    specialize_on: Sequence[Any] | None = None
    view_base_context: SymbolicContext | None = None

    def __post_init__(self) -> None:
        count = len(self.dynamic_sizes)
        for name, usual in (
            ("dynamic_strides", DimDynamic.INFER_STRIDE),
            ("constraint_sizes", None),
            ("constraint_strides", None),
        ):
            if getattr(self, name) is None:
                object.__setattr__(self, name, [usual] * count)


@dataclass(frozen=True)
class StatefulSymbolicContext(StatelessSymbolicContext):
    """The same for one argument of a program, which gets its symbols again when it comes again."""

    tensor_source: Source | None = None
    shape_env_to_source_to_symbol_cache: dict[int, dict[str, Any]] = dataclasses.field(
        default_factory=dict
    )
    excluded_sizes: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tensor_source is None:
            raise AssertionError("tensor_source cannot be None")


@dataclass(frozen=True)
class SubclassSymbolicContext(StatefulSymbolicContext):
    """The same for a tensor that consists of others."""

    inner_contexts: dict[str, SymbolicContext] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()


@dataclass
class TrackedFake:
    """A fake tensor of an argument, and where the argument comes from."""

    fake: Any
    source: Source
    symbolic_context: SymbolicContext | None


@dataclass(frozen=True)
class ShapeEnvSettings:
    """How a `ShapeEnv` makes symbols."""

    allow_scalar_outputs: bool
    allow_dynamic_output_shape_ops: bool
    assume_static_by_default: bool
    specialize_zero_one: bool
    duck_shape: bool
    prefer_deferred_runtime_asserts_over_guards: bool
    trace_asserts: bool


@dataclass(frozen=True)
class RuntimeAssert:
    """What a program has to check while it runs."""

    expr: Any
    msg: str = dataclasses.field(default="", repr=False)
    stack: Any = dataclasses.field(default=None, repr=False)
