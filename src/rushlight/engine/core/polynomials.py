"""Normal forms of integer expressions: polynomials with whole coefficients over *atoms*.

An atom is the number of a node that is no sum and no product: an input, a quotient, a minimum. Two
expressions with one form are equal, whatever arithmetic led to them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

Monomial = tuple[int, ...]
# Monomials in order, each with its coefficient, none of them 0; the plain number's monomial is ().
Form = tuple[tuple[Monomial, int], ...]

ZERO: Form = ()
# A product with more terms than this is an atom of its own.
_MOST_TERMS = 16


def plain(number: int) -> Form:
    return (((), number),) if number else ZERO


def atom(node: int) -> Form:
    return (((node,), 1),)


def constant(form: Form) -> int | None:
    """The number that a form always is, if it is one."""
    if not form:
        return 0
    return form[0][1] if len(form) == 1 and not form[0][0] else None


def split(form: Form) -> tuple[Form, int]:
    """A form without its plain number, and that."""
    return (form[1:], form[0][1]) if form and not form[0][0] else (form, 0)


def collected(terms: Iterable[tuple[Monomial, int]]) -> Form:
    """The form of a sum."""
    sums: dict[Monomial, int] = {}
    for monomial, coefficient in terms:
        sums[monomial] = sums.get(monomial, 0) + coefficient
    found = [term for term in sums.items() if term[1]]
    found.sort()
    return tuple(found)


def add(a: Form, b: Form) -> Form:
    if not a or not b:
        return a or b
    if len(b) == 1 and not b[0][0]:
        rest, number = split(a)
        return (*plain(number + b[0][1]), *rest)
    return collected((*a, *b))


def scale(form: Form, factor: int) -> Form:
    if factor == 1:
        return form
    return tuple([(m, c * factor) for m, c in form]) if factor else ZERO


def subtract(a: Form, b: Form) -> Form:
    return add(a, scale(b, -1)) if a != b else ZERO


def multiply(a: Form, b: Form) -> Form | None:
    """The product, unless it has too many terms."""
    if len(a) * len(b) > _MOST_TERMS:
        return None
    factor = constant(b)
    return _product(a, b) if factor is None else scale(a, factor)


def _product(a: Form, b: Form) -> Form:
    return collected((tuple(sorted(m + n)), c * d) for m, c in a for n, d in b)


def atoms(form: Form) -> set[int]:
    return {a for monomial, _ in form for a in monomial}


def replace(form: Form, number: int, by: Form) -> Form:
    """A form with something else in an atom's place."""
    terms = []
    for term in form:
        monomial, coefficient = term
        if number not in monomial:
            terms.append(term)
            continue
        rest = tuple([a for a in monomial if a != number])
        power = by
        for _ in range(len(monomial) - len(rest) - 1):
            power = _product(power, by)
        terms += [(tuple(sorted(rest + m)) if rest else m, coefficient * c) for m, c in power]
    return collected(terms)


def coefficient_alone(form: Form, number: int) -> int | None:
    """The coefficient of an atom that stands alone in one term and occurs in no other."""
    found = [(monomial, c) for monomial, c in form if number in monomial]
    return found[0][1] if len(found) == 1 and len(found[0][0]) == 1 else None


def common_atoms(form: Form) -> Monomial:
    """The product of atoms that all terms have."""
    shared = list(form[0][0])
    for monomial, _ in form[1:]:
        if not shared:
            break
        rest, left = list(monomial), []
        for a in shared:
            if a in rest:
                rest.remove(a)
                left.append(a)
        shared = left
    return tuple(shared)


def divided(form: Form, by: Monomial, factor: int = 1) -> Form:
    """A form without a product of atoms that all terms have, and a number that divides all."""
    terms = []
    for monomial, coefficient in form:
        rest = list(monomial)
        for a in by:
            rest.remove(a)
        terms.append((tuple(rest), coefficient // factor))
    return tuple(sorted(terms))


def content(form: Form) -> int:
    """The greatest number that divides all coefficients."""
    return math.gcd(*[c for _, c in form])


def is_never_zero(form: Form) -> bool:
    """Whether the plain number is no multiple of what all other terms are multiples of."""
    rest, number = split(form)
    return bool(rest) and number % content(rest) != 0
