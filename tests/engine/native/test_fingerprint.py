"""Modules of the kernel language are told apart by what their functions say and mean."""

import pytest

from rushlight.engine.native import machine
from rushlight.engine.native.lowlevel import Module, Part, Words, load

STEP = 3


class FIELD:
    at = 8


def identity(*functions):
    module = Module("told_apart")
    return Part(module, [module.function(function) for function in functions]).identity()


def plain(a: int) -> int:
    return load(a + FIELD.at) + STEP


def test_the_same_functions_have_one_identity():
    assert identity(plain) == identity(plain)


@pytest.mark.parametrize(("name", "value"), [("STEP", 4), ("STEP", 3.0)])
def test_a_constant_is_part_of_it(monkeypatch, name, value):
    before = identity(plain)
    monkeypatch.setitem(globals(), name, value)
    assert identity(plain) != before


def test_an_attribute_is_part_of_it(monkeypatch):
    before = identity(plain)
    monkeypatch.setattr(FIELD, "at", 16)
    assert identity(plain) != before


def test_code_and_types_are_part_of_it():
    def other(a: int) -> int:
        return load(a + FIELD.at) - STEP

    def wide(a: float) -> int:
        return load(1 + FIELD.at) + STEP

    other.__name__ = wide.__name__ = "plain"
    assert len({identity(plain), identity(other), identity(wide)}) == 3


def test_the_order_of_shared_words_is_part_of_it():
    first, second = Words("count"), Words("other", "count")

    def making(words):
        def read(a: int) -> int:
            return words.count + a

        return read

    assert identity(making(first)) != identity(making(second))


def test_what_is_on_disk_is_not_translated_again(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path))
    texts = []

    def text() -> str:
        texts.append("define i64 @told() { ret i64 7 }")
        return texts[-1]

    for _ in range(2):
        machine.library(text, ("told",), identity="told by a test")
        machine._addresses.clear()
    assert len(texts) == 1
