"""Programs of guards: what each instruction takes, and what becomes of results and errors."""

from __future__ import annotations

import collections
import types

import pytest

import rushlight as torch
from rushlight.engine.core import guard_programs as programs
from rushlight.engine.core.guard_programs import ANOTHER_WAY, Held, Program, ProgramOwner
from rushlight.engine.native import heap_types
from rushlight.engine.native.python_functions import FUNCTION

pytestmark = pytest.mark.skipif(
    not heap_types.supported(), reason="generated code does not touch objects here"
)


def failed(error: Exception) -> None:
    raise error


def owner_of(program: Program, function=lambda *given: given, parts=((programs.ITEM, 0),)):
    """Calls a function with the only argument, and gives its first item."""
    program.complete(function, [0], parts, False, failed)
    owner = ProgramOwner()
    owner.show(program)
    return owner


def takes(kind, operand, *, find=None, where=None) -> ProgramOwner:
    """A program that tests its argument, or what is found in it."""
    program = Program(1)
    slot = 0 if find is None else program.find(find, 0, where)
    program.test(kind, slot, operand)
    return owner_of(program)


def is_taken(owner: ProgramOwner, value: object) -> bool:
    found = owner.call(value)
    assert found is value or found is ANOTHER_WAY
    return found is value


class Table(dict):
    pass


class Odd(dict):
    def __bool__(self):
        return False


marker = object()


@pytest.mark.parametrize(
    ("owner", "good", "bad"),
    [
        (lambda: takes(programs.is_that, Held(marker)), [marker], [object(), None]),
        (lambda: takes(programs.is_of_type, Held(int)), [1, 1 << 90], [True, 1.0, "1"]),
        (lambda: takes(programs.is_equal, Held(1 << 90)), [1 << 90], [1, "x", float(1 << 90)]),
        (lambda: takes(programs.is_equal, Held("ä")), ["ä", chr(228)], ["a", b"x", 3, None]),
        (
            lambda: takes(programs.has_length, 2),
            [(1, 2), [1, 2], {1: 1, 2: 2}, {1, 2}],
            [(), [1], {}, set(), "ab", None],
        ),
        (
            lambda: takes(programs.is_false, 0),
            [False, None, (), [], {}, set(), collections.OrderedDict(), Table()],
            [True, 0, "", (0,), object(), Table(a=1), Odd(), int],
        ),
        (
            lambda: takes(programs.is_float, Held(-0.0)),
            [-0.0, float("-0")],
            [0.0, 0, 1.5, None, "x"],
        ),
        (lambda: takes(programs.is_float, Held(float("nan"))), [float("nan")], [1.0, None]),
        (
            lambda: takes(programs.has_keys, Held(("a", "ä"))),
            [{"a": 1, chr(228): 2}],
            [{"ä": 2, "a": 1}, {"a": 1}, {"a": 1, "b": 2}, {"a": 1, 3: 2}, {}, ("a", "ä"), None],
        ),
        (lambda: takes(programs.lacks_key, Held("a")), [{}, {"b": 1}], [{"a": None}, (), None]),
        (
            lambda: takes(programs.has_length, 1, find=programs.take_attributes, where=0),
            [types.SimpleNamespace(a=1)],
            [types.SimpleNamespace()],
        ),
        (
            lambda: takes(programs.is_that, Held(marker), find=programs.take_item, where=1),
            [(0, marker), [0, marker, 2]],
            [(marker,), [], (0, 1), {1: marker}, "xy", None],
        ),
        (
            lambda: takes(programs.is_that, Held(marker), find=programs.take_value, where=Held("k")),
            [{"k": marker}],
            [{}, {"k": None}, (marker,), None],
        ),
        (
            lambda: takes(programs.is_that, Held(None), find=programs.take_field, where=FUNCTION.defaults),
            [lambda a: a],
            [lambda a=1: a, len, None],
        ),
    ],
)  # fmt: skip
def test_what_a_test_takes(owner, good, bad):
    program = owner()
    assert all(is_taken(program, value) for value in good)
    assert not any(is_taken(program, value) for value in bad)


def test_cells_are_looked_into():
    cell = types.CellType(marker)
    owner = takes(programs.is_that, Held(marker), find=programs.take_contents, where=0)
    assert is_taken(owner, cell)
    cell.cell_contents = None
    assert not is_taken(owner, cell)
    del cell.cell_contents
    assert not is_taken(owner, cell) and not is_taken(owner, marker)


def test_distinct_objects():
    program = Program(3)
    program.distinct([0, 1, 2])
    owner = owner_of(program)
    a, b, c = object(), object(), object()
    assert owner.call(a, b, c) is a
    assert owner.call(a, b, a) is owner.call(a, a, c) is owner.call(a, b, b) is ANOTHER_WAY
    assert owner.call(a, b) is owner.call(a, b, c, c) is ANOTHER_WAY


def test_recording_and_attributes():
    program = Program(1)
    program.test(programs.is_recording, 0, 1)
    program.test(programs.has_no_attributes, 0)
    owner = owner_of(program)
    x, y = torch.ones(2), torch.ones(2)
    y.note = 1
    assert owner.call(x) is x and owner.call(y) is ANOTHER_WAY
    with torch.no_grad():
        assert owner.call(x) is ANOTHER_WAY


def test_errors_are_raised_by_the_program():
    class Wrapped(Exception):
        pass

    def fails(value):
        raise value

    def raised(error):
        raise Wrapped(str(error)) from None

    program = Program(1)
    program.complete(fails, [0], [(programs.ITEM, 0)], False, raised)
    owner = ProgramOwner()
    owner.show(program)
    with pytest.raises(Wrapped, match="it"):
        owner.call(ValueError("it"))
    with pytest.raises(KeyboardInterrupt):
        owner.call(KeyboardInterrupt())


def test_results_that_have_no_such_item():
    owner = owner_of(Program(1), lambda *given: ())
    with pytest.raises(IndexError):
        owner.call(1)
    owner = owner_of(Program(1), lambda *given: [3, 4], parts=((programs.ITEM, 1),))
    assert owner.call(1) == 4


def test_without_a_program_there_is_another_way():
    owner = owner_of(Program(1))
    assert owner.call(1) == 1
    owner.show(None)
    assert owner.call(1) is ANOTHER_WAY
    assert ProgramOwner().call(1) is ANOTHER_WAY
