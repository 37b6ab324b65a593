"""Conditions on sizes as expressions of sympy: in one form each, and solved.

`symbolic_shapes` has these names; sympy is imported when they are asked for.
"""

from __future__ import annotations

import functools
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import sympy  # type: ignore[import-untyped]
from sympy.printing.str import StrPrinter  # type: ignore[import-untyped]
from sympy.solvers.inequalities import reduce_inequalities  # type: ignore[import-untyped]

from rushlight._guards import Source
from rushlight.utils._sympy.functions import FloorDiv, Mod, PythonMod

__all__ = ["DimConstraints", "canonicalize_bool_expr", "safe_expand"]

_TURNED = {sympy.Gt: sympy.Lt, sympy.Ge: sympy.Le}
_REMAINDERS = (sympy.Mod, Mod, PythonMod)


def safe_expand(r: Any) -> Any:
    """An expression multiplied out; itself if that cannot be done."""
    if not hasattr(r, "expand"):
        return r
    try:
        return sympy.expand(r)
    except RecursionError:
        return r


def canonicalize_bool_expr(expr: Any) -> Any:
    """A condition with `<` and `<=` only, without common factors, each term at the side where it is positive."""
    if isinstance(expr, (sympy.And, sympy.Or, sympy.Not)):
        expr = sympy.to_cnf(expr)
    if isinstance(expr, (sympy.And, sympy.Or)):
        return expr.func(*map(canonicalize_bool_expr, expr.args))
    if not isinstance(expr, sympy.Rel):
        return expr
    kind = _TURNED.get(type(expr), type(expr))
    difference = expr.rhs - expr.lhs if kind is type(expr) else expr.lhs - expr.rhs
    terms = [term.as_coeff_Mul() for term in sympy.Add.make_args(difference)]
    factor = functools.reduce(math.gcd, (int(c) for c, _ in terms if c.is_Integer), 0) or 1
    if not all(c.is_Integer for c, _ in terms):
        factor = 1
    left = sympy.Add(*(-c / factor * rest for c, rest in terms if c < 0))
    right = sympy.Add(*(c / factor * rest for c, rest in terms if c > 0))
    return kind(left, right, evaluate=False)


class _Printer(StrPrinter):  # type: ignore[misc]
    """Writes symbols as what they are sizes of.

    Args:
        sources: where the symbols come from
        names: what programs call these places
    """

    def __init__(self, sources: dict[Any, list[Source]], names: Mapping[str, str]) -> None:
        super().__init__()
        self.sources, self.names = sources, names

    def name_of(self, symbol: Any) -> str:
        """Where a symbol comes from."""
        return self.sources[symbol][0].name

    def _print_Symbol(self, symbol: Any) -> str:
        if symbol not in self.sources:
            return str(symbol.name)
        name = self.name_of(symbol)
        return self.names.get(name, name)

    def _print_Relational(self, expr: Any) -> str:
        sign = "==" if expr.rel_op in ("=", "==") else expr.rel_op
        return f"{self.doprint(expr.lhs)} {sign} {self.doprint(expr.rhs)}"


class DimConstraints:
    """Conditions on sizes that vary: those that leave one number, and those that leave a range.

    Args:
        symbol_to_source: where the symbols come from
        var_to_val: their values in the program's example
        marked_dynamic: those that a program wants to vary
        source_name_to_debug_name: what the program calls the places
    """

    def __init__(
        self,
        symbol_to_source: dict[Any, list[Source]],
        var_to_val: Mapping[Any, Any],
        marked_dynamic: set[Any],
        source_name_to_debug_name: Mapping[str, str],
    ) -> None:
        self._var_to_val, self._marked_dynamic = var_to_val, marked_dynamic
        self._names = source_name_to_debug_name
        self._dcp = _Printer(symbol_to_source, source_name_to_debug_name)
        # Conditions on one symbol, by it; those on several.
        self._univariate_inequalities: dict[Any, set[Any]] = defaultdict(set)
        self._multivariate_inequalities: set[Any] = set()
        self._symbols_with_equalities: set[Any] = set()
        # Remainders that must be 0, by the symbol in them.
        self._congruences: dict[Any, set[Any]] = defaultdict(set)
        self._symbolic_equivalences: list[tuple[Source, Any]] = []
        # What symbols must be.
        self._substitutions: dict[Any, Any] = {}
        self._inconsistencies: list[str] = []
        self._static_results: set[str] = set()
        self._dynamic_results: set[str] = set()

    # -- what is asked --

    def rewrite_with_congruences(self, s: Any, expr: Any) -> Any:
        """An expression of one symbol without quotients and remainders that round.

        The remainders are those of the example; that they are becomes a condition of its own.
        """

        def remainder(base: Any, divisor: Any) -> tuple[Any, Any, Any]:
            base, divisor = (self.rewrite_with_congruences(s, x) for x in (base, divisor))
            left = base.xreplace(self._var_to_val) % divisor.xreplace(self._var_to_val)
            condition = sympy.Mod(base - left, divisor)
            if condition != 0:
                self._congruences[s].add(condition)
            return base, divisor, left

        def quotient(base: Any, divisor: Any) -> Any:
            base, divisor, left = remainder(base, divisor)
            return (base - left) / divisor

        for kind in _REMAINDERS:
            if expr.has(kind):
                expr = expr.replace(kind, lambda *args: remainder(*args)[2])
        return expr.replace(FloorDiv, quotient) if expr.has(FloorDiv) else expr

    def add(self, expr: Any) -> bool:
        """Take a condition in; whether it holds in any case."""
        if expr == sympy.true:
            return True
        if expr.xreplace(self._var_to_val) == sympy.false:
            self._inconsistencies.append(f"{expr} is inconsistent!")
        if isinstance(expr, (sympy.Ne, sympy.Or, sympy.And)):
            # They leave neither a number nor a range.
            return False
        if len(expr.free_symbols) > 1:
            self._multivariate_inequalities.add(expr)
            return False
        (symbol,) = expr.free_symbols
        before = len(self._congruences[symbol])
        plain = self.rewrite_with_congruences(symbol, expr)
        if plain == sympy.true:
            return len(self._congruences[symbol]) == before
        if isinstance(plain, sympy.Eq):
            self._symbols_with_equalities.add(symbol)
        self._univariate_inequalities[symbol].add(plain)
        return False

    def add_equality(self, source: Source, expr: Any) -> None:
        """Take in that a size is what an expression says."""
        if expr.is_number:
            self._static_results.add(f"{source.name} == {expr}")
        else:
            self._symbolic_equivalences.append((source, expr))

    # -- what follows --

    def solve(self) -> None:
        """Find which symbols must be one number, and between which numbers the others lie."""
        if self._inconsistencies:
            found = "\n".join(self._inconsistencies)
            self._inconsistencies.clear()
            raise ValueError(f"The following inconsistencies were found:\n{found}")
        while self._symbols_with_equalities:
            self._specialize(self._symbols_with_equalities.pop())
        for condition in self._left_congruences():
            self._dynamic_results.add(self._dcp.doprint(sympy.Eq(condition, 0)))
        for symbol, conditions in self._univariate_inequalities.items():
            self._dynamic_results.update(map(self._dcp.doprint, self._range(symbol, conditions)))
        equal, self._symbolic_equivalences = self._symbolic_equivalences, []
        for source, expr in equal:
            self.add_equality(source, expr.xreplace(self._substitutions))
        for source, expr in self._symbolic_equivalences:
            self._dynamic_results.add(f"{source.name} == {self._dcp.doprint(expr)}")

    def _specialize(self, symbol: Any) -> None:
        """Find the number that a symbol must be, and put it into the other conditions."""
        solution = reduce_inequalities(self._univariate_inequalities.pop(symbol), symbol)
        equal = [x for x in sympy.And.make_args(solution) if isinstance(x, sympy.Eq)]
        if not equal:
            raise ValueError(f"{symbol} should be one number, and {solution} leaves several")
        value = equal[0].rhs if equal[0].lhs == symbol else equal[0].lhs
        self._static_results.add(f"{self._dcp.name_of(symbol)} == {value}")
        self._substitutions[symbol] = value
        several, self._multivariate_inequalities = self._multivariate_inequalities, set()
        for condition in several:
            self.add(condition.xreplace({symbol: value}))

    def _left_congruences(self) -> Iterator[Any]:
        for conditions in self._congruences.values():
            for condition in conditions:
                left = condition.xreplace(self._substitutions)
                if left != 0:
                    yield left

    def _range(self, symbol: Any, conditions: set[Any]) -> list[Any]:
        """Conditions on one symbol in few words."""
        try:
            solution = reduce_inequalities(conditions, symbol)
        except NotImplementedError:
            return list(conditions)
        if isinstance(solution, sympy.Or):
            solution = next(x for x in solution.args if x.xreplace(self._var_to_val) == sympy.true)
        return [x for x in sympy.And.make_args(solution) if not x.has(sympy.oo)]

    def forced_specializations(self) -> dict[str, Any]:
        """The numbers that symbols must be which a program wants to vary, by their names."""
        found = {}
        for symbol, value in self._substitutions.items():
            if symbol in self._marked_dynamic:
                name = self._dcp.name_of(symbol)
                found[f"{self._names[name]} = {name}" if self._names else name] = value
        return found

    def prettify_results(
        self,
        original_signature: Any,
        dynamic_shapes: Any,
        constraint_violation_error: object,
        forced_specializations: Mapping[str, Any],
    ) -> str:
        """What a program should say of its sizes instead.

        Args:
            original_signature: of the program
            dynamic_shapes: what it says now
            constraint_violation_error: the error that there is, if there is one
            forced_specializations: what `forced_specializations` has found
        """
        if not self._names:
            return ""
        lines = []
        if forced_specializations:
            dims = ", ".join(sorted({name.split(" = ")[0] for name in forced_specializations}))
            lines.append(
                f"Specializations unexpectedly required ({dims})! "
                'For more information, run with TORCH_LOGS="+dynamic".'
            )
            lines += [
                f"  - solving the guards generated for {name} resulted in a specialized value of {value}."
                for name, value in sorted(forced_specializations.items())
            ]
        fixes = self._fixes()
        if fixes:
            lines += ["", "Suggested fixes:", *(f"  {fix}" for fix in fixes)]
        return "\n".join(lines) + "\n" if lines else ""

    def _fixes(self) -> list[str]:
        """What to say of each size: a number, another size, or a range."""
        limits: dict[str, dict[str, str]] = defaultdict(dict)
        equal: dict[str, str] = {}
        for text in self._static_results | self._dynamic_results:
            left, sign, right = re.split(r" (==|<=|>=|<|>) ", text)
            left, right = (self._names.get(side, side) for side in (left, right))
            if sign == "==":
                equal[left] = right
                continue
            if left.isdigit():
                left, right = right, left
                sign = sign.replace("<", "?").replace(">", "<").replace("?", ">")
            if right.isdigit():
                least = sign.startswith(">")
                bound = int(right) + (0 if "=" in sign else 1 if least else -1)
                limits[left]["min" if least else "max"] = str(bound)
        fixes = [f"{name} = {value}" for name, value in equal.items() if name != value]
        for name, known in limits.items():
            if name not in equal:
                given = ", ".join(f"{k}={known[k]}" for k in ("min", "max") if k in known)
                fixes.append(f"{name} = Dim('{name}', {given})")
        return sorted(fixes)
