"""Objects that are linked without LLVM, and those that are left to it."""

import ctypes
import os
import platform
import subprocess
import sys

import pytest

from rushlight.engine.native import linker, machine, object_cache

understood = pytest.mark.skipif(
    platform.machine() != "x86_64" or sys.platform != "linux",
    reason="LLVM links the objects of other machines",
)

# Constants, a word that is zero, one that is not, functions that are near, and one of the C library.
TEXT = """
@count = global i64 0
@start = global i64 40
declare i64 @strlen(ptr)
@name = constant [6 x i8] c"seven\\00"
@table = constant [2 x ptr] [ptr @count, ptr @start]

define i64 @near(i64 %x) noinline {
  %old = load i64, ptr @count
  %new = add i64 %old, %x
  store i64 %new, ptr @count
  ret i64 %new
}
define i64 @both(i64 %x) {
  %first = call i64 @near(i64 %x)
  %begun = load i64, ptr @start
  %length = call i64 @strlen(ptr @name)
  %some = add i64 %first, %begun
  %all = add i64 %some, %length
  ret i64 %all
}
define double @pi(i64 %x) {
  %some = sitofp i64 %x to double
  %all = fmul double %some, 3.25
  ret double %all
}
define ptr @through() {
  ret ptr @strlen
}
"""
WITHOUT_TABLE = "\n".join(line for line in TEXT.splitlines() if "@table" not in line)


def compiled(text: str) -> bytes:
    compiler = machine._get_compiler()
    return bytes(compiler.emitter.emit_object(compiler.parse(text, machine.PLAIN)))


def function(address: int, result: type = ctypes.c_int64) -> ctypes._CFuncPtr:
    return ctypes.CFUNCTYPE(result, ctypes.c_int64)(address)


@understood
def test_functions_words_and_constants_find_each_other() -> None:
    found = linker.link(compiled(WITHOUT_TABLE))
    assert found is not None and {"count", "start", "near", "both", "pi", "through"} <= {*found}
    both = function(found["both"])
    assert [both(2), both(10)] == [2 + 40 + 5, 12 + 40 + 5]
    assert ctypes.c_int64.from_address(found["count"]).value == 12
    assert function(found["pi"], ctypes.c_double)(2) == 6.5
    strlen = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p)(function(found["through"])(0))
    assert strlen(b"four") == 4


@understood
def test_each_time_an_object_is_linked_it_has_words_of_its_own() -> None:
    first, second = (linker.link(compiled(WITHOUT_TABLE)) for _ in range(2))
    assert first is not None and second is not None
    function(first["near"])(5)
    assert function(second["near"])(1) == 1


def test_what_is_not_understood_is_left_to_llvm() -> None:
    unknown = WITHOUT_TABLE.replace("strlen", "no_such_function")
    for text in (TEXT, "@own = thread_local global i64 0\n" + WITHOUT_TABLE, unknown):
        assert linker.link(compiled(text)) is None
    assert linker.link(b"\x7fELF" + bytes(200)) is None
    found = machine.library(TEXT.replace("@both", "@wide"), ("wide", "table"))
    assert function(found["wide"])(1) == 1 + 40 + 5
    places = (ctypes.c_int64 * 2).from_address(found["table"])
    assert ctypes.c_int64.from_address(places[0]).value == 1


@understood
def test_code_is_never_writable() -> None:
    found = linker.link(compiled(WITHOUT_TABLE))
    assert found is not None
    with open("/proc/self/maps") as file:
        for line in file:
            span, rights = line.split()[:2]
            low, high = (int(word, 16) for word in span.split("-"))
            if low <= found["near"] < high:
                assert rights == "r-xp"
            if low <= found["count"] < high:
                assert rights == "rw-p"


@understood
def test_a_process_that_finds_its_kernels_loads_no_llvm(tmp_path) -> None:  # type: ignore[no-untyped-def]
    program = (
        "import sys, rushlight as torch; a = torch.arange(4.); b = (a @ a + a.sum()).item()\n"
        "print(b, 'llvmlite' in sys.modules)"
    )
    surroundings = {**os.environ, "RUSHLIGHT_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", program], env=surroundings, check=True, capture_output=True,
            text=True,
        ).stdout.split()
        for _ in range(2)
    ]  # fmt: skip
    assert said == [["20.0", "True"], ["20.0", "False"]]


def test_what_is_kept_about_the_machine_is_what_llvm_says() -> None:
    assert machine._facts() == machine._get_compiler().facts
    assert (
        object_cache.load(machine._digest(f"facts of lines|{machine._installation()}")) is not None
    )
