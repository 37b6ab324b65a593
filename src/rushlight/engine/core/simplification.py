"""The normal form of what arithmetic makes of two integers of a trace.

Sums and products have one by themselves. A minimum is one of its operands where it is known which is
smaller, and quotients and rests by numbers are brought to a dividend that starts with a positive
coefficient and ends with a number below the divisor, so that ``-(-n // 2)`` and ``(n - 1) // 2 + 1``
are one. What has no simpler form is an atom.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rushlight.engine.core import polynomials
from rushlight.engine.core.bounds import NEAR
from rushlight.engine.core.expressions import (
    ADD,
    AT_MOST,
    DIFFERENT,
    FLOORDIV,
    MAX,
    MIN,
    MOD,
    MUL,
    SUB,
)
from rushlight.engine.core.polynomials import Form

if TYPE_CHECKING:
    from rushlight.engine.core.symbolic import Trace


def form_of(trace: Trace, operation: int, a: Form, b: Form) -> Form | None:
    """The normal form of a step of arithmetic; None if it is an atom of its own."""
    if operation == ADD:
        return polynomials.add(a, b)
    if operation == SUB:
        return polynomials.subtract(a, b)
    if operation == MUL:
        return polynomials.multiply(a, b)
    if operation in (MIN, MAX):
        return _one_of(trace, operation, a, b)
    divisor = polynomials.constant(b)
    if divisor is None or divisor < 0:
        return _without_factor(trace, operation, a, b)
    return _rest(trace, a, divisor) if operation == MOD else _quotient(trace, a, divisor)


def _one_of(trace: Trace, operation: int, a: Form, b: Form) -> Form | None:
    """The operand that is always the smaller or larger one."""
    if trace.bounds.decide(AT_MOST, polynomials.subtract(a, b), NEAR):
        return a if operation == MAX else b
    if trace.bounds.decide(AT_MOST, polynomials.subtract(b, a), NEAR):
        return b if operation == MAX else a
    return None


def _without_factor(trace: Trace, operation: int, dividend: Form, divisor: Form) -> Form | None:
    """A quotient or rest by a product that all terms of the dividend have."""
    (factors, factor), *others = divisor
    if others or not all(
        coefficient % factor == 0 and all(m.count(a) >= factors.count(a) for a in factors)
        for m, coefficient in dividend
    ):
        return None
    trace.guard(DIFFERENT, trace.built(divisor), 0)
    return polynomials.ZERO if operation == MOD else polynomials.divided(dividend, factors, factor)


def _quotient(trace: Trace, dividend: Form, divisor: int) -> Form:
    """A quotient by a positive number."""
    shared = math.gcd(divisor, polynomials.content(dividend))
    dividend, divisor = polynomials.divided(dividend, (), shared), divisor // shared
    whole = polynomials.collected(
        (m, c // divisor) for m, c in dividend if not m or c % divisor == 0
    )
    rest = polynomials.collected((m, c if m else c % divisor) for m, c in dividend if c % divisor)
    low, high = trace.bounds.of(rest)
    if low >= 0 and high < divisor:
        return whole
    sign = 1
    if rest[-1][1] < 0:
        # floor(x / d) is -floor((d - 1 - x) / d)
        sign = -1
        rest = polynomials.subtract(polynomials.plain(divisor - 1), rest)
    inner = _quotient_of_quotient(trace, rest, divisor)
    if inner is None:
        top = trace.built(rest)
        node = (FLOORDIV, top.place, trace.node(divisor))
        inner = trace.form(trace.made(node, top.value // divisor))
    return polynomials.add(whole, polynomials.scale(inner, sign))


def _quotient_of_quotient(trace: Trace, dividend: Form, divisor: int) -> Form | None:
    """``(x // e + k) // d`` as ``(x + k * e) // (e * d)``."""
    terms, more = polynomials.split(dividend)
    if len(terms) != 1 or len(terms[0][0]) != 1 or terms[0][1] != 1:
        return None
    operation, *operands = trace.nodes[terms[0][0][0]]
    if operation != FLOORDIV:
        return None
    inner, by = (trace.forms[n] for n in operands)
    first = polynomials.constant(by)
    if first is None or first < 0:
        return None
    return _quotient(
        trace, polynomials.add(inner, polynomials.plain(more * first)), first * divisor
    )


def _rest(trace: Trace, dividend: Form, divisor: int) -> Form | None:
    """A rest of a division by a positive number."""
    rest = polynomials.collected(
        (m, c - int(c / divisor) * divisor if m else c % divisor) for m, c in dividend
    )
    low, high = trace.bounds.of(rest)
    if low >= 0 and high < divisor:
        return rest
    if rest == dividend:
        return None
    top = trace.built(rest)
    return trace.form(trace.made((MOD, top.place, trace.node(divisor)), top.value % divisor))
