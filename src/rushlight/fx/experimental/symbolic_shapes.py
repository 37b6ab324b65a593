"""Sizes that are symbols: their making, what is assumed of them, and what can be asked.

A `ShapeEnv` has the symbols of a traced program. They are the symbolic integers that planners of the
engine compute with (`engine.core.shape_trace`), so everything that works out sizes works out
expressions. A question that a program asks of a symbol with a value is answered by the value, and
becomes a guard; what elements decide has none (`GuardOnDataDependentSymNode`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import hashlib
import math
import operator
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rushlight._dynamo.source import TensorProperty, TensorPropertySource
from rushlight._guards import ShapeGuard, SLoc, Source
from rushlight.engine.core import nested_ints, symbolic
from rushlight.engine.core.expressions import EQUAL
from rushlight.engine.core.shape_trace import ShapeTrace
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.experimental import _config
from rushlight.fx.experimental.sym_node import (
    Expression,
    SymNode,
    constant_of,
    hint_of,
    symbols_of,
)
from rushlight.fx.interpreter import Interpreter
from rushlight.utils import _pytree as pytree
from rushlight.utils._sympy.value_ranges import ValueRanges

__all__ = [
    "CURRENT_NODE_KEY",
    "SHAPEENV_EVENT_KEY",
    "CallMethodKey",
    "DimDynamic",
    "DivideByKey",
    "EqualityConstraint",
    "GuardOnDataDependentSymNode",
    "PropagateUnbackedSymInts",
    "ShapeEnv",
    "ShapeEnvSettings",
    "StatefulSymbolicContext",
    "StatelessSymbolicContext",
    "StrictMinMaxConstraint",
    "SubclassSymbolicContext",
    "SymIntSymbolicContext",
    "SymbolicContext",
    "TrackedFake",
    "check_consistent",
    "compute_unbacked_bindings",
    "constrain_range",
    "expect_true",
    "free_symbols",
    "free_unbacked_symbols",
    "guard_bool",
    "guard_float",
    "guard_int",
    "guard_or_false",
    "guard_or_true",
    "guard_scalar",
    "guard_size_oblivious",
    "has_free_symbols",
    "has_free_unbacked_symbols",
    "has_static_value",
    "has_symbolic_sizes_strides",
    "hint_int",
    "is_accessor_node",
    "is_concrete_bool",
    "is_concrete_float",
    "is_concrete_int",
    "is_nested_int",
    "is_symbolic",
    "rebind_unbacked",
    "resolve_unbacked_bindings",
    "statically_known_false",
    "statically_known_true",
    "sym_and",
    "sym_eq",
    "sym_or",
]

SHAPEENV_EVENT_KEY = "shapeenv_event"
CURRENT_NODE_KEY = "current_node"

_SYMBOLIC = (SymInt, SymFloat, SymBool)


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


@dataclasses.dataclass(frozen=True)
class Constraint:
    """What is said of a size."""

    warn_only: bool


@dataclasses.dataclass(frozen=True)
class StrictMinMaxConstraint(Constraint):
    """Between which numbers a size lies, without further guards."""

    vr: Any

    def render(self, source: Source) -> str:
        """The same as a text."""
        return f"{self.vr.lower} <= {source.name} <= {self.vr.upper}"


@dataclasses.dataclass(frozen=True)
class RelaxedUnspecConstraint(Constraint):
    """That a size is not always the same."""

    def render(self, source: Source) -> str:
        """The same as a text."""
        return f"RelaxedUnspecConstraint({source.name})"


@dataclasses.dataclass(frozen=True)
class EqualityConstraint(Constraint):
    """Which sizes are equal."""

    source_pairs: list[tuple[Source, Source]]
    derived_equalities: list[Any] = dataclasses.field(default_factory=list)
    phantom_symbols: list[Any] = dataclasses.field(default_factory=list)
    relaxed_sources: set[Source] = dataclasses.field(default_factory=set)


@dataclasses.dataclass(frozen=True)
class SymbolicContext:
    """Which parts of a tensor's metadata are symbols."""


@dataclasses.dataclass(frozen=True)
class SymIntSymbolicContext(SymbolicContext):
    """What an integer argument is."""

    constraint: Any


@dataclasses.dataclass(frozen=True)
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


@dataclasses.dataclass(frozen=True)
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


@dataclasses.dataclass(frozen=True)
class SubclassSymbolicContext(StatefulSymbolicContext):
    """The same for a tensor that consists of others."""

    inner_contexts: dict[str, SymbolicContext] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()


@dataclasses.dataclass
class TrackedFake:
    """A fake tensor of an argument, and where the argument comes from."""

    fake: Any
    source: Source
    symbolic_context: SymbolicContext | None


@dataclasses.dataclass(frozen=True)
class ShapeEnvSettings:
    """How a `ShapeEnv` makes symbols."""

    allow_scalar_outputs: bool
    allow_dynamic_output_shape_ops: bool
    assume_static_by_default: bool
    specialize_zero_one: bool
    duck_shape: bool
    prefer_deferred_runtime_asserts_over_guards: bool
    trace_asserts: bool


@dataclasses.dataclass(frozen=True)
class RuntimeAssert:
    """What a program has to check while it runs."""

    expr: Any
    msg: str = dataclasses.field(default="", repr=False)
    stack: Any = dataclasses.field(default=None, repr=False)


class ShapeEnv:
    """The symbols of a program, and what is assumed of them.

    Args:
        should_record_events: accepted
        tracked_fakes: fakes of the program's arguments
        allow_scalar_outputs: whether elements that programs ask for are symbols
        allow_dynamic_output_shape_ops: whether sizes that elements decide are symbols
        assume_static_by_default: whether sizes are numbers where nothing else is said
        specialize_zero_one: whether sizes of 0 and 1 are numbers
        duck_shape: whether equal sizes are one symbol
        prefer_deferred_runtime_asserts_over_guards: accepted
        trace_asserts: accepted
    """

    def __init__(
        self,
        *,
        should_record_events: bool | None = None,
        tracked_fakes: list[Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self._init(**kwargs)
        self.should_record_events = bool(should_record_events)
        self.tracked_fakes = tracked_fakes

    def _init(
        self,
        *,
        allow_scalar_outputs: bool = True,
        allow_dynamic_output_shape_ops: bool = True,
        assume_static_by_default: bool = False,
        specialize_zero_one: bool = True,
        duck_shape: bool | None = None,
        co_fields: dict[str, str] | None = None,
        prefer_deferred_runtime_asserts_over_guards: bool = False,
        trace_asserts: bool = False,
    ) -> None:
        self.settings = ShapeEnvSettings(
            allow_scalar_outputs, allow_dynamic_output_shape_ops, assume_static_by_default,
            specialize_zero_one, _config.use_duck_shape if duck_shape is None else duck_shape,
            prefer_deferred_runtime_asserts_over_guards, trace_asserts,
        )  # fmt: skip
        self.co_fields = co_fields or {}
        self.guards: list[ShapeGuard] = []
        # Checks of what elements decide, by the latest symbol in each.
        self.deferred_runtime_asserts: dict[Any, list[RuntimeAssert]] = {}
        self.num_deferred_runtime_asserts = 0
        self.pending_fresh_unbacked_symbols: list[Any] = []
        self.val_to_var: dict[int, Any] = {}
        self.source_to_var: dict[str, Any] = {}
        # Sizes that somebody has decided on before tensors are made, by where they come from.
        self.decided: dict[str, Expression] = {}
        self.var_to_sources: dict[Any, list[Source]] = {}
        self.backed_var_to_val: dict[Any, Any] = {}
        self.replacements: dict[Any, Any] = {}
        # What symbols are that elements decide, where real tensors go along.
        self.real_values: dict[str, Any] = {}
        self.unique_ids: set[int] = set()
        self.frozen = self.runtime_asserts_frozen = False
        self._by_name: dict[str, Any] = {}
        self._counts = {"u": 0, "zuf": 0}
        self._suppressed = 0
        self._trace = ShapeTrace(self)
        self._trace.when_guarded = self._note
        self._trace.when_unknown = self._unknown
        self._trace.takes_as_large = lambda: _config.backed_size_oblivious
        self._trace.when_needed = self._needed

    def __getattr__(self, name: str) -> Any:
        settings = self.__dict__.get("settings")
        if settings is not None and name in ShapeEnvSettings.__dataclass_fields__:
            return getattr(settings, name)
        raise AttributeError(name)

    def __deepcopy__(self, memo: dict[int, Any]) -> ShapeEnv:
        """Itself: symbols that are copied are the same."""
        return self

    @property
    def var_to_val(self) -> dict[Any, Any]:
        """The value of each symbol."""
        return self.backed_var_to_val

    @property
    def var_to_range(self) -> dict[Any, ValueRanges]:
        """The range of each symbol."""
        return {Expression(s): self._range(s) for s in self._by_name.values() if type(s) is SymInt}

    def _range(self, x: SymInt) -> ValueRanges:
        low, high = self._trace.range(x)
        most = (1 << 63) - 1
        return ValueRanges(
            "-int_oo" if low <= -most else int(low), "int_oo" if high >= most else int(high)
        )

    def planning(self) -> Any:
        """While this lasts, a kernel runs."""
        return self._trace.planning()

    def node_of(self, value: Any) -> SymNode:
        """What a symbolic number tells programs."""
        return SymNode(value, self)

    # -- symbols --

    def _generate_unique_id(self, source_name: str) -> int:
        attempt = int(hashlib.sha256(source_name.encode()).hexdigest(), 16) % 100
        while attempt in self.unique_ids:
            attempt += 1
        self.unique_ids.add(attempt)
        return attempt

    def create_symbol(
        self,
        val: int,
        source: Source,
        dynamic_dim: DimDynamic = DimDynamic.DUCK,
        constraint_dim: Any = None,
        positive: bool | None = True,
        do_not_specialize_zero_one: bool = False,
        symbolic_context: Any = None,
    ) -> Expression:
        """The symbol for an integer of an argument: a new one, that of an equal one, or a number.

        Args:
            val: its value
            source: where it comes from
            dynamic_dim: what it is
            constraint_dim: what is said of it
            positive: whether it is a size
            do_not_specialize_zero_one: whether 0 and 1 are symbols, too
        """
        if source.name in self.decided:
            return self.decided[source.name]
        varies = do_not_specialize_zero_one or _config.backed_size_oblivious
        specializes = self.specialize_zero_one and not varies
        if dynamic_dim is DimDynamic.STATIC or (val in (0, 1) and specializes):
            return Expression(val)
        if dynamic_dim is DimDynamic.UNBACKED:
            return Expression(self.create_unbacked_symint(source))
        known = self.val_to_var.get(val)
        if known is not None and constant_of(known) is not None:
            # Always the same number by now.
            return Expression(val)
        if dynamic_dim is DimDynamic.DUCK and self.duck_shape and known is not None:
            self.var_to_sources[Expression(known)].append(source)
            return Expression(known)
        name = f"s{self._generate_unique_id(source.name)}"
        least = (2 if specializes else 0) if positive else -math.inf
        made = self._trace.symbol(name, val, least)
        if isinstance(constraint_dim, StrictMinMaxConstraint):
            self._narrow(made, constraint_dim.vr.lower, constraint_dim.vr.upper)
        self._by_name[name] = made
        key = Expression(made)
        self.source_to_var[source.name] = key
        self.var_to_sources[key] = [source]
        self.backed_var_to_val[key] = val
        if self.duck_shape and dynamic_dim is DimDynamic.DUCK:
            self.val_to_var.setdefault(val, made)
        return key

    def create_unspecified_symbol(
        self, val: Any, source: Source, dynamic_dim: DimDynamic = DimDynamic.DUCK,
        constraint_dim: Any = None, symbolic_context: Any = None,
    ) -> Expression:  # fmt: skip
        """The symbol for an integer of which nothing is known."""
        return self.create_symbol(
            val, source, dynamic_dim, constraint_dim, positive=None,
            do_not_specialize_zero_one=True,
        )  # fmt: skip

    def _narrow(self, symbol: Any, least: Any, most: Any) -> None:
        low, high = (float(str(x).replace("int_oo", "inf")) for x in (least, most))
        if type(symbol) is SymInt:
            self._trace.bound(symbol, low, high)

    def create_symintnode(self, sym: Any, *, hint: int | None, source: Source | None = None) -> Any:
        """The symbolic integer of a symbol."""
        return self._number(sym)

    def create_symboolnode(self, sym: Any) -> Any:
        """The symbolic truth value of an expression."""
        return self._number(sym)

    def _number(self, sym: Any) -> Any:
        """The symbolic number of an expression, which may be one of sympy's."""
        if isinstance(sym, Expression):
            return sym.value
        if not hasattr(sym, "free_symbols"):
            return sym
        from rushlight.utils._sympy.conversion import from_sympy

        return from_sympy(sym, self)

    def of_name(self, name: str) -> Any:
        """The symbolic number of a symbol's name."""
        return self._by_name[name]

    create_symfloatnode = create_symintnode

    def create_unbacked_symint(self, source: Source | None = None) -> SymInt:
        """A new integer that elements decide."""
        return self._fresh(-math.inf, math.inf)

    def _fresh(self, least: float, most: float) -> SymInt:
        name = f"u{self._counts['u']}"
        self._counts["u"] += 1
        made = self._by_name[name] = self._trace.unknown(name, least, most)
        self.pending_fresh_unbacked_symbols.append(Expression(made))
        return made

    def fresh_size(self, most: Any = None) -> SymInt:
        """A new size that elements decide."""
        high = math.inf if most is None else self._trace.range(most)[1]
        return self._fresh(0, high)

    def create_unbacked_symfloat(self, name: str | None = None) -> SymFloat:
        """A new float that elements decide; by the next name, or one that a file has for it."""
        if name is None:
            name = f"zuf{self._counts['zuf']}"
            self._counts["zuf"] += 1

        def unknown() -> float:
            raise self.unknown_error(name)

        return SymFloat(self._trace, unknown, name)

    def create_unbacked_symbool(self) -> SymBool:
        """A new truth value that elements decide."""
        return SymBool(self._trace, EQUAL, self._fresh(0, 1), 1)

    def is_unbacked_symint(self, symbol: Any) -> bool:
        """Whether a symbol stands for what elements decide."""
        return str(symbol).startswith("u")

    def add_backed_var_to_val(self, expr: Any, val: int) -> None:
        """Say which value a symbol has."""
        self.backed_var_to_val[expr] = val

    add_var_to_val = add_backed_var_to_val

    def create_symbolic_sizes_strides_storage_offset(
        self, ex: Tensor, source: Source, *, symbolic_context: SymbolicContext | None = None
    ) -> tuple[tuple[Any, ...], tuple[Any, ...], Any]:
        """Symbols for the metadata of a tensor.

        Args:
            ex: the tensor
            source: where it comes from
            symbolic_context: which sizes are symbols; without it all are
        """
        size, stride = tuple(ex._size_), tuple(ex._stride_)
        if symbolic.has_symbols(size) or symbolic.has_symbols(stride):
            return size, stride, ex._offset_
        count = len(size)
        if symbolic_context is None:
            usual = DimDynamic.STATIC if self.assume_static_by_default else DimDynamic.DUCK
            symbolic_context = StatelessSymbolicContext(dynamic_sizes=[usual] * count)
        assert isinstance(symbolic_context, StatelessSymbolicContext)
        if len(symbolic_context.dynamic_sizes) != count:
            raise AssertionError(f"{len(symbolic_context.dynamic_sizes)} != {count}")
        made: list[Any] = []
        for k, n in enumerate(size):
            where = TensorPropertySource(source, TensorProperty.SIZE, k)
            dynamic, constraint = (
                symbolic_context.dynamic_sizes[k], symbolic_context.constraint_sizes[k],
            )  # fmt: skip
            made.append(self.create_symbol(n, where, dynamic, constraint).value)
        steps = self._strides(size, stride, made, source)
        offset = self.create_symbol(
            ex._offset_, TensorPropertySource(source, TensorProperty.STORAGE_OFFSET),
            DimDynamic.STATIC if usual_static(symbolic_context) else DimDynamic.DUCK,
        ).value  # fmt: skip
        return tuple(made), tuple(steps), offset

    def _strides(
        self, size: Sequence[int], stride: Sequence[int], made: Sequence[Any], source: Source
    ) -> list[Any]:
        """Strides as products of sizes, as far as they are such."""
        found: list[Any] = [step if step in (0, 1) else None for step in stride]
        products = {n * s: m * s for n, s, m in zip(size, stride, made) if s in (0, 1)}
        while None in found:
            open_ = sorted((s, -k) for k, s in enumerate(stride) if found[k] is None)
            for step, negative in open_:
                k = -negative
                if step in products:
                    found[k] = products[step]
                    products[size[k] * step] = made[k] * found[k]
                    break
            else:
                step, negative = open_[0]
                where = TensorPropertySource(source, TensorProperty.STRIDE, -negative)
                found[-negative] = self.create_symbol(step, where, DimDynamic.DUCK).value
                products[size[-negative] * step] = made[-negative] * found[-negative]
        return found

    # -- what is assumed --

    def _note(self, operation: int, a: Any, b: Any, is_flipped: bool) -> None:
        """A guard of the trace becomes one that programs see."""
        if self._suppressed or self.frozen:
            return
        comparison = SymBool(self._trace, operation, a, b)
        comparison.is_flipped = is_flipped
        a_text, b_text = (self._trace.written(x) for x in (a, b))
        text = _comparison_text(operation, a_text, b_text, is_flipped)
        self.guards.append(ShapeGuard(_Guard(comparison, text), _place()))

    def _unknown(self, operation: int, a: Any, b: Any, is_flipped: bool) -> bool | None:
        comparison = SymBool(self._trace, operation, a, b)
        comparison.is_flipped = is_flipped
        answer = self.real_value(comparison) if self.real_values else None
        if answer is None:
            raise self.unknown_error(comparison)
        return self.take_for_granted(comparison, answer)

    def take_for_granted(self, comparison: SymBool, holds: bool) -> bool:
        """How a comparison of what elements decide ends, which is checked later."""
        a, b = comparison.operands
        if not holds:
            opposite = symbolic.OPPOSITE[comparison.operation]
            comparison = SymBool(self._trace, opposite, b, a)
        self.expect_true(comparison)
        return holds

    # -- what elements decide, where it is known --

    def know_real_value(self, number: Any, value: Any) -> None:
        """Note what a symbol is that elements decide."""
        if type(number) is SymInt and self._trace.is_unknown(number):
            if Expression(number).is_symbol:
                self.real_values[str(number)] = int(value)
        elif isinstance(number, SymFloat) and not number.operands:
            self.real_values[str(number)] = float(value)

    def real_value(self, number: Any) -> Any:
        """The value of a number in this run, also of what elements decide; None if it is not known."""
        found = hint_of(number)
        if found is not None:
            return found
        values = {str(s): v for s, v in self.backed_var_to_val.items()}
        try:
            return eval(_as_python(str(number)), {**FUNCTIONS, **values, **self.real_values})
        except NameError:
            return None

    def _needed(self, x: Any) -> None:
        raise self.unknown_error(x)

    def unknown_error(self, what: Any) -> GuardOnDataDependentSymNode:
        """The error for a question that only elements can answer."""
        return GuardOnDataDependentSymNode(
            Expression(what),
            f"Could not guard on data-dependent expression {what} (unhinted: {what}).  (Size-like "
            "symbols: none)\n\nconsider using data-dependent friendly APIs such as guard_or_false, "
            f"guard_or_true and statically_known_true.\nCaused by: {_place()}",
        )

    def expect_true(self, condition: Any) -> bool:
        """Whether a condition holds; of what elements decide, it is taken to, and checked later."""
        if not isinstance(condition, SymBool):
            return bool(condition)
        if not _is_unknown(condition):
            return bool(condition)
        if self.statically(condition) is True:
            return True
        key = max((s for s in symbols_of(condition) if self._trace.is_unknown(s)), key=_place_of)
        self._trace.learn(condition)
        if not self.runtime_asserts_frozen:
            known = self.deferred_runtime_asserts.setdefault(Expression(key), [])
            known.append(RuntimeAssert(Expression(_Frozen(str(condition), condition))))
            self.num_deferred_runtime_asserts += 1
        return True

    guard_or_defer_runtime_assert = expect_true

    def statically(self, condition: Any) -> bool | None:
        """How a condition ends in any case, as far as that is known."""
        return _statically(condition)

    def for_large_sizes(self, condition: Any) -> bool:
        """How a condition ends for sizes that are neither 0 nor 1."""
        found = _statically(condition)
        if found is not None:
            return found
        if not _is_unknown(condition):
            return bool(condition)
        with self.planning():
            return bool(condition)

    def constrain_symbol_range(self, s: Any, compiler_min: int, compiler_max: int) -> None:
        """Note between which numbers a symbol lies."""
        self._narrow(s.value if isinstance(s, Expression) else s, compiler_min, compiler_max)

    def freeze(self) -> None:
        """Take no more guards."""
        self.frozen = True

    def freeze_runtime_asserts(self) -> None:
        """Take no more checks of what elements decide."""
        self.runtime_asserts_frozen = True

    @contextlib.contextmanager
    def suppress_guards(self) -> Iterator[None]:
        """Within the block questions leave no guards."""
        self._suppressed += 1
        try:
            yield
        finally:
            self._suppressed -= 1

    @contextlib.contextmanager
    def ignore_fresh_unbacked_symbols(self) -> Iterator[None]:
        """Within the block new symbols wait for nobody."""
        before = list(self.pending_fresh_unbacked_symbols)
        try:
            yield
        finally:
            self.pending_fresh_unbacked_symbols = before

    @contextlib.contextmanager
    def error_on_new_guards(self) -> Iterator[None]:
        """Within the block a guard is an error."""
        before = self._trace.when_guarded

        def refuse(operation: int, a: Any, b: Any, is_flipped: bool) -> None:
            made = SymBool(self._trace, operation, a, b)
            raise RuntimeError(f"a guard is added where none may be: {made}")

        self._trace.when_guarded = refuse
        try:
            yield
        finally:
            self._trace.when_guarded = before

    # -- guards as texts, and their check --

    def format_guards(self, verbose: bool = False) -> str:
        """The guards, one a line."""
        return "\n".join(
            f" - {guard.expr}{' ' + str(guard.sloc) if verbose else ''}" for guard in self.guards
        )

    def get_axioms(self, symbols: Any = None, compute_hint: bool = False) -> tuple[Any, ...]:
        """What holds of symbols; of some of them only, if they are given."""
        found = [guard.expr for guard in self.guards]
        found += [
            check.expr for checks in self.deferred_runtime_asserts.values() for check in checks
        ]
        if symbols is None:
            return tuple(found)
        names = {str(s) for s in symbols}
        return tuple(e for e in found if names & set(re.findall(r"\w+", str(e))))

    def get_nontrivial_guards(self) -> list[Any]:
        """What guards say."""
        return [guard.expr for guard in self.guards]

    def get_pruned_guards(self, symints: Any) -> list[ShapeGuard]:
        """The guards about some symbols."""
        names = {str(s) for x in symints for s in symbols_of(x)}
        return [g for g in self.guards if names & set(re.findall(r"\w+", str(g.expr)))]

    def bind_symbols(self, placeholders: Any, args: Any) -> dict[Any, Any]:
        """The values that arguments give to the symbols of fakes."""
        found: dict[Any, Any] = {}

        def bind(symbol: Any, value: Any) -> None:
            if type(symbol) is SymInt and Expression(symbol).is_symbol:
                found.setdefault(Expression(symbol), value)

        for fake, real in zip(placeholders, args):
            if isinstance(fake, Tensor):
                for symbol, value in zip(fake._size_, real._size_):
                    bind(symbol, value)
                for symbol, value in zip(fake._stride_, real._stride_):
                    bind(symbol, value)
                bind(fake._offset_, real._offset_)
            else:
                bind(fake, real)
        return found

    def produce_guards_expression(
        self, placeholders: Any, *, guards: Any = None, ignore_static: bool = True
    ) -> str | None:
        """The guards as an expression over the symbols of arguments in turn (`L['t0']` and so on)."""
        bound: dict[str, str] = {}
        lines: list[str] = []
        number = 0

        def bind(symbol: Any) -> None:
            nonlocal number
            name = f"L['t{number}']"
            number += 1
            if type(symbol) is not SymInt:
                if not ignore_static:
                    lines.append(f"{name} == {symbol}")
                return
            text = str(symbol)
            if Expression(symbol).is_symbol and text not in bound:
                bound[text] = name
            elif text not in bound or bound[text] != name:
                lines.append(f"{name} == {_as_python(text)}")

        for fake in placeholders:
            for symbol in _tensor_symbols(fake):
                bind(symbol)
        lines += [_as_python(str(g.expr)) for g in (guards or self.guards)]
        for text in bound:
            symbol = self._by_name.get(text)
            if symbol is not None and self._range(symbol).lower not in (0, "-int_oo"):
                lines.append(f"{self._range(symbol).lower} <= {text}")
        if not lines:
            return None

        def renamed(line: str) -> str:
            return re.sub(r"\bs\d+\b", lambda m: bound.get(m[0], m[0]), line)

        return " and ".join(map(renamed, lines))

    def produce_guards(self, *args: Any, **kwargs: Any) -> list[str]:
        """The guards as texts, with where values come from in the place of symbols."""
        return self.produce_guards_verbose(*args, **kwargs)[0]

    def produce_guards_verbose(
        self, placeholders: Any, sources: Any, source_ref: Any = None, **unused: Any
    ) -> tuple[list[str], list[str], list[str]]:
        """The same, twice, and what a person would call them."""
        names: dict[str, str] = {}
        lines: list[str] = []
        for fake, source in zip(placeholders, sources):
            for symbol, part in zip(_tensor_symbols(fake), _tensor_parts(fake)):
                name = f"{source.name}.{part}" if part else source.name
                if (
                    type(symbol) is SymInt
                    and Expression(symbol).is_symbol
                    and str(symbol) not in names
                ):
                    names[str(symbol)] = name
                else:
                    lines.append(f"{name} == {symbol}")
        lines += [_as_python(str(g.expr)) for g in self.guards]
        for text, name in names.items():
            low = self._range(self._by_name[text]).lower
            if low not in (0, "-int_oo"):
                lines.append(f"{low} <= {name}")

        def renamed(line: str) -> str:
            return re.sub(r"\bs\d+\b", lambda m: names.get(m[0], m[0]), line)

        found = [renamed(line) for line in lines]
        return found, list(found), list(found)

    def evaluate_guards_expression(self, code: str, args: Any) -> bool:
        """Whether an expression of `produce_guards_expression` holds for integers."""
        values = {f"t{k}": value for k, value in enumerate(args)}
        return bool(eval(code, {**FUNCTIONS, "L": values}))

    def evaluate_guards_for_args(
        self, placeholders: Any, args: Any, *, ignore_static: bool = True
    ) -> bool:
        """Whether the guards hold for real arguments."""
        code = self.produce_guards_expression(placeholders, ignore_static=ignore_static)
        if code is None:
            return True
        return self.evaluate_guards_expression(
            code, [x for arg in args for x in _tensor_symbols(arg)]
        )

    def evaluate_symexpr(self, code: str) -> Any:
        """The plain number of an expression over the names of symbols."""
        names = {str(e): value for e, value in self.backed_var_to_val.items()}
        return eval(code, {**FUNCTIONS, **names})

    def deserialize_symexpr(self, code: str) -> Any:
        """The symbolic number that a text stands for."""
        return eval(code, {**FUNCTIONS, **self._by_name})

    def evaluate_expr(
        self, orig_expr: Any, hint: Any = None, fx_node: Any = None, size_oblivious: bool = False,
        fallback_value: bool | None = None, *, forcing_spec: bool = False,
    ) -> Any:  # fmt: skip
        """The plain number of an expression, which a guard notes."""
        value = orig_expr.value if isinstance(orig_expr, Expression) else orig_expr
        return _plain(value)

    def evaluate_sym_node(self, sym_node: SymNode, size_oblivious: bool = False) -> Any:
        """The plain number of a symbolic one, which a guard notes."""
        return _plain(sym_node.value)

    def size_hint(self, expr: Any, *, allow_none: bool = False) -> Any:
        """The value that an expression has in this run."""
        value = expr.value if isinstance(expr, Expression) else expr
        found = hint_of(value) if isinstance(value, _SYMBOLIC) else int(value)
        if found is None and not allow_none:
            raise self.unknown_error(value)
        return found

    def has_hint(self, expr: Any) -> bool:
        """Whether an expression has a value in this run."""
        return self.size_hint(expr, allow_none=True) is not None

    def simplify(self, expr: Any, size_oblivious: bool = False) -> Any:
        """The expression with what symbols equal in their place."""
        return expr

    def replace(self, expr: Any) -> Any:
        """The expression with what symbols equal in their place."""
        return expr

    def bound_sympy(self, expr: Any, size_oblivious: bool = False) -> ValueRanges:
        """Between which numbers an expression lies."""
        value = expr.value if isinstance(expr, Expression) else expr
        return self._range(value) if type(value) is SymInt else ValueRanges(value, value)

    def cleanup(self) -> None:
        """Nothing is held that would have to be let go."""


class _Frozen:
    """A condition whose text stays as it was when it was noted."""

    def __init__(self, text: str, condition: Any) -> None:
        self.text, self.condition = text, condition

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return bool(self.condition)


class _Guard(Expression):
    """What a guard says, as it was said."""

    __slots__ = ("text",)

    def __init__(self, value: Any, text: str) -> None:
        super().__init__(value)
        self.text = text

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def _comparison_text(operation: int, a: str, b: str, is_flipped: bool) -> str:
    from rushlight.engine.core import form_text

    return form_text.comparison_text(operation, a, b, is_flipped)


def _place() -> SLoc:
    """Where the program is that asks."""
    inside = sys.modules["rushlight"].__path__[0]
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((inside, "<rushlight")):
        frame = frame.f_back
    if frame is None:
        return SLoc("", None)
    summary = traceback.FrameSummary(
        frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, lookup_line=False
    )
    return SLoc(f"{summary.filename}:{summary.lineno} in {summary.name}", None)


def usual_static(context: Any) -> bool:
    """Whether no size of a tensor is a symbol."""
    return all(d is DimDynamic.STATIC for d in context.dynamic_sizes)


def _place_of(x: SymInt) -> int:
    return x.place


def _tensor_symbols(value: Any) -> list[Any]:
    if isinstance(value, Tensor):
        return [*value._size_, *value._stride_, value._offset_]
    return [value]


def _tensor_parts(value: Any) -> list[str]:
    if not isinstance(value, Tensor):
        return [""]
    count = len(value._size_)
    sizes = [f"size()[{k}]" for k in range(count)]
    return [*sizes, *(f"stride()[{k}]" for k in range(count)), "storage_offset()"]


def _as_python(text: str) -> str:
    """An expression with Python's signs for the words that are none of its functions."""
    found = re.fullmatch(r"(Eq|Ne)\((.*), (.*)\)", text)
    if found is None:
        return text
    return f"{found[2]} {'==' if found[1] == 'Eq' else '!='} {found[3]}"


# What the texts of expressions call.
FUNCTIONS: dict[str, Any] = {
    "Eq": operator.eq, "Ne": operator.ne, "Mod": operator.mod, "Max": symbolic.maximum,
    "Min": symbolic.minimum, "Abs": abs, "IntTrueDiv": operator.truediv, "FloorDiv": operator.floordiv,
    "ToFloat": float, "math": math, "PythonMod": operator.mod,
}  # fmt: skip


def _plain(value: Any) -> Any:
    """The plain number of a symbolic one, which a guard notes."""
    kind = {SymInt: int, SymFloat: float, SymBool: bool}.get(type(value))
    return value if kind is None else kind(value)


def _is_unknown(value: Any) -> bool:
    """Whether a number follows from what elements decide."""
    if type(value) is SymInt:
        return value.trace.is_of_program and value.trace.is_unknown(value)  # type: ignore[attr-defined]
    if isinstance(value, SymFloat) and not value.operands:
        return True
    return isinstance(value, (SymBool, SymFloat)) and any(map(_is_unknown, value.operands))


def _statically(condition: Any) -> bool | None:
    """How a condition ends in any case, as far as that is known."""
    if not isinstance(condition, SymBool):
        return condition if isinstance(condition, bool) else None
    if condition.operation in ("and", "or"):
        parts = [_statically(x) for x in condition.operands]
        decides = condition.operation == "or"
        if decides in parts:
            return decides
        return None if None in parts else not decides
    if condition.operation == "not":
        inner = _statically(condition.operands[0])
        return None if inner is None else not inner
    a, b = condition.operands
    if any(type(x) not in symbolic.INTEGERS for x in (a, b)):
        return None
    return condition.trace.decided(condition.operation, a, b)


# -- questions --


def is_symbolic(val: Any) -> bool:
    """Whether a number is an expression."""
    return isinstance(val, _SYMBOLIC) and constant_of(val) is None


def is_nested_int(s: Any) -> bool:
    """Whether an integer stands for sizes that differ."""
    return nested_ints.is_nested(s)


def is_concrete_int(a: Any) -> bool:
    """Whether an integer is always the same."""
    if not isinstance(a, (int, SymInt)):
        raise AssertionError(f"Expected SymInt or int, got {type(a)}")
    return type(a) is not SymInt or constant_of(a) is not None


def is_concrete_float(a: Any) -> bool:
    """Whether a float is always the same."""
    return not isinstance(a, SymFloat)


def is_concrete_bool(a: Any) -> bool:
    """Whether a truth value is always the same."""
    return not isinstance(a, SymBool) or _statically(a) is not None


def has_static_value(a: Any) -> bool:
    """Whether a number is always the same."""
    if isinstance(a, SymBool):
        return _statically(a) is not None
    return not isinstance(a, _SYMBOLIC) or constant_of(a) is not None


def statically_known_true(x: Any) -> bool:
    """Whether a condition holds in any case, as far as that is known. No guard is added."""
    return _statically(x) is True


def statically_known_false(x: Any) -> bool:
    """Whether a condition does not hold in any case, as far as that is known. No guard is added."""
    return _statically(x) is False


def _guard_or(a: Any, default: bool) -> bool:
    if not isinstance(a, SymBool):
        return bool(a)
    found = _statically(a)
    if found is not None:
        return found
    return default if _is_unknown(a) else bool(a)


def guard_or_false(a: Any) -> bool:
    """How a condition ends, which a guard notes; False if elements decide it."""
    return _guard_or(a, False)


def guard_or_true(a: Any) -> bool:
    """How a condition ends, which a guard notes; True if elements decide it."""
    return _guard_or(a, True)


def guard_size_oblivious(expr: Any) -> bool:
    """How a condition ends for sizes that are neither 0 nor 1."""
    if isinstance(expr, SymBool):
        return expr.trace.owner.for_large_sizes(expr)  # type: ignore[attr-defined, no-any-return]
    return bool(expr)


def guard_bool(a: Any) -> bool:
    """A plain truth value, which a guard notes."""
    return bool(a)


def guard_int(a: Any) -> int:
    """A plain integer, which a guard notes."""
    if not isinstance(a, (int, SymInt)):
        raise AssertionError(f"Expected SymInt or int, got {type(a)}")
    return int(a)


def guard_float(a: Any) -> float:
    """A plain float, which a guard notes."""
    return float(a)


def guard_scalar(a: Any) -> Any:
    """A plain number, which a guard notes."""
    return _plain(a)


def expect_true(a: Any, skip: int = 0) -> bool:
    """Whether a condition holds; of what elements decide, it is taken to, and checked later."""
    if isinstance(a, SymBool) and a.trace.is_of_program:
        return a.trace.owner.expect_true(a)  # type: ignore[attr-defined, no-any-return]
    return bool(a)


def hint_int(a: Any, fallback: int | None = None) -> int:
    """The value that an integer has in this run."""
    if type(a) is not SymInt:
        return int(a)
    found = hint_of(a)
    if found is None:
        if fallback is None:
            raise a.trace.owner.unknown_error(a)  # type: ignore[attr-defined]
        return fallback
    return found  # type: ignore[no-any-return]


optimization_hint = hint_int


def guarding_hint_or_throw(a: Any) -> Any:
    """The value that a number has in this run."""
    return hint_int(a) if isinstance(a, (int, SymInt)) else hint_of(a)


def _parts(val: Any) -> Iterator[Any]:
    """The symbolic numbers in a value."""
    if isinstance(val, Tensor):
        yield from (x for x in _tensor_symbols(val) if isinstance(x, _SYMBOLIC))
    elif isinstance(val, _SYMBOLIC):
        yield val
    elif isinstance(val, Expression):
        yield from _parts(val.value)
    elif isinstance(val, dict):
        yield from _parts(list(val.values()))
    elif isinstance(val, Iterable) and not isinstance(val, str):
        for item in val:
            yield from _parts(item)


def free_symbols(val: Any) -> set[Expression]:
    """The symbols in numbers, tensors and lists of them."""
    return {Expression(s) for part in _parts(val) for s in symbols_of(part)}


def free_unbacked_symbols(x: Any) -> set[Expression]:
    """The symbols in a value that stand for what elements decide."""
    return {s for s in free_symbols(x) if str(s).startswith(("u", "zuf"))}


def has_free_symbols(val: Any) -> bool:
    """Whether there are symbols in a value."""
    return bool(free_symbols(val))


def has_free_unbacked_symbols(x: Any) -> bool:
    """Whether there are symbols in a value that stand for what elements decide."""
    return bool(free_unbacked_symbols(x))


def has_symbolic_sizes_strides(elem: Tensor) -> bool:
    """Whether some metadata of a tensor are symbols."""
    return any(isinstance(x, _SYMBOLIC) for x in _tensor_symbols(elem))


def sym_eq(x: Any, y: Any) -> Any:
    """Whether two numbers, or all of two lists, are equal."""
    if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)):
        if len(x) != len(y):
            return False
        return functools.reduce(operator.and_, map(sym_eq, x, y), True)
    if isinstance(x, (int, SymInt)) and isinstance(y, (int, SymInt)):
        return x == y
    raise AssertionError(f"unexpected sym_eq between {type(x)} {type(y)}")


def sym_and(x: Any, *others: Any) -> Any:
    """Whether all hold."""
    return functools.reduce(operator.and_, others, x)


def sym_or(x: Any, *others: Any) -> Any:
    """Whether one holds."""
    return functools.reduce(operator.or_, others, x)


def check_consistent(new: Any, old: Any) -> None:
    """Raise if two tensors or numbers differ in what can be told."""
    if isinstance(new, Tensor):
        if not isinstance(old, Tensor):
            raise AssertionError(f"Expected Tensor, got {type(old)}")
        shapes = f"{old.shape} != {new.shape} (old != new)"  # type: ignore[attr-defined]
        if new.dim() != old.dim():  # type: ignore[attr-defined]
            raise RuntimeError(shapes)
        if any(_statically(a == b) is False for a, b in zip(old._size_, new._size_)):
            raise RuntimeError(shapes)
    elif _is_number(new):
        if not _is_number(old):
            raise AssertionError(f"{old} != {new}")
        if _statically(old == new) is False:
            raise RuntimeError(f"{old} != {new} (old != new)")


def _is_number(value: Any) -> bool:
    return isinstance(value, (SymInt, SymFloat, int, float)) and not isinstance(value, bool)


def constrain_range(a: Any, *, min: int | None, max: int | None = None) -> None:
    """Note between which numbers an integer lies, both included; no guard says so.

    Args:
        a: the integer
        min: the least it can be; None if there is none
        max: the most
    """
    least, most = (-math.inf if min is None else min), (math.inf if max is None else max)
    if most < least:
        raise ValueError(
            "Maximum value to constrain_as_size can't be less than the specified min value, "
            f"received min={min} and max={max}"
        )
    if isinstance(a, SymInt):
        a.node.shape_env._narrow(a, least, most)  # type: ignore[attr-defined]
    elif not least <= a <= most:
        raise ValueError(f"Invalid value {a} for range [{min}:{max}]")


def lru_cache(maxsize: int | None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`functools.lru_cache` with counts that clearing leaves."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        kept = functools.lru_cache(maxsize)(function)
        before = [0, 0]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return kept(*args, **kwargs)

        def clear() -> None:
            info = kept.cache_info()
            before[0] += info.hits
            before[1] += info.misses
            kept.cache_clear()

        def cumulative() -> Any:
            info = kept.cache_info()
            return info._replace(hits=info.hits + before[0], misses=info.misses + before[1])

        call.cache_clear, call.cache_info = clear, kept.cache_info  # type: ignore[attr-defined]
        call.cumulative_cache_info = cumulative  # type: ignore[attr-defined]
        return call

    return decorate


def _lru_cache(fn: Callable[..., Any], maxsize: int | None = None) -> Callable[..., Any]:
    """A cache of a method of a `ShapeEnv` that is emptied when the latter changes."""
    kept = functools.lru_cache(maxsize)(fn)
    prior: list[Any] = [None, None]

    @functools.wraps(fn)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        version, key = self._version_counter, self._get_key()
        if prior != [version, key]:
            kept.cache_clear()
            prior[:] = version, key
        return kept(self, *args, **kwargs)

    call.cache_clear, call.cache_info = kept.cache_clear, kept.cache_info  # type: ignore[attr-defined]
    return call


# -- where symbols are in results --


@dataclasses.dataclass(frozen=True)
class CallMethodKey:
    """What a method of a value gives."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}()"

    def get(self, o: Any) -> Any:
        """The same of another value."""
        return getattr(o, self.name)()


@dataclasses.dataclass(frozen=True)
class InnerTensorKey:
    """A tensor that another one consists of."""

    inner_name: str

    def __str__(self) -> str:
        return f".{self.inner_name}"

    def get(self, o: Any) -> Any:
        """The same of another value."""
        return getattr(o, self.inner_name)


@dataclasses.dataclass(frozen=True)
class DivideByKey:
    """What a number gives divided by another one."""

    divisor: Any

    def __str__(self) -> str:
        return f".__floordiv__({self.divisor})"

    def get(self, o: Any) -> Any:
        """The same of another value."""
        return o // self.divisor


@dataclasses.dataclass(frozen=True)
class ConvertIntKey:
    """A truth value as a number."""

    def __str__(self) -> str:
        return ".cast_symbool_to_symint_guardless()"

    def get(self, b: Any) -> Any:
        """The same of another value."""
        return int(b)


def compute_unbacked_bindings(
    shape_env: ShapeEnv | None, example_value: Any, old_example_value: Any = None,
    peek: bool = False,
) -> dict[Any, Any] | None:  # fmt: skip
    """Where in a value the new symbols are that elements decide.

    Args:
        shape_env: whose symbols
        example_value: the value
        old_example_value: accepted
        peek: whether the symbols go on being new
    """
    if shape_env is None or not shape_env.pending_fresh_unbacked_symbols:
        return None
    pending = {str(s): s for s in shape_env.pending_fresh_unbacked_symbols}
    found: dict[Any, Any] = {}

    def look(value: Any, path: tuple[Any, ...]) -> None:
        if isinstance(value, Tensor):
            for name, items in (("size", value._size_), ("stride", value._stride_)):
                for k, x in enumerate(items):
                    look(x, (*path, CallMethodKey(name), pytree.SequenceKey(k)))
            look(value._offset_, (*path, CallMethodKey("storage_offset")))
        elif isinstance(value, SymBool):
            for symbol in symbols_of(value):
                if str(symbol) in pending:
                    found.setdefault(pending.pop(str(symbol)), (*path, ConvertIntKey()))
        elif type(value) is SymInt:
            if str(value) in pending:
                found.setdefault(pending.pop(str(value)), path)
        elif isinstance(value, (tuple, list)):
            for k, item in enumerate(value):
                look(item, (*path, pytree.SequenceKey(k)))

    look(example_value, ())
    if not peek:
        shape_env.pending_fresh_unbacked_symbols.clear()
    return found


def rebind_unbacked(shape_env: ShapeEnv | None, n: Any, result: Any) -> None:
    """Let the symbols of a node that is run again equal those that it had.

    Args:
        shape_env: whose symbols
        n: the node
        result: what it gives now
    """
    bindings = n.meta.get("unbacked_bindings")
    if shape_env is None or not bindings:
        return
    for symbol, path in bindings.items():
        value = result
        for key in path:
            value = value[key.idx] if isinstance(key, pytree.SequenceKey) else key.get(value)
        old = symbol.value
        if type(value) is SymInt and type(old) is SymInt and value.place != old.place:
            shape_env._trace.learn(SymBool(shape_env._trace, EQUAL, value, old))
    shape_env.pending_fresh_unbacked_symbols.clear()


def resolve_unbacked_bindings(
    shape_env: ShapeEnv | None, bindings: dict[Any, Any] | None
) -> dict[Any, Any] | None:
    """Bindings with what symbols equal in their place."""
    return bindings


def is_accessor_node(node: Any) -> bool:
    """Whether a node asks a tensor for its metadata."""
    import rushlight

    names = ("size", "stride", "storage_offset", "item")
    if node.op == "call_method" and isinstance(node.args[0].meta.get("example_value"), Tensor):
        return node.target in names
    aten = rushlight.ops.aten
    return node.op == "call_function" and node.target in (
        aten.sym_size, aten.sym_size.default, aten.sym_size.int, aten.sym_stride,
        aten.sym_stride.default, aten.sym_stride.int, aten.sym_storage_offset,
        aten.sym_storage_offset.default, aten.sym_numel.default,
    )  # fmt: skip


class PropagateUnbackedSymInts(Interpreter):
    """Runs a graph on fakes; symbols that elements decide equal those that nodes had before."""

    def run_node(self, n: Any) -> Any:
        """What a node gives, with its symbols bound."""
        from rushlight._guards import detect_fake_mode

        result = super().run_node(n)
        mode = detect_fake_mode()
        rebind_unbacked(None if mode is None else mode.shape_env, n, result)
        return result


# What is made of sympy, which is imported when it is asked for.
_OF_SYMPY = ("DimConstraints", "canonicalize_bool_expr", "safe_expand")


def __getattr__(name: str) -> Any:
    if name in _OF_SYMPY:
        from rushlight.fx.experimental import _dim_constraints

        return getattr(_dim_constraints, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
