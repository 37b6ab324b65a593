"""The sizes of a program's arguments as symbols, and what the trace has found out about them.

Before the trace each dimension that may vary gets a symbol, or an expression of the symbol of its root.
After it, what is known of the symbols is compared with what was said of the dimensions.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rushlight._dynamo.exc import UserError, UserErrorType
from rushlight._dynamo.source import (
    AttrSource,
    ConstantSource,
    GetItemSource,
    LocalSource,
    TensorProperty,
    TensorPropertySource,
)
from rushlight.engine.core import polynomials
from rushlight.engine.core.expressions import DIFFERENT, EQUAL
from rushlight.engine.core.symbolic import SymBool, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native.records import dataclass
from rushlight.export.dimensions import (
    NO_LIMIT,
    Dim,
    DimHint,
    DimHintType,
    StaticDim,
    described,
    linear_text,
)
from rushlight.export.dynamic_shapes import Told
from rushlight.fx.experimental.sym_node import Expression, constant_of
from rushlight.fx.experimental.symbolic_shapes import (
    DimDynamic,
    ShapeEnv,
    StatelessSymbolicContext,
    StrictMinMaxConstraint,
)
from rushlight.utils import _pytree as pytree
from rushlight.utils._sympy.value_ranges import ValueRanges

__all__ = ["ArgumentSizes", "deferred_guards", "source_of"]

_LIMIT = (1 << 63) - 1
# What planners refuse is no limit that anybody has set.
_UNLIMITED = 1 << 62


def source_of(path: Sequence[Any]) -> Any:
    """Where an argument is found, from its path among the arguments by name."""
    source: Any = LocalSource(path[0].key)
    for key in path[1:]:
        if isinstance(key, pytree.GetAttrKey):
            source = AttrSource(source, key.name)
        else:
            source = GetItemSource(source, key.idx if hasattr(key, "idx") else key.key)
    return source


@dataclass
class Use:
    """A size that may vary.

    Args:
        place: the expression that finds it
        told: what was said of it
        size: the symbol, or what it is computed of
    """

    place: str
    told: Dim | DimHint
    size: Any


class Violation(NamedTuple):
    """What is wrong with what was said of a size.

    Args:
        name: of the size
        text: what is wrong
        fixes: what would be right
    """

    name: str
    text: str
    fixes: list[str]


class ArgumentSizes:
    """The symbols of one program's arguments.

    Args:
        env: makes the symbols
    """

    def __init__(self, env: ShapeEnv) -> None:
        self.env = env
        self.uses: list[Use] = []
        # By the names of roots: the symbol, where it was first seen, and the dimension.
        self.roots: dict[str, tuple[Any, str, Dim]] = {}
        self._shown: dict[str, str] = {}

    # -- before the trace --

    def fake(
        self, mode: Any, leaves: Sequence[tuple[Any, Any]], told: dict[int, Told]
    ) -> list[Any]:
        """What stands for arguments in the trace.

        Args:
            mode: makes fakes
            leaves: the arguments, each with its path
            told: what is said of them, by place
        """
        for place, (path, value) in enumerate(leaves):
            if place in told and isinstance(value, Tensor):
                self._make_roots(source_of(path), value, told[place].sizes)
        return [
            self._fake_of(mode, path, value, told.get(place))
            for place, (path, value) in enumerate(leaves)
        ]

    def _make_roots(self, source: Any, value: Any, sizes: dict[int, Any]) -> None:
        """Symbols for dimensions by name that are sizes of this tensor, so that these find them."""
        for k, dim in sizes.items():
            if isinstance(dim, Dim) and dim.root is dim and not isinstance(dim, StaticDim):
                self._root(
                    dim, int(value.shape[k]), TensorPropertySource(source, TensorProperty.SIZE, k)
                )

    def _root(self, dim: Dim, value: int, source: Any) -> Any:
        known = self.roots.get(dim.__name__)
        if known is None:
            limits = StrictMinMaxConstraint(warn_only=False, vr=ValueRanges(dim.min, dim.max))
            made = self.env.create_symbol(value, source, DimDynamic.DYNAMIC, limits)
            known = self.roots[dim.__name__] = made, source.name, dim
        return known[0]

    def _fake_of(self, mode: Any, path: Any, value: Any, told: Told | None) -> Any:
        if isinstance(value, Tensor):
            return self._tensor(mode, source_of(path), value, {} if told is None else told.sizes)
        if type(value) is int and told is not None and isinstance(told.value, DimHint):
            return self._integer(source_of(path), value, told.value)
        return value

    def _integer(self, source: Any, value: int, hint: DimHint) -> Any:
        if hint.type is DimHintType.STATIC:
            return value
        made = self.env.create_symbol(
            value, source, DimDynamic.DYNAMIC, _limits(hint), positive=None, do_not_specialize_zero_one=True
        )  # fmt: skip
        size = self.env.create_symintnode(made, hint=value, source=source)
        if value >= 0:
            self.env.constrain_symbol_range(made, 0, _LIMIT)
        self.uses.append(Use(source.name, hint, size))
        return size

    def _tensor(self, mode: Any, source: Any, value: Any, sizes: dict[int, Any]) -> Any:
        kinds = [DimDynamic.STATIC] * value.dim()
        for k, told in sizes.items():
            where = TensorPropertySource(source, TensorProperty.SIZE, k)
            size = self._size(where, int(value.shape[k]), told)
            if size is not None:
                kinds[k] = DimDynamic.DYNAMIC
                self.env.decided[where.name] = Expression(size)
                self.uses.append(Use(where.name, told, size))
        context = StatelessSymbolicContext(dynamic_sizes=kinds)
        return mode.from_tensor(value, static_shapes=False, source=source, symbolic_context=context)

    def _size(self, where: Any, value: int, told: Any) -> Any:
        """The symbolic size that a dimension has; None if it is always the same."""
        if isinstance(told, DimHint):
            if told.type is DimHintType.STATIC:
                return None
            return self.env.create_symbol(value, where, DimDynamic.DYNAMIC, _limits(told)).value
        if not isinstance(told, Dim) or isinstance(told, StaticDim):
            return None
        root, rest = divmod(value - told.offset, told.factor)
        name = told.root.__name__
        if rest:
            raise UserError(
                UserErrorType.CONSTRAINT_VIOLATION,
                f"Expected shape[{where.idx}] = {value} of input Tensor to be of the form "
                f"{told.__name__}, where {name} is an integer",
            )
        symbol = self._root(told.root, root, ConstantSource(name))
        if told.fn(int(self.env.size_hint(symbol))) != value:
            self._refuse_different(told, where.name)
        return told.fn(symbol.value)

    def _refuse_different(self, told: Dim, place: str) -> None:
        _, first, root = self.roots[told.root.__name__]
        if told.root is told:
            text = f"The values of {told.__name__} = {place} and {root.__name__} = {first} must always be equal."
        else:
            text = (
                f"The values of {told.__name__} = {place} must always be related to the values of "
                f"{root.__name__} = {first} by {told.__name__} = {told.__name__}."
            )
        raise UserError(
            UserErrorType.CONSTRAINT_VIOLATION, _violations([root.__name__], [text], [])
        )

    # -- after the trace --

    def names(self) -> dict[str, str]:
        """Where each symbol is found, by its name."""
        if not self._shown:
            for use in self.uses:
                if type(use.size) is SymInt and Expression(use.size).is_symbol:
                    self._shown.setdefault(self._first_text(use.size), use.place)
        return self._shown

    def _first_text(self, size: SymInt) -> str:
        """The name of a symbol, whatever it is known to equal."""
        return self.env._trace.written(size)

    def _simplest(self, size: Any) -> Any:
        trace = self.env._trace
        return trace.simplest(trace.form(size))

    def check(self) -> None:
        """Raise if the trace has found that sizes cannot vary as was said."""
        texts: list[str] = []
        names: list[str] = []
        fixes: list[str] = []
        for name, place, told, size in self._named_sizes():
            found = self._violation(name, place, told, size)
            if found is not None:
                names.append(found.name)
                texts.append(found.text)
                fixes += found.fixes
        if texts:
            raise UserError(UserErrorType.CONSTRAINT_VIOLATION, _violations(names, texts, fixes))

    def _named_sizes(self) -> Iterator[tuple[str, str, Any, Any]]:
        for name, (symbol, place, dim) in self.roots.items():
            yield name, place, dim, symbol.value
        for use in self.uses:
            if isinstance(use.told, DimHint) and use.told.type is DimHintType.DYNAMIC:
                yield use.place, use.place, use.told, use.size

    def _violation(self, name: str, place: str, told: Any, size: Any) -> Violation | None:
        """What is wrong with a size, and what would mend it."""
        is_named = isinstance(told, Dim)
        value = constant_of(size) if type(size) is SymInt else size
        if value is not None:
            text = (
                f"You marked {name} as dynamic but your code specialized it to be a constant ({value}). "
                "If you're using mark_dynamic, either remove it or use maybe_mark_dynamic. If you're "
                "using Dim.DYNAMIC, replace it with either Dim.STATIC or Dim.AUTO."
            )
            return Violation(name, text, [f"{name} = {value}"] if is_named else [])
        if not is_named:
            return None
        form = self._simplest(size)
        if form != self.env._trace.form(size):
            return self._related(name, place, form)
        least, most = self._range(size)
        if (least > max(told.min, 2)) or (most != told.max):
            return self._too_wide(name, place, told, least, most)
        if self.env.prefer_deferred_runtime_asserts_over_guards:
            # What cannot be said of a size is checked when the program runs.
            return None
        return self._unsaid(name, place, told, size, least, most)

    def _range(self, size: Any) -> tuple[int, Any]:
        low, high = self.env._trace.range(size)
        return int(low), NO_LIMIT if high >= _UNLIMITED else int(high)

    def _related(self, name: str, place: str, form: Any) -> Violation:
        rest, offset = polynomials.split(form)
        for other, (symbol, where, _) in self.roots.items():
            if type(symbol.value) is not SymInt or len(rest) != 1:
                continue
            if rest[0][0] == (symbol.value.place,):
                derived = self._derived_from(name) if place == name else None
                if derived is not None and rest[0][1] == 1:
                    # The name itself is no size of an argument: the other one is what should be mended.
                    relation = linear_text(name, 1, -offset)
                    text = (
                        f"The values of {other} = {where} must always be related to the values of "
                        f"{derived} by {other} = {relation}."
                    )
                    return Violation(other, text, [f"{other} = {relation}"])
                relation = linear_text(other, rest[0][1], offset)
                if relation == other:
                    text = f"The values of {name} = {place} and {other} = {where} must always be equal."
                else:
                    text = (
                        f"The values of {name} = {place} must always be related to the values of "
                        f"{other} = {where} by {name} = {relation}."
                    )
                return Violation(name, text, [f"{name} = {relation}"])
        from rushlight.engine.core import form_text

        trace = self.env._trace
        relation = self._told(form_text.text_of(trace, trace.names, form))
        text = f"The values of {name} = {place} must always be equal to {relation}."
        return Violation(name, text, [])

    def _derived_from(self, name: str) -> str | None:
        """The first size of an argument that follows from a dimension, and where it is."""
        for use in self.uses:
            if isinstance(use.told, Dim) and use.told.root.__name__ == name:
                return f"{use.told.__name__} = {use.place}"
        return None

    def _too_wide(self, name: str, place: str, told: Dim, least: int, most: Any) -> Violation:
        wanted = _range_text(told.min, told.max, name)
        guard = _range_text(least, most, place, apart=True)
        text = (
            f"Not all values of {name} = {place} in the specified range{' ' + wanted if wanted else ''} "
            f"satisfy the generated guard {guard}"
        )
        return Violation(name, text, [f"{name} = {described(name, least, most)}"])

    def _unsaid(
        self, name: str, place: str, told: Dim, size: Any, least: int, most: Any
    ) -> Violation | None:
        """A guard on one size that some numbers of its range do not pass."""
        symbol = self._first_text(size)
        texts, fits = [], set(_samples(least, most, int(self.env.size_hint(size))))
        samples = set(fits)
        for guard in self._other_guards():
            if set(re.findall(r"\b[su]\d+\b", guard)) != {symbol}:
                continue
            passing = {n for n in samples if self._holds(guard, {symbol: n})}
            if passing != samples and not _is_about_one(guard):
                fits &= passing
                texts.append(
                    f"Not all values of {name} = {place} in the specified range satisfy the "
                    f"generated guard {self._told(guard)}."
                )
        if not texts:
            return None
        return Violation(name, "\n  - ".join(texts), _multiples(name, sorted(fits), told))

    def _holds(self, guard: str, values: dict[str, int]) -> bool:
        from rushlight.fx.experimental._shape_guards import FUNCTIONS, as_python

        return bool(eval(as_python(guard), {**FUNCTIONS, **values}))

    def _other_guards(self) -> list[str]:
        """Guards that are neither ranges of symbols nor say what symbols equal."""
        return [str(guard.expr) for guard in self.env.guards if _is_beyond_ranges(self.env, guard)]

    def _told(self, text: str) -> str:
        """An expression with the places of sizes instead of symbols."""
        from rushlight.fx.experimental._shape_guards import as_python

        names = self.names()
        text = re.sub(r"\b(?:Python)?Mod\(([^,()]+), ([^,()]+)\)", r"(\1 % \2)", as_python(text))
        return re.sub(r"\b[su]\d+\b", lambda m: names.get(m[0], m[0]), text)

    def guards_code(self) -> list[str]:
        """What a run has to check besides ranges and sizes that are always the same."""
        found: dict[str, None] = {}
        for use in self.uses:
            text = str(use.size)
            if type(use.size) is SymInt and constant_of(use.size) is None:
                shown = self._told(text)
                if shown != use.place and not set(re.findall(r"\bs\d+\b", shown)):
                    found[f"{use.place} == {shown}"] = None
        # Those that the graph checks need no other check.
        others = (
            [] if self.env.prefer_deferred_runtime_asserts_over_guards else self._other_guards()
        )
        for guard in others:
            text = self._told(guard)
            if not set(re.findall(r"\b[su]\d+\b", text)):
                found[text] = None
        return list(found)

    def range_constraints(self) -> dict[Any, ValueRanges]:
        """Between which numbers symbols, and sizes that follow from them, lie."""
        found: dict[Any, ValueRanges] = {}
        for name, symbol in self.env._by_name.items():
            if name.startswith("u") and type(symbol) is SymInt and constant_of(symbol) is None:
                found[Expression(symbol)] = self.env._range(symbol)
        for use in self.uses:
            if type(use.size) is not SymInt or constant_of(use.size) is not None:
                continue
            found.setdefault(Expression(use.size), self._allowed(use))
        for symbol, _, _ in self.roots.values():
            if type(symbol.value) is SymInt and constant_of(symbol.value) is None:
                least, most = self._range(symbol.value)
                found.setdefault(Expression(symbol.value), ValueRanges(least, most))
        return found

    def _allowed(self, use: Use) -> ValueRanges:
        if isinstance(use.told, Dim):
            # Zero and one are no special cases of what was traced for more.
            return ValueRanges(use.told.min, use.told.max)
        least, most = self._range(use.size)
        return ValueRanges(least, most)


def _is_beyond_ranges(env: ShapeEnv, guard: Any) -> bool:
    """Whether a guard neither is the range of a symbol nor says what a symbol equals."""
    condition = guard.expr.value
    if not isinstance(condition, SymBool):
        return True
    names = env._trace.names
    forms = [polynomials.split(env._trace.form(x))[0] for x in condition.operands]
    linear = all(
        len(monomial) == 1 and monomial[0] in names for form in forms for monomial, _ in form
    )
    count = len({m for form in forms for m, _ in form})
    return not linear or (count > 1 and condition.operation != EQUAL)


def deferred_guards(env: ShapeEnv) -> list[Any]:
    """The guards that a graph checks when it runs: those that are not said of its inputs."""
    if not env.prefer_deferred_runtime_asserts_over_guards:
        return []
    return [
        guard
        for guard in env.guards
        if _is_beyond_ranges(env, guard)
        or (guard.expr.value.operation == DIFFERENT and not _is_about_one(str(guard.expr)))
    ]


def _limits(hint: DimHint) -> StrictMinMaxConstraint | None:
    if hint.min is None and hint.max is None:
        return None
    least = 0 if hint.min is None else hint.min
    most = NO_LIMIT if hint.max is None else hint.max
    return StrictMinMaxConstraint(warn_only=False, vr=ValueRanges(least, most))


def _range_text(least: Any, most: Any, name: str, apart: bool = False) -> str:
    low = f"{least} <= {name}" if least not in (0, None) else ""
    high = f"{name} <= {most}" if most != NO_LIMIT else ""
    if low and high:
        return f"{low} and {high}" if apart else f"{least} <= {name} <= {most}"
    return low or high


def _is_about_one(guard: str) -> bool:
    """Whether a guard only says that something is not one, as strides ask."""
    return re.search(r"(Ne\(.*, 1\)|!= 1)$", guard) is not None


def _samples(least: int, most: Any, hint: int) -> list[int]:
    high = least + 240 if most == NO_LIMIT else min(int(most), least + 240)
    return sorted({*range(max(least, 2), high + 1), hint})


def _multiples(name: str, fits: list[int], told: Dim) -> list[str]:
    """The suggestion that a size is a multiple, if what fits is."""
    if len(fits) < 2:
        return [f"{name} = {fits[0]}"] if fits else []
    steps = {b - a for a, b in itertools.pairwise(fits)}
    if len(steps) != 1 or (factor := min(steps)) == 1:
        return []
    offset = fits[0] % factor
    most = "oo" if told.max == NO_LIMIT else (told.max - offset) // factor
    return [
        f"_{name} = Dim('_{name}', min={max(1, -(-told.min // factor))}, max={most})",
        f"{name} = {linear_text('_' + name, factor, offset)}",
    ]


def _violations(names: list[str], texts: list[str], fixes: list[str]) -> str:
    lines = [
        f'Constraints violated ({", ".join(names)})! For more information, run with TORCH_LOGS="+dynamic".',
        *(f"  - {text}" for text in texts),
    ]
    if fixes:
        lines += ["", "Suggested fixes:", *(f"  {fix}" for fix in fixes)]
    return "\n".join(lines) + "\n"
