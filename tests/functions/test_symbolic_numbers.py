"""Numbers that may be symbolic."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.engine.core.symbolic import Trace, evaluate


def test_functions_of_plain_numbers() -> None:
    assert repr([torch.sym_max(1, 2.0), torch.sym_max(3, 2.0), torch.sym_min(1, 1.0)]) == (
        "[2.0, 3.0, 1.0]"
    )
    assert [torch.sym_int(2.7), torch.sym_int(-2.7), torch.sym_max(True, 2)] == [2, -2, 2]
    assert repr([torch.sym_float(3), torch.sym_sqrt(4), torch.sym_sum([1, 2.5])]) == (
        "[3.0, 2.0, 3.5]"
    )
    assert torch.sym_not(True) is False
    assert torch.sym_not(0) is True
    assert torch.sym_ite(True, 1, 2) == 1
    with pytest.raises(AssertionError, match="type mismatch"):
        torch.sym_ite(True, 1, 2.0)
    with pytest.raises(AssertionError, match="expected SymBool or bool"):
        torch.sym_ite(1, 1, 2)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="expected"):
        torch.sym_max("a", 1)
    torch.sym_constrain_range(3, min=1, max=4)
    with pytest.raises(RuntimeError, match="Invalid value range for 3"):
        torch.sym_constrain_range(3, min=5)


def test_symbolic_integers_leave_a_program() -> None:
    with Trace([6, 4], [True, True]) as trace:
        a, b = trace.inputs
        assert isinstance(a, torch.SymInt)
        assert not isinstance(3, torch.SymInt)
        total = torch.sym_max(a * b + 1, 10) // 2
        assert total == 12
        assert a > b
    found = evaluate(trace, [9, 5])
    assert found is None  # 46 // 2 is not 12
    assert evaluate(trace, [3, 8]) is None  # 3 is not more than 8
    assert evaluate(trace, [24, 1]) is not None


def test_a_plain_number_of_a_symbolic_one_is_a_guard() -> None:
    with Trace([6], [True]) as trace:
        (a,) = trace.inputs
        assert f"{a}" == "6"
        assert [0, 1, 2, 3, 4, 5, 7][a] == 7
        assert {6: "six"}[a] == "six"
    assert evaluate(trace, [6]) is not None
    assert evaluate(trace, [7]) is None


def test_bits_and_remainders() -> None:
    with Trace([37, 5], [True, True]) as trace:
        a, b = trace.inputs
        assert a.bit_length() == 6
        made = [a % b, -a // b, divmod(a, b), abs(-a), a << 2, a >> 1, 100 - a, 100 // b]
    assert [str(x) for x in made] == ["2", "-8", "(7, 2)", "37", "148", "18", "63", "20"]
    assert evaluate(trace, [63, 5]) is not None
    assert evaluate(trace, [64, 5]) is None
    with pytest.raises(ZeroDivisionError), Trace([1, 0], [True, True]) as trace:
        trace.inputs[0] // trace.inputs[1]
