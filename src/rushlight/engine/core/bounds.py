"""What is known of integer expressions in every run that passes a trace's guards.

`Bounds` holds the ranges of atoms, what guards said of sums, and which inputs equal other expressions.
It decides comparisons, as far as they follow: by intervals, and where these are too wide, by looking
into minima, maxima and quotients.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rushlight.engine.core import polynomials
from rushlight.engine.core.expressions import (
    ANY,
    DIFFERENT,
    EQUAL,
    FLOORDIV,
    LESS,
    MAX,
    MIN,
    Range,
    outcome,
)
from rushlight.engine.core.polynomials import Form

# How many minima, maxima and quotients are looked into: for a guard less, and for what may be left
# as a minimum, which happens more often.
FAR, NEAR = 4, 1
_ZERO: Range = (0, 0)


class Bounds:
    """Facts about atoms and forms.

    Args:
        definition: what an atom is made of: its operation and the forms of its two operands, or None
        is_open_input: whether an atom is an input, which may be replaced by what it equals
    """

    def __init__(
        self,
        definition: Callable[[int], tuple[int, Form, Form] | None],
        is_open_input: Callable[[int], bool],
    ) -> None:
        self._definition, self._is_open_input = definition, is_open_input
        self.ranges: dict[int, Range] = {}
        self._sums: dict[Form, Range] = {}
        self._different: set[Form] = set()
        self._equal: dict[int, Form] = {}

    @contextmanager
    def large(self) -> Iterator[None]:
        """While this lasts, no input that is a size is 0 or 1."""
        before = self.ranges
        self.ranges = {
            a: (max(low, 2), high)
            if 0 <= low < 2 <= high and self._definition(a) is None
            else (low, high)
            for a, (low, high) in before.items()
        }
        try:
            yield
        finally:
            self.ranges = before

    def of(self, form: Form, depth: int = 0) -> Range:
        """Between which numbers a form lies."""
        rest, number = polynomials.split(form)
        low, high = self._interval(rest)
        known = self._sums.get(rest)
        if known is not None:
            low, high = max(low, known[0]), min(high, known[1])
        low, high = low + number, high + number
        return self._narrower(form, (low, high), depth) if depth and low != high else (low, high)

    def _narrower(self, form: Form, known: Range, depth: int) -> Range:
        """A form's range, where one is known, by what its atoms are made of."""
        low, high = self._looked_into(form, depth - 1)
        return max(known[0], low), min(known[1], high)

    def _interval(self, form: Form) -> Range:
        low: float = 0
        high: float = 0
        for monomial, coefficient in form:
            alone = len(monomial) == 1
            least, most = self.ranges[monomial[0]] if alone else self._product(monomial)
            if coefficient < 0:
                least, most = most, least
            low, high = low + coefficient * least, high + coefficient * most
        return low, high

    def _product(self, monomial: polynomials.Monomial) -> Range:
        least, most = self.ranges[monomial[0]]
        for a in monomial[1:]:
            low, high = self.ranges[a]
            if least >= 0 and low >= 0:
                # Sizes, as most atoms are.
                least, most = _times(least, low), _times(most, high)
                continue
            corners = [_times(x, y) for x in (least, most) for y in (low, high)]
            least, most = min(corners), max(corners)
        return least, most

    def _looked_into(self, form: Form, depth: int) -> Range:
        """The range of a form by what its latest atom is made of."""
        for number in sorted(polynomials.atoms(form), reverse=True):
            definition = self._definition(number)
            if definition is None:
                continue
            operation, a, b = definition
            alone = polynomials.coefficient_alone(form, number)
            if operation in (MIN, MAX):
                one, other = (self.of(polynomials.replace(form, number, x), depth) for x in (a, b))
                return _either(one, other, alone, operation)
            divisor = polynomials.constant(b)
            if operation == FLOORDIV and alone is not None and divisor and divisor > 0:
                return self._without_quotient(form, number, alone, a, divisor, depth)
        return self._from_lower_ends(form)

    def _without_quotient(
        self, form: Form, number: int, alone: int, dividend: Form, divisor: int, depth: int
    ) -> Range:
        """The range of a form with ``alone * (dividend // divisor)``.

        The divisor times the quotient lies between the dividend less the largest remainder and the
        dividend.
        """
        others = tuple(term for term in form if term[0] != (number,))
        most = polynomials.add(
            polynomials.scale(others, divisor), polynomials.scale(dividend, alone)
        )
        least = polynomials.add(most, polynomials.plain(-alone * (divisor - 1)))
        if alone < 0:
            least, most = most, least
        return _over((self.of(least, depth)[0], self.of(most, depth)[1]), divisor)

    def _from_lower_ends(self, form: Form) -> Range:
        """The range of a polynomial whose atoms are counted from their least values on."""
        if all(len(monomial) < 2 for monomial, _ in form):
            return ANY
        for number in polynomials.atoms(form):
            low = self.ranges[number][0]
            if math.isinf(low):
                return ANY
            if low:
                by = polynomials.add(polynomials.atom(number), polynomials.plain(int(low)))
                form = polynomials.replace(form, number, by)
        rest, number = polynomials.split(form)
        return (
            number if all(c > 0 for _, c in rest) else -math.inf,
            number if all(c < 0 for _, c in rest) else math.inf,
        )

    def decide(self, operation: int, form: Form, depth: int = FAR) -> bool | None:
        """Whether 0 compares so with a form, if that is clear."""
        form = self._reduced(form)
        known = self.of(form)
        found = outcome(operation, _ZERO, known)
        if found is not None:
            return found
        if operation in (EQUAL, DIFFERENT) and self._is_different(form):
            return operation == DIFFERENT
        return outcome(operation, _ZERO, self._narrower(form, known, depth))

    def _is_different(self, form: Form) -> bool:
        """Whether a form is not 0, though it may be positive and negative."""
        return polynomials.is_never_zero(form) or _normal(form) in self._different

    def _reduced(self, form: Form) -> Form:
        """A form with the same sign, without what is known to equal something else or to be positive."""
        while self._equal and (known := self._equal.keys() & polynomials.atoms(form)):
            for number in known:
                form = polynomials.replace(form, number, self._equal[number])
        if not form:
            return form
        positive = tuple([a for a in polynomials.common_atoms(form) if self.ranges[a][0] > 0])
        factor = polynomials.content(form)
        return polynomials.divided(form, positive, factor) if positive or factor != 1 else form

    def learn(self, operation: int, form: Form, may_narrow: Callable[[int], bool]) -> None:
        """Note that 0 compares so with a form; atoms are narrowed only if they may be.

        Nothing is noted of a form without any such atom: common factors that are left out may have
        been all that the comparison was about.
        """
        form = self._reduced(form)
        if not any(map(may_narrow, polynomials.atoms(form))):
            return
        if operation == DIFFERENT:
            low, high = self.of(form)
            if low != 0 and high != 0:
                self._different.add(_normal(form))
                return
            operation, form = LESS, form if low == 0 else polynomials.scale(form, -1)
        low = 1 if operation == LESS else 0
        self._narrow(form, low, 0 if operation == EQUAL else math.inf, may_narrow)
        if operation == EQUAL:
            self._replace_an_input(form, may_narrow)

    def _narrow(
        self, form: Form, low: float, high: float, may_narrow: Callable[[int], bool]
    ) -> None:
        """Note that a form lies between two numbers."""
        rest, number = polynomials.split(form)
        low, high = low - number, high - number
        self._note_sum(rest, low, high)
        self._note_sum(polynomials.scale(rest, -1), -high, -low)
        for term in rest:
            others = self._interval(tuple(x for x in rest if x is not term))
            left = low - others[1], high - others[0]
            self._narrow_product(term[0], *_over(left, term[1]), may_narrow)

    def _note_sum(self, rest: Form, low: float, high: float) -> None:
        known = self._sums.get(rest, ANY)
        self._sums[rest] = max(low, known[0]), min(high, known[1])

    def _narrow_product(
        self,
        monomial: polynomials.Monomial,
        low: float,
        high: float,
        may_narrow: Callable[[int], bool],
    ) -> None:
        for number in monomial:
            least, most = self.ranges[number]
            if not may_narrow(number):
                continue
            if len(monomial) == 1:
                self.ranges[number] = max(low, least), min(high, most)
            elif low > 0 and all(self.ranges[a][0] >= 0 for a in monomial):
                self.ranges[number] = max(least, 1), most

    def _replace_an_input(self, form: Form, may_narrow: Callable[[int], bool]) -> None:
        """From now on, let something else stand for the latest input of an equation, if it can."""
        for number in sorted(polynomials.atoms(form), reverse=True):
            alone = polynomials.coefficient_alone(form, number)
            if self._is_open_input(number) and may_narrow(number) and alone in (1, -1):
                others = tuple(term for term in form if term[0] != (number,))
                self._equal[number] = polynomials.scale(others, -alone)
                return


def _either(one: Range, other: Range, alone: int | None, operation: int) -> Range:
    """The range of a form by its ranges with either operand of a minimum or maximum in its place."""
    if alone is None:
        return min(one[0], other[0]), max(one[1], other[1])
    choose = max if (operation == MAX) == (alone > 0) else min
    return choose(one[0], other[0]), choose(one[1], other[1])


def _normal(form: Form) -> Form:
    """A form or its opposite: whether they are 0 is one question."""
    return form if form[-1][1] > 0 else polynomials.scale(form, -1)


def _times(x: float, y: float) -> float:
    return 0 if x == 0 or y == 0 else x * y


def _over(x: Range, factor: int) -> Range:
    """The integers whose product with a number is in a range."""
    low, high = x if factor > 0 else (-x[1], -x[0])
    factor = abs(factor)
    return (
        low if math.isinf(low) else -(-low // factor),
        high if math.isinf(high) else high // factor,
    )
