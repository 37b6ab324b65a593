"""Symbolic integers: what a trace leaves holds for all integers that pass its guards."""

from __future__ import annotations

import math
import operator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rushlight.engine.core import symbolic
from rushlight.engine.core.expressions import bits_of
from rushlight.engine.core.symbolic import SymBool, SymFloat, SymInt, Trace, evaluate

SMALL = st.integers(-3, 4)
BINARY = [
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod,
    symbolic.minimum, symbolic.maximum,
]  # fmt: skip
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
STEPS = st.lists(
    st.tuples(st.sampled_from([*BINARY, *COMPARISONS]), st.integers(0, 30), st.integers(0, 30)),
    min_size=1,
    max_size=12,
)


def compute(steps: Any, inputs: Any, numbers: Any) -> tuple[list[Any], list[bool]]:
    """The values of straight-line arithmetic, and how its comparisons end."""
    values, answers = [*inputs, *numbers], []
    for function, a, b in steps:
        x, y = values[a % len(values)], values[b % len(values)]
        if function in COMPARISONS:
            answers.append(bool(function(x, y)))
            continue
        assume(function not in (operator.floordiv, operator.mod) or symbolic.known(y) != 0)
        values.append(function(x, y))
    return values, answers


@given(STEPS, st.tuples(SMALL, SMALL), st.lists(SMALL, min_size=2, max_size=2), st.booleans())
def test_what_passes_the_guards_is_computed_alike(
    steps: Any, inputs: Any, numbers: Any, nonnegative: bool
) -> None:
    if nonnegative:
        inputs = tuple(map(abs, inputs))
    with Trace(inputs, [True, True]) as trace:
        if nonnegative:
            trace.bound(trace.inputs[0], 0)
            trace.bound(trace.inputs[1], 0)
        made, answers = compute(steps, trace.inputs, numbers)
    assert [symbolic.known(x) for x in made] == compute(steps, inputs, numbers)[0]
    for a in range(0 if nonnegative else -3, 5):
        for b in range(0 if nonnegative else -3, 5):
            found = evaluate(trace, [a, b])
            if found is None:
                continue
            expected, others = compute(steps, (a, b), numbers)
            assert [found[x.place] if type(x) is SymInt else x for x in made] == expected
            assert answers == others
            for number, value in enumerate(found):
                low, high = trace.bounds.of(trace.forms[number], 3)
                assert low <= value <= high


def test_simpler_forms() -> None:
    with Trace([6, 4], [True, True]) as trace:
        n, m = trace.inputs
        texts = [
            n + 1 - 1,
            (n + 2) - (n - 3),
            n * 4 // 2,
            n * 6 % 3,
            (n - 1 + 3) * 2,
            n * 0,
            n + m - 2,
        ]
        assert [trace.text(x) for x in texts] == [
            "s0",
            "5",
            "2*s0",
            "0",
            "2*(s0 + 2)",
            "0",
            "s0 + s1 - 2",
        ]
        assert trace.text(symbolic.maximum(n // m, 1)) == "Max((s0//s1), 1)"
        assert trace.text((n - m) % 7) == "PythonMod(s0 - s1, 7)"
    assert not trace.guards


def test_guards_that_follow_from_others_are_left_out() -> None:
    with Trace([6, 4], [True, True]) as trace:
        n, m = trace.inputs
        trace.bound(n, 0)
        assert n >= 0
        assert n > 1
        assert n != 1
        assert n * 2 > 3
        assert m != 4 or n > 0
    assert trace.guard_texts == ["1 < s0", "Eq(s1, 4)"]
    assert trace.range(n)[0] == 2
    assert evaluate(trace, [2, 4]) is not None
    assert evaluate(trace, [1, 4]) is None


def test_a_guard_on_a_found_length_says_nothing_of_inputs() -> None:
    with Trace([6], [True]) as trace:
        (n,) = trace.inputs
        trace.bound(n, 0)
        assert trace.found(3) < n
        assert n > 0
    assert trace.guard_texts == ["u0 < s0", "0 < s0"]


def test_what_a_found_length_has_in_common_with_both_sides_says_nothing_of_inputs() -> None:
    with Trace([4, 6], [True, True]) as trace:
        n, m = trace.inputs
        length = trace.found(3)
        assert length > 0
        assert length * n < length * m
        assert length * n != length * (m + 1)
        assert n < m
        assert n != m + 1
    assert "s0 < s1" in trace.guard_texts


def test_a_trace_that_defers_asks_when_somebody_wants_to_know() -> None:
    with Trace([6, 4], [True, True], defers=True) as trace:
        n, m = trace.inputs
        longer = n > m
        both = longer & (m == 4) | ~(n <= 2)
        assert type(longer) is type(both) is SymBool
        half = n / 2 + 1
        assert type(half) is SymFloat
        assert not trace.guards
        assert f"{n + 1}; {longer}; {half}" == "s0 + 1; s1 < s0; s0/2 + 1"
        assert repr(both) == "((s1 < s0) & (Eq(s1, 4))) | (~(s0 <= 2))"
        assert longer
        assert trace.guard_texts == ["s1 < s0"]
        assert not (m > n) & (n == 6)
        assert trace.guard_texts == ["s1 < s0"]
        assert half.sqrt() == 2.0
    assert trace.guard_texts == ["s1 < s0", "Eq(s0, 6)"]
    assert evaluate(trace, [6, 5]) is not None
    assert evaluate(trace, [7, 5]) is None


def test_symbolic_floats_are_numbers() -> None:
    with Trace([6], [True], defers=True) as trace:
        (n,) = trace.inputs
        values = [1 / n, (n / 4) ** 2, 3 - n / 2, -(n / 3), 2 * (n / 6), n / 2 / 2]
        texts = [str(x) for x in values]
    assert texts == ["1/s0", "(s0/4)**2", "3 - s0/2", "-(s0/3)", "2*(s0/6)", "(s0/2)/2"]
    assert [float(x) for x in values] == [1 / 6, 2.25, 0.0, -2.0, 2.0, 1.5]
    assert (values[1] > 2, values[1] <= 2.0) == (True, False)
    with pytest.raises(TypeError):
        values[0] + "a"


FLOATS = st.floats(-8, 8) | st.sampled_from([0.0, -0.0, 0.5, 3.0, 1e300])
OF_FLOATS = [operator.add, operator.sub, operator.mul, operator.truediv]
FLOAT_STEPS = st.lists(
    st.tuples(
        st.sampled_from([*OF_FLOATS, *COMPARISONS, math.ceil, math.floor, operator.neg]),
        st.integers(0, 30),
        st.integers(0, 30),
    ),
    min_size=1,
    max_size=8,
)


def compute_floats(steps: Any, inputs: Any) -> tuple[list[Any], list[bool]]:
    """The same as `compute` of floats and integers."""
    values, answers = [*inputs, 2.5, 3], []
    for function, a, b in steps:
        x, y = values[a % len(values)], values[b % len(values)]
        if function in (math.ceil, math.floor, operator.neg):
            plain = symbolic.known(x)
            assume(function is operator.neg or abs(plain) < 1 << 40)
            values.append(function(x))
        elif function in COMPARISONS:
            answers.append(bool(function(x, y)))
        else:
            assume(function is not operator.truediv or symbolic.known(y) != 0)
            values.append(function(x, y))
            assume(abs(symbolic.known(values[-1])) < 1 << 40)
    return values, answers


def bits_in_trace(trace: Trace, x: Any) -> int | None:
    """Where a trace has a float or an integer, if it is symbolic."""
    if type(x) is SymFloat:
        return trace.float_word(x).place
    return x.place if type(x) is SymInt else None


@given(FLOAT_STEPS, FLOATS, FLOATS, st.lists(st.tuples(FLOATS, FLOATS, SMALL), max_size=6))
def test_floats_are_computed_alike_where_guards_hold(
    steps: Any, one: float, two: float, others: Any
) -> None:
    words = [bits_of(one), bits_of(two), 4]
    with Trace(words, [True, True, True]) as trace:
        first, second, whole = trace.inputs
        symbols = trace.float_of(first), trace.float_of(second), whole
        made, answers = compute_floats(steps, symbols)
        places = [bits_in_trace(trace, x) for x in made]
    assert [symbolic.known(x) for x in made] == compute_floats(steps, (one, two, 4))[0]
    for a, b, n in others:
        found = evaluate(trace, [bits_of(a), bits_of(b), n])
        if found is None:
            continue
        expected, ends = compute_floats(steps, (a, b, n))
        assert ends == answers
        for place, value in zip(places, expected, strict=True):
            if place is not None:
                assert found[place] == (bits_of(value) if type(value) is float else value)


def test_comparisons_of_floats_are_guards_of_a_planner() -> None:
    with Trace([bits_of(1.5), 4], [True, True]) as trace:
        rate, n = trace.float_of(trace.inputs[0]), trace.inputs[1]
        assert rate * n > 5
        assert math.ceil(rate * n).value == 6
    assert trace.guard_texts == ["Eq((5.0 < s0*float(s1)), 1)"]
    assert evaluate(trace, [bits_of(2.0), 3]) is not None
    assert evaluate(trace, [bits_of(1.0), 3]) is None
    assert not trace.fixes_sizes


def test_what_holds_for_all_words_is_no_guard() -> None:
    with Trace([6], [True]) as trace:
        (n,) = trace.inputs
        trace.bound(n, 1)
        assert -(1 << 63) <= n < 1 << 64
        assert n * n <= (1 << 63) - 1, "a program refuses larger factors"
    assert not trace.guards
