"""What is assumed of symbols, as texts: guards of a `ShapeEnv`, and their check for other values."""

from __future__ import annotations

import math
import operator
import re
import sys
import traceback
import types
from collections.abc import Sequence
from typing import Any

from rushlight._guards import ShapeGuard, SLoc
from rushlight.engine.core import form_text, symbolic
from rushlight.engine.core.symbolic import SymBool, SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.fx.experimental._shape_contexts import RuntimeAssert
from rushlight.fx.experimental.sym_node import Expression, symbols_of

# What the texts of expressions call.
FUNCTIONS: dict[str, Any] = {
    "Eq": operator.eq, "Ne": operator.ne, "Mod": operator.mod, "Max": symbolic.maximum,
    "Min": symbolic.minimum, "Abs": abs, "IntTrueDiv": operator.truediv, "FloorDiv": operator.floordiv,
    "ToFloat": float, "math": math, "PythonMod": operator.mod,
}  # fmt: skip


# The name of a symbol in such a text.
_SYMBOL = re.compile(r"\b[su]\d+\b")


def as_python(text: str) -> str:
    """An expression with Python's signs for the words that are none of its functions."""
    found = re.fullmatch(r"(Eq|Ne)\((.*), (.*)\)", text)
    if found is None:
        return text
    return f"{found[2]} {'==' if found[1] == 'Eq' else '!='} {found[3]}"


def metadata_of(value: Any) -> list[Any]:
    """The numbers that a tensor's metadata are; of a number, itself."""
    if isinstance(value, Tensor):
        return [*value._size_, *value._stride_, value._offset_]
    return [value]


def _names_of_metadata(value: Any) -> list[str]:
    if not isinstance(value, Tensor):
        return [""]
    count = len(value._size_)
    sizes = [f"size()[{k}]" for k in range(count)]
    return [*sizes, *(f"stride()[{k}]" for k in range(count)), "storage_offset()"]


class Frozen:
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


def guard_of(comparison: SymBool, a: str, b: str) -> ShapeGuard:
    """The guard that a comparison of two expressions is, whose text stays as it is now."""
    text = form_text.comparison_text(comparison.operation, a, b, comparison.is_flipped)
    return ShapeGuard(_Guard(comparison, text), place_of_program())


def place_of_program() -> SLoc:
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


class GuardTexts:
    """The guards of a `ShapeEnv`, to be read and to be run."""

    guards: list[ShapeGuard]
    deferred_runtime_asserts: dict[Any, list[RuntimeAssert]]
    backed_var_to_val: dict[Any, Any]
    _by_name: dict[str, Any]

    def _range(self, x: SymInt) -> Any:
        raise NotImplementedError

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

    def get_pruned_guards(self, symints: Sequence[SymInt]) -> list[ShapeGuard]:
        """The guards that are about nothing but some symbols."""
        first_names = {id(symbol): name for name, symbol in self._by_name.items()}
        known = {str(symbol) for one in symints for symbol in symbols_of(one)}
        known |= {first_names[id(one)] for one in symints if id(one) in first_names}
        return [g for g in self.guards if known.issuperset(_SYMBOL.findall(str(g.expr)))]

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
        # What guards call symbols that are other expressions by now.
        first_names = {id(symbol): name for name, symbol in self._by_name.items()}

        def bind(symbol: Any) -> None:
            nonlocal number
            name = f"L['t{number}']"
            number += 1
            if type(symbol) is not SymInt:
                if not ignore_static:
                    lines.append(f"{name} == {symbol}")
                return
            text = str(symbol)
            if id(symbol) in first_names:
                bound.setdefault(first_names[id(symbol)], name)
            if not Expression(symbol).is_symbol or bound.setdefault(text, name) != name:
                lines.append(f"{name} == {as_python(text)}")

        for fake in placeholders:
            for symbol in metadata_of(fake):
                bind(symbol)
        lines += [as_python(str(g.expr)) for g in (self.guards if guards is None else guards)]
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
            for symbol, part in zip(metadata_of(fake), _names_of_metadata(fake)):
                name = f"{source.name}.{part}" if part else source.name
                if (
                    type(symbol) is SymInt
                    and Expression(symbol).is_symbol
                    and str(symbol) not in names
                ):
                    names[str(symbol)] = name
                else:
                    lines.append(f"{name} == {symbol}")
        lines += [as_python(str(g.expr)) for g in self.guards]
        for text, name in names.items():
            low = self._range(self._by_name[text]).lower
            if low not in (0, "-int_oo"):
                lines.append(f"{low} <= {name}")

        def renamed(line: str) -> str:
            return re.sub(r"\bs\d+\b", lambda m: names.get(m[0], m[0]), line)

        found = [renamed(line) for line in lines]
        return found, list(found), list(found)

    def evaluate_guards_expression(self, code: str | types.CodeType, args: Any) -> bool:
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
        return self.evaluate_guards_expression(code, [x for arg in args for x in metadata_of(arg)])

    def evaluate_symexpr(self, code: str) -> Any:
        """The plain number of an expression over the names of symbols."""
        names = {str(e): value for e, value in self.backed_var_to_val.items()}
        return eval(code, {**FUNCTIONS, **names})

    def deserialize_symexpr(self, code: str) -> Any:
        """The symbolic number that a text stands for."""
        return eval(code, {**FUNCTIONS, **self._by_name})
