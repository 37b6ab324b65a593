"""Sizes that are symbols: their making, what is assumed of them, and what can be asked.

A `ShapeEnv` has the symbols of a traced program. They are the symbolic integers that planners of the
engine compute with (`engine.core.shape_trace`), so everything that works out sizes works out
expressions. A question that a program asks of a symbol with a value is answered by the value, and
becomes a guard; what elements decide has none (`GuardOnDataDependentSymNode`).
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rushlight._names import class_files
from rushlight.engine.core import nested_ints
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.experimental._shape_contexts import (
    Constraint,
    ConstraintViolationError,
    DimDynamic,
    EqualityConstraint,
    GuardOnDataDependentSymNode,
    RelaxedUnspecConstraint,
    RuntimeAssert,
    ShapeEnvSettings,
    StatefulSymbolicContext,
    StatelessSymbolicContext,
    StrictMinMaxConstraint,
    SubclassSymbolicContext,
    SymbolicContext,
    SymIntSymbolicContext,
    TrackedFake,
)
from rushlight.fx.experimental._shape_env import ShapeEnv
from rushlight.fx.experimental._shape_guards import FUNCTIONS, metadata_of
from rushlight.fx.experimental._unbacked_bindings import (
    CallMethodKey,
    ConvertIntKey,
    DivideByKey,
    InnerTensorKey,
    PropagateUnbackedSymInts,
    compute_unbacked_bindings,
    is_accessor_node,
    rebind_unbacked,
    resolve_unbacked_bindings,
)
from rushlight.fx.experimental.sym_node import (
    SYMBOLIC,
    Expression,
    constant_of,
    hint_of,
    is_unknown,
    plain_number,
    statically,
    symbols_of,
)

__all__ = [
    "CURRENT_NODE_KEY",
    "FUNCTIONS",
    "SHAPEENV_EVENT_KEY",
    "CallMethodKey",
    "Constraint",
    "ConstraintViolationError",
    "ConvertIntKey",
    "DimDynamic",
    "DivideByKey",
    "EqualityConstraint",
    "GuardOnDataDependentSymNode",
    "InnerTensorKey",
    "PropagateUnbackedSymInts",
    "RelaxedUnspecConstraint",
    "RuntimeAssert",
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

# Programs, pickles and errors know these classes by this file.
class_files.also_in(
    "rushlight.fx.experimental",
    {
        "symbolic_shapes": (
            "CallMethodKey",
            "Constraint",
            "ConstraintViolationError",
            "ConvertIntKey",
            "DimDynamic",
            "DivideByKey",
            "EqualityConstraint",
            "GuardOnDataDependentSymNode",
            "InnerTensorKey",
            "PropagateUnbackedSymInts",
            "RelaxedUnspecConstraint",
            "RuntimeAssert",
            "ShapeEnv",
            "ShapeEnvSettings",
            "StatefulSymbolicContext",
            "StatelessSymbolicContext",
            "StrictMinMaxConstraint",
            "SubclassSymbolicContext",
            "SymbolicContext",
            "SymIntSymbolicContext",
            "TrackedFake",
        )
    },
    globals(),
)


def is_symbolic(val: Any) -> bool:
    """Whether a number is an expression."""
    return isinstance(val, SYMBOLIC) and constant_of(val) is None


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
    return not isinstance(a, SymBool) or statically(a) is not None


def has_static_value(a: Any) -> bool:
    """Whether a number is always the same."""
    if isinstance(a, SymBool):
        return statically(a) is not None
    return not isinstance(a, SYMBOLIC) or constant_of(a) is not None


def statically_known_true(x: Any) -> bool:
    """Whether a condition holds in any case, as far as that is known. No guard is added."""
    return statically(x) is True


def statically_known_false(x: Any) -> bool:
    """Whether a condition does not hold in any case, as far as that is known. No guard is added."""
    return statically(x) is False


def _guard_or(a: Any, default: bool) -> bool:
    if not isinstance(a, SymBool):
        return bool(a)
    found = statically(a)
    if found is not None:
        return found
    return default if is_unknown(a) else bool(a)


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
    return plain_number(a)


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
        yield from (x for x in metadata_of(val) if isinstance(x, SYMBOLIC))
    elif isinstance(val, SYMBOLIC):
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
    return any(isinstance(x, SYMBOLIC) for x in metadata_of(elem))


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
        if any(statically(a == b) is False for a, b in zip(old._size_, new._size_)):
            raise RuntimeError(shapes)
    elif _is_number(new):
        if not _is_number(old):
            raise AssertionError(f"{old} != {new}")
        if statically(old == new) is False:
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


# What is made of sympy, which is imported when it is asked for.
_OF_SYMPY = ("DimConstraints", "canonicalize_bool_expr", "safe_expand")


def __getattr__(name: str) -> Any:
    if name in _OF_SYMPY:
        from rushlight.fx.experimental import _dim_constraints

        return getattr(_dim_constraints, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
