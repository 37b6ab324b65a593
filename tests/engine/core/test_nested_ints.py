"""Nested integers equal themselves only, and have no number."""

import pytest

import rushlight as torch
from rushlight.engine.core.nested_ints import ints, is_nested, parts_of
from rushlight.fx.experimental.symbolic_shapes import is_nested_int


def test_equality_and_multiples():
    a, b = ints.new(), ints.new()
    assert a == a and a != b and a != 5
    assert a * 3 == 3 * a and a * 3 != a * 2 and a * 1 == a
    assert str(a * 3) == f"3*{a}" and parts_of(a * 3) == (parts_of(a)[0], 3)
    assert isinstance(a, torch.SymInt) and is_nested(a) and is_nested_int(a)
    assert not is_nested_int(3)


def test_they_are_kept_in_sizes():
    a = ints.new()
    assert torch.Size([2, a, 3]) is torch.Size((2, a, 3))
    assert {a: 1}[a * 1] == 1 and hash(a) == hash(a * 1)
    assert repr(torch.Size([2, a])) == f"torch.Size([2, {a}])"


def test_comparisons_that_have_an_answer():
    a = ints.new()
    assert a >= 2 and a > 1 and not a < 2 and not a <= 1
    assert a * 3 >= a * 2 and not a * 2 > a * 2 and a <= a


@pytest.mark.parametrize("question", [lambda a, b: a > 2, lambda a, b: a < 5, lambda a, b: a <= b])
def test_other_comparisons_have_none(question):
    with pytest.raises(ValueError, match="relation is indeterminate"):
        question(ints.new(), ints.new())


def test_there_is_no_number():
    a = ints.new()
    with pytest.raises(AttributeError):
        int(a)
    for wrong in (lambda: a + 1, lambda: a * a, lambda: a // 2, lambda: 1 - a):
        with pytest.raises(ValueError, match="multiples only"):
            wrong()


def test_what_the_node_tells():
    node = (ints.new() * 2).node
    assert node.is_nested_int() and node.nested_int_coeff() == 2 and not node.is_symbolic()
