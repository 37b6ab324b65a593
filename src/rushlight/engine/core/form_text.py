"""Expressions of symbolic integers as texts: the words and the order that PyTorch's have."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rushlight.engine.core import polynomials
from rushlight.engine.core.expressions import (
    AT_MOST,
    CONSTANT,
    DIFFERENT,
    EQUAL,
    FLOORDIV,
    FOUND,
    INPUT,
    LESS,
    MAX,
    MIN,
    MOD,
    is_natural,
)
from rushlight.engine.core.polynomials import Form

if TYPE_CHECKING:
    from rushlight.engine.core.symbolic import Trace

_CALLS = {MOD: "Mod", MIN: "Min", MAX: "Max"}
_SIGNS = {LESS: ("<", ">"), AT_MOST: ("<=", ">=")}
_NAMES = {EQUAL: "Eq", DIFFERENT: "Ne"}


def text_of(trace: Trace, names: dict[int, str], form: Form) -> str:
    """A polynomial: terms of higher powers first, symbols in the order of their names.

    Args:
        trace: whose nodes the atoms are
        names: of the nodes that are symbols
        form: the polynomial
    """
    if not form:
        return "0"
    atoms = {a: _atom(trace, names, a) for a in polynomials.atoms(form)}
    order = sorted(atoms, key=lambda a: (a not in names, atoms[a]))

    def powers(monomial: polynomials.Monomial) -> list[int]:
        counted = Counter(monomial)
        return [counted[a] for a in order]

    terms = sorted(form, key=lambda term: powers(term[0]), reverse=True)
    if len(terms) == 2 and not terms[1][0] and terms[1][1] > 0 and terms[0][1] < 0:
        terms.reverse()
    parts: list[str] = []
    for monomial, coefficient in terms:
        counted = Counter(monomial)
        factors = [
            f"{_factor(atoms[a], a in names, len(form), len(counted), coefficient)}"
            + (f"**{counted[a]}" if counted[a] > 1 else "")
            for a in order
            if counted[a]
        ]
        size = abs(coefficient)
        body = "*".join([*([str(size)] if size != 1 or not factors else []), *factors])
        if not parts:
            parts.append(f"-{body}" if coefficient < 0 else body)
        else:
            parts.append(f"{'-' if coefficient < 0 else '+'} {body}")
    return " ".join(parts)


def _factor(text: str, is_symbol: bool, terms: int, factors: int, coefficient: int) -> str:
    """An atom among others: what is computed of symbols is set apart there."""
    is_alone = terms == 1 and factors == 1 and coefficient == 1
    return text if is_symbol or is_alone else f"({text})"


def _atom(trace: Trace, names: dict[int, str], number: int) -> str:
    if number in names:
        return names[number]
    operation, *operands = trace.nodes[number]
    if operation in (INPUT, FOUND, CONSTANT):
        return str(trace.node_values[number])
    forms = [trace.forms[n] for n in operands]
    a, b = (text_of(trace, names, trace.simplest(form)) for form in forms)
    if operation == FLOORDIV:
        return f"({_side(a)}//{_side(b, True)})"
    if operation in _CALLS:
        if operation == MOD and not all(is_natural(trace.nodes, n) for n in operands):
            return f"PythonMod({a}, {b})"
        if operation != MOD:
            a, b = sorted((a, b), key=lambda t: (not t.lstrip("-").isdigit(), " " in t, t))
        return f"{_CALLS[operation]}({a}, {b})"
    return f"{_side(a)}*{_side(b)}"


def _side(text: str, is_divisor: bool = False) -> str:
    return f"({text})" if " " in text or (is_divisor and "*" in text) else text


def comparison_text(operation: int, a: str, b: str, is_flipped: bool) -> str:
    """A comparison; a plain number stands at the right.

    Args:
        operation: how the two compare
        a: one side
        b: the other
        is_flipped: whether the program has them the other way round
    """
    if operation in _NAMES:
        a, b = (b, a) if _is_plain(a) and not _is_plain(b) else (a, b)
        return f"{_NAMES[operation]}({a}, {b})"
    usual, other = _SIGNS[operation]
    if _is_plain(a) != _is_plain(b):
        is_flipped = _is_plain(a)
    return f"{b} {other} {a}" if is_flipped else f"{a} {usual} {b}"


def _is_plain(text: Any) -> bool:
    return str(text).lstrip("-").isdigit()
