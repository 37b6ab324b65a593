"""The symbols of a program: `ShapeEnv` makes them, and knows what is assumed of them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import Any

from rushlight._dynamo.source import TensorProperty, TensorPropertySource
from rushlight._guards import ShapeGuard, Source
from rushlight.engine.core import symbolic
from rushlight.engine.core.expressions import EQUAL
from rushlight.engine.core.shape_trace import ShapeTrace
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.experimental import _config
from rushlight.fx.experimental._shape_contexts import (
    DimDynamic,
    GuardOnDataDependentSymNode,
    RuntimeAssert,
    ShapeEnvSettings,
    StatelessSymbolicContext,
    StrictMinMaxConstraint,
    SymbolicContext,
)
from rushlight.fx.experimental._shape_guards import (
    FUNCTIONS,
    Frozen,
    GuardTexts,
    as_python,
    guard_of,
    place_of_program,
)
from rushlight.fx.experimental.sym_node import (
    SYMBOLIC,
    Expression,
    SymNode,
    constant_of,
    hint_of,
    is_unknown,
    plain_number,
    statically,
    symbols_of,
)
from rushlight.utils._sympy.value_ranges import ValueRanges


class ShapeEnv(GuardTexts):
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
        # It loads OpenSSL, and most programs have no symbols.
        import hashlib

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
        usual = DimDynamic.STATIC if _is_static(symbolic_context) else DimDynamic.DUCK
        steps = self._strides(size, stride, made, source, usual)
        where = TensorPropertySource(source, TensorProperty.STORAGE_OFFSET)
        offset = self.create_symbol(ex._offset_, where, usual).value
        return tuple(made), tuple(steps), offset

    def _strides(
        self, size: Sequence[int], stride: Sequence[int], made: Sequence[Any], source: Source,
        usual: DimDynamic,
    ) -> list[Any]:  # fmt: skip
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
                found[-negative] = self.create_symbol(step, where, usual).value
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
        self.guards.append(guard_of(comparison, a_text, b_text))

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
            return eval(as_python(str(number)), {**FUNCTIONS, **values, **self.real_values})
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
            f"guard_or_true and statically_known_true.\nCaused by: {place_of_program()}",
        )

    def expect_true(self, condition: Any) -> bool:
        """Whether a condition holds; of what elements decide, it is taken to, and checked later."""
        if not isinstance(condition, SymBool):
            return bool(condition)
        if not is_unknown(condition):
            return bool(condition)
        if self.statically(condition) is True:
            return True
        key = max((s for s in symbols_of(condition) if self._trace.is_unknown(s)), key=_place_of)
        self._trace.learn(condition)
        if not self.runtime_asserts_frozen:
            known = self.deferred_runtime_asserts.setdefault(Expression(key), [])
            known.append(RuntimeAssert(Expression(Frozen(str(condition), condition))))
            self.num_deferred_runtime_asserts += 1
        return True

    guard_or_defer_runtime_assert = expect_true

    def statically(self, condition: Any) -> bool | None:
        """How a condition ends in any case, as far as that is known."""
        return statically(condition)

    def for_large_sizes(self, condition: Any) -> bool:
        """How a condition ends for sizes that are neither 0 nor 1."""
        found = statically(condition)
        if found is not None:
            return found
        if not is_unknown(condition):
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

    def evaluate_expr(
        self, orig_expr: Any, hint: Any = None, fx_node: Any = None, size_oblivious: bool = False,
        fallback_value: bool | None = None, *, forcing_spec: bool = False,
    ) -> Any:  # fmt: skip
        """The plain number of an expression, which a guard notes."""
        value = orig_expr.value if isinstance(orig_expr, Expression) else orig_expr
        return plain_number(value)

    def evaluate_sym_node(self, sym_node: SymNode, size_oblivious: bool = False) -> Any:
        """The plain number of a symbolic one, which a guard notes."""
        return plain_number(sym_node.value)

    def size_hint(self, expr: Any, *, allow_none: bool = False) -> Any:
        """The value that an expression has in this run."""
        value = expr.value if isinstance(expr, Expression) else expr
        found = hint_of(value) if isinstance(value, SYMBOLIC) else int(value)
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


def _is_static(context: Any) -> bool:
    """Whether no size of a tensor is a symbol."""
    return all(d is DimDynamic.STATIC for d in context.dynamic_sizes)


def _place_of(x: SymInt) -> int:
    return x.place
