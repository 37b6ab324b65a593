"""The language of the run-time system."""

import ctypes
import inspect

import pytest

from rushlight.engine.native import machine
from rushlight.engine.native.lowlevel import (
    Module,
    Words,
    atomic_add,
    extern,
    invoke,
    leading_zeros,
    load,
    load8,
    load_float,
    stack,
    store,
    store_float,
    swap_if,
    to_float,
)

module = Module("probe")
shared = Words("count", "limit")
FACTOR = 3


@module.function
def gauss(n: int) -> int:
    total = 0
    for k in range(1, n + 1):
        total += k
    return total


@module.function
def collatz(n: int) -> int:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else FACTOR * n + 1
        steps += 1
        if steps >= 1000:
            break
    return steps


@module.function
def odd_sum(n: int) -> int:
    total = 0
    for k in range(n):
        if k % 2 == 0:
            continue
        total += k
    return total


@module.function
def logic(a: int, b: int) -> int:
    if (a > 0 and b > 0) or not a != b:
        return 1
    elif a < b:
        return 2
    else:
        return 3


@module.function
def halves(a: int, b: float) -> float:
    return to_float(a) / 2.0 + b * 0.5


@module.function
def memory(address: int) -> int:
    scratch = stack(2)
    store(scratch, load(address) + 1)
    store(address + 8, load(scratch) << 4)
    return load8(address)


@module.function
def atoms(address: int) -> int:
    atomic_add(address, 5)
    first = swap_if(address, 5, 9)
    second = swap_if(address, 5, 11)
    return first * 10 + second


@module.function
def counting(step: int) -> int:
    shared.count += step
    return shared.limit - shared.count


@module.function
def through_pointer(function: int, n: int) -> int:
    return invoke(function, n)


@module.function
def zeros(n: int) -> int:
    return leading_zeros(n)


def call(function, *arguments):
    kinds = {"int": ctypes.c_int64, "float": ctypes.c_double}
    parameters = [kinds[kind] for _, kind in function.parameters]
    prototype = ctypes.CFUNCTYPE(kinds[function.result], *parameters)
    return prototype(module.address(function))(*arguments)


def test_loops():
    assert [call(gauss, n) for n in (0, 1, 10)] == [0, 1, 55]
    assert call(collatz, 27) == 111
    assert call(odd_sum, 10) == 25


def test_decisions():
    assert [call(logic, *pair) for pair in ((1, 1), (0, 0), (-1, 5), (5, -1))] == [1, 1, 2, 3]


def test_numbers():
    assert call(halves, 7, 3.0) == 5.0
    assert call(gauss, 1 << 20) == (1 << 20) * ((1 << 20) + 1) // 2
    assert call(zeros, 1) == 63


def test_memory():
    words = (ctypes.c_int64 * 2)(300, 0)
    assert call(memory, ctypes.addressof(words)) == 300 & 0xFF
    assert words[1] == 301 << 4
    words[0] = 0
    assert call(atoms, ctypes.addressof(words)) == 10 and words[0] == 9


def test_shared_words():
    shared.count, shared.limit = 1, 100
    assert call(counting, 4) == 95 and shared.count == 5
    with pytest.raises(AttributeError):
        shared.missing  # noqa: B018


def test_calls_through_pointers():
    assert call(through_pointer, module.address(gauss), 4) == 10


root_single = extern("sqrtf", "float32", "float32")


@module.function
def root_in_single_precision(numbers: int) -> int:
    store_float(numbers + 8, root_single(load_float(numbers)))
    return 0


def test_functions_of_single_precision():
    numbers = (ctypes.c_double * 2)(2.0, 0.0)
    call(root_in_single_precision, ctypes.addressof(numbers))
    assert numbers[1] == ctypes.c_float(2**0.5).value


def test_what_cannot_be_translated_is_refused():
    other = Module("wrong")

    @other.function
    def broken(n: int) -> int:
        return [n]

    line = inspect.getsourcelines(broken.source)[1] + 2
    with pytest.raises(SyntaxError, match=rf"^broken, line {line}: .*: \[n\]$"):
        other.address(broken)
    with pytest.raises(TypeError, match="compiled code"):
        gauss(3)


def test_functions_are_read_from_where_they_are_written():
    """Between others, with a margin, brackets at the margin and lines that are empty."""
    written = Module("written")
    after = 5

    @written.function
    def first(
        a: int,
        b: int,
    ) -> int:
        # a comment

        return a + (
            b
        )  # fmt: skip

    between = 7

    @written.function
    def second(a: int) -> int: return a + between  # fmt: skip

    def call_here(function, *arguments):
        return ctypes.CFUNCTYPE(*[ctypes.c_int64] * (len(arguments) + 1))(
            written.address(function)
        )(*arguments)

    assert call_here(first, after, 2) == 7 and call_here(second, 3) == 10


FILE = """
class Holder:
    def first(
        a: int,
    ) -> int:
        a += 1
# a comment at the margin

        return a + (
            between
        )
    between = 7

    def second(a: int) -> int: return a + 1
    def third(a: int) -> int:
        return [a]
both = (
)
"""


def test_lines_of_other_things_are_no_part_of_a_function(tmp_path):
    path = tmp_path / "functions.py"
    path.write_text(FILE)
    names = {"between": 5}
    exec(compile(FILE, str(path), "exec"), names)
    written = Module("from_file")
    held = vars(names["Holder"])
    first, second, third = (written.function(held[n]) for n in ("first", "second", "third"))
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
    assert prototype(written.address(first))(2) == 8
    assert prototype(written.address(second))(2) == 3
    with pytest.raises(SyntaxError, match=r"third, line 16: "):
        written.address(third)


class Parts:
    """A module of which two functions are entries, two are not, and two are called by others."""

    def __init__(self):
        self.module = module = Module("parts")

        @module.function
        def twice(n: int) -> int:
            return n + n

        @module.function
        def thrice(n: int) -> int:
            return n + twice(n)

        @module.entry
        def one(n: int) -> int:
            return twice(n) + 1

        @module.entry
        def two(n: int) -> int:
            return one(n) + 1

        @module.function
        def apart(n: int) -> int:
            return thrice(n) + 100

        @module.function
        def never(n: int) -> int:
            return [n]

        self.one, self.two, self.apart, self.never = one, two, apart, never

    def call(self, function, n):
        return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(self.module.address(function))(n)


@pytest.fixture
def compiled(monkeypatch):
    """The texts that are asked for, and the names in them that others can see."""
    made = []
    library = machine.library

    def noted(ir, names, *rest, **others):
        made.append((ir(), names))
        return library(ir, names, *rest, **others)

    monkeypatch.setattr(machine, "library", noted)
    return made


def test_entries_are_one_object(compiled):
    parts = Parts()
    assert [parts.call(parts.two, 3), parts.call(parts.one, 3)] == [8, 7]
    ((text, names),) = compiled
    assert names == ("parts__one", "parts__two")
    assert "thrice" not in text and "apart" not in text
    assert "define internal i64 @parts__twice(" in text and "define i64 @parts__one(" in text


def test_other_functions_are_objects_of_their_own(compiled):
    parts = Parts()
    assert parts.call(parts.apart, 2) == 106
    assert [parts.call(f, 2) for f in (parts.apart, parts.one)] == [106, 5]
    assert [names for _, names in compiled] == [("parts__apart",), ("parts__one", "parts__two")]
    assert "parts__one" not in compiled[0][0]


def test_entries_that_come_late_are_compiled_without_those_that_are_there(compiled):
    parts = Parts()
    parts.call(parts.one, 1)

    @parts.module.entry
    def late(n: int) -> int:
        return n - 1

    assert parts.call(late, 9) == 8 and compiled[1][1] == ("parts__late",)
