"""What symbolic numbers tell of themselves: expression, hint, where guards go."""

from __future__ import annotations

import builtins
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight.engine.core import expressions, polynomials, symbolic
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt

__all__ = ["Expression", "SymNode"]

_SYMBOL = re.compile(r"\b(?:s|u|zuf|zf|z)\d+\b")
# Types of symbolic numbers.
SYMBOLIC = (SymInt, SymFloat, SymBool)

# What nodes compute symbols with, by the step that a symbol was computed in.
STEPS: dict[Any, Callable[..., Any]] = {
    expressions.ADD: operator.add, expressions.SUB: operator.sub, expressions.MUL: operator.mul,
    expressions.FLOORDIV: operator.floordiv, expressions.MOD: operator.mod,
    expressions.MIN: rushlight.sym_min, expressions.MAX: rushlight.sym_max,
    expressions.EQUAL: operator.eq, expressions.DIFFERENT: operator.ne,
    expressions.LESS: operator.lt, expressions.AT_MOST: operator.le,
    "and": operator.and_, "or": operator.or_, "not": rushlight.sym_not,
}  # fmt: skip

_COMPARED = {
    operator.eq: expressions.EQUAL, operator.ne: expressions.DIFFERENT,
    operator.lt: expressions.LESS, operator.le: expressions.AT_MOST,
    operator.gt: expressions.LESS, operator.ge: expressions.AT_MOST,
}  # fmt: skip


def compared(function: Callable[..., Any], args: Sequence[Any]) -> SymBool | None:
    """What a function makes of symbolic integers that compares them, even if it is known how that ends.

    None if it compares nothing, or other values.
    """
    operation = _COMPARED.get(function)
    integers = [x for x in args if type(x) is SymInt]
    if operation is None or not integers or not all(type(x) in symbolic.INTEGERS for x in args):
        return None
    is_flipped = function in (operator.gt, operator.ge)
    made = SymBool(integers[0].trace, operation, *(reversed(args) if is_flipped else args))
    made.is_flipped = is_flipped
    return made


class Expression:
    """What a symbolic number is computed of.

    Args:
        value: the number; plain ones, too
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __str__(self) -> str:
        return str(self.value)

    __repr__ = __str__

    @property
    def name(self) -> str:
        """The name of a symbol."""
        return str(self)

    @property
    def is_symbol(self) -> bool:
        """Whether it is a symbol and nothing is computed of it."""
        return _SYMBOL.fullmatch(str(self)) is not None

    @property
    def is_number(self) -> bool:
        """Whether no symbol is in it."""
        return not self.free_symbols

    is_Integer = is_number

    @property
    def free_symbols(self) -> set[Expression]:
        """The symbols in it."""
        return {Expression(symbol) for symbol in symbols_of(self.value)}

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __int__(self) -> int:
        return int(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __lt__(self, other: Any) -> bool:
        return str(self) < str(other)

    def _sympy_(self) -> Any:
        from rushlight.utils._sympy.conversion import as_sympy

        return as_sympy(self.value)

    def __add__(self, other: Any) -> Any:
        return self._sympy_() + other

    def __mul__(self, other: Any) -> Any:
        return self._sympy_() * other

    __radd__, __rmul__ = __add__, __mul__


def symbols_of(value: Any) -> list[SymInt]:
    """The symbols in a symbolic number, in order of their making."""
    places: set[int] = set()
    owner: list[Any] = []

    def visit(x: Any) -> None:
        if type(x) is SymInt:
            owner.append(x.trace)
            form = x.trace.simplest(x.trace.form(x)) if x.trace.is_of_program else x.trace.form(x)
            for a in polynomials.atoms(form):
                visit_atom(x.trace, a)
        elif isinstance(x, (SymBool, SymFloat)):
            for operand in x.operands:
                visit(operand)

    def visit_atom(trace: Any, place: int) -> None:
        if place in trace.names:
            places.add(place)
            return
        for inner in trace.nodes[place][1:]:
            form = trace.simplest(trace.forms[inner])
            for a in polynomials.atoms(form):
                visit_atom(trace, a)

    visit(value)
    return [SymInt(owner[0], p, owner[0].node_values[p]) for p in sorted(places)]


class SymNode:
    """A symbolic number, as those who make and read guards see it.

    Args:
        value: the number
        shape_env: whose symbols are in it
    """

    __slots__ = ("shape_env", "value")

    def __init__(self, value: Any, shape_env: Any) -> None:
        self.value, self.shape_env = value, shape_env

    @property
    def expr(self) -> Expression:
        """What it is computed of."""
        return Expression(self.value)

    _expr = expr

    @property
    def pytype(self) -> type:
        """The type of the plain number."""
        return {SymInt: int, SymFloat: float, SymBool: bool}[type(self.value)]

    @property
    def hint(self) -> Any:
        """The plain number of this run; None if elements decide it."""
        return hint_of(self.value)

    def has_hint(self) -> bool:
        """Whether the plain number of this run is known."""
        return self.hint is not None

    def require_hint(self, fallback: Any = None) -> Any:
        """The plain number of this run."""
        found = self.hint
        if found is None and fallback is None:
            raise self.shape_env.unknown_error(self.value)
        return fallback if found is None else found

    def maybe_as_int(self) -> int | None:
        """The plain number, if it is always the same."""
        return constant_of(self.value)

    maybe_as_float = maybe_as_bool = maybe_as_int

    def is_constant(self) -> bool:
        """Whether it is always the same number."""
        return False

    def is_symbolic(self) -> bool:
        """Whether it stands for an expression."""
        return True

    def is_int(self) -> bool:
        return self.pytype is int

    def is_float(self) -> bool:
        return self.pytype is float

    def is_bool(self) -> bool:
        return self.pytype is bool

    def is_nested_int(self) -> bool:
        return False

    def nested_int(self) -> None:
        return None

    def guard_int(self, file: builtins.str, line: int) -> int:
        """The plain number, which a guard notes."""
        return int(self.value)

    def guard_float(self, file: builtins.str, line: int) -> float:
        """The plain number, which a guard notes."""
        return float(self.value)

    def guard_bool(self, file: builtins.str, line: int) -> bool:
        """The truth value, which a guard notes."""
        return bool(self.value)

    def expect_true(self, file: builtins.str, line: int) -> bool:
        """Whether it holds; what elements decide is taken to."""
        return self.shape_env.expect_true(self.value)  # type: ignore[no-any-return]

    def expect_size(self, file: builtins.str, line: int) -> bool:
        """Whether it can be a size; what elements decide is taken to."""
        return self.shape_env.expect_true(self.value >= 0)  # type: ignore[no-any-return]

    def guard_size_oblivious(self, file: builtins.str, line: int) -> bool:
        """The truth value for sizes that are neither 0 nor 1."""
        return self.shape_env.for_large_sizes(self.value)  # type: ignore[no-any-return]

    def __str__(self) -> builtins.str:
        return builtins.str(self.value)

    str = __str__  # type: ignore[valid-type]

    def __repr__(self) -> builtins.str:
        return f"SymNode({self.value}, shape_env={self.shape_env}, pytype={self.pytype})"


def constant_of(value: Any) -> Any:
    """The plain number that a symbolic one always is; None if it is not always the same."""
    if type(value) is not SymInt:
        return None if isinstance(value, (SymBool, SymFloat)) else value
    form = value.trace.form(value)
    return polynomials.constant(value.trace.simplest(form))


def hint_of(value: Any) -> Any:
    """The plain number of this run; None if elements decide it."""
    if type(value) is SymInt:
        return None if value.trace.is_unknown(value) else value.value  # type: ignore[attr-defined]
    if isinstance(value, SymFloat):
        if not value.operands:
            return None
        hints = [hint_of(x) for x in value.operands]
        return None if None in hints else value.function(*map(float, hints))
    if isinstance(value, SymBool):
        hints = [hint_of(x) for x in value.operands]
        if None in hints:
            return None
        if value.operation in symbolic.HOLDS:
            return symbolic.HOLDS[value.operation](*hints)
        return {"and": all, "or": any, "not": lambda x: not x[0]}[value.operation](hints)  # type: ignore[operator]
    return value


def step_of(value: Any) -> tuple[Callable[..., Any], list[Any]] | None:
    """The function and the operands that a symbolic number was computed with; None for symbols."""
    if type(value) is SymInt:
        if value.trace.is_of_program and value.place in value.trace.powers:  # type: ignore[attr-defined]
            place, exponent = value.trace.powers[value.place]  # type: ignore[attr-defined]
            base = SymInt(value.trace, place, value.trace.node_values[place])
            return operator.pow, [base, exponent]
        operation, *places = value.trace.nodes[value.place]
        if operation not in STEPS:
            return None
        return STEPS[operation], [
            SymInt(value.trace, p, value.trace.node_values[p]) for p in places
        ]
    function = STEPS[value.operation] if isinstance(value, SymBool) else value.function
    return rushlight.sym_float if function is float else function, list(value.operands)


def plain_number(value: Any) -> Any:
    """The plain number of a symbolic one, which a guard notes."""
    kind = {SymInt: int, SymFloat: float, SymBool: bool}.get(type(value))
    return value if kind is None else kind(value)


def is_unknown(value: Any) -> bool:
    """Whether a number follows from what elements decide."""
    if type(value) is SymInt:
        return value.trace.is_of_program and value.trace.is_unknown(value)  # type: ignore[attr-defined]
    if isinstance(value, SymFloat) and not value.operands:
        return True
    return isinstance(value, (SymBool, SymFloat)) and any(map(is_unknown, value.operands))


def statically(condition: Any) -> bool | None:
    """How a condition ends in any case, as far as that is known."""
    if not isinstance(condition, SymBool):
        return condition if isinstance(condition, bool) else None
    if condition.operation in ("and", "or"):
        parts = [statically(x) for x in condition.operands]
        decides = condition.operation == "or"
        if decides in parts:
            return decides
        return None if None in parts else not decides
    if condition.operation == "not":
        inner = statically(condition.operands[0])
        return None if inner is None else not inner
    a, b = condition.operands
    if any(type(x) not in symbolic.INTEGERS for x in (a, b)):
        return None
    return condition.trace.decided(condition.operation, a, b)
