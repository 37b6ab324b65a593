"""Dataclasses, with their code from disk."""

import builtins
import dataclasses
import inspect
import os
import subprocess
import sys
import threading

import pytest

from rushlight.engine.native.records import dataclass

PROGRAM = """
import builtins
texts = []
own = compile
def compile_and_note(source, filename, mode, *args, **kwargs):
    if (filename, mode) == ("<string>", "exec"):
        texts.append(source)
    return own(source, filename, mode, *args, **kwargs)
builtins.compile = compile_and_note
import rushlight
print(len(texts))
"""


@dataclass
class Plain:
    x: int
    y: list = dataclasses.field(default_factory=list)
    z: int = dataclasses.field(default=3, compare=False, repr=False)


@dataclass(frozen=True)
class Frozen:
    x: int


@dataclass(frozen=True, slots=True)
class Narrow(Frozen):
    y: int = 2


def test_they_are_dataclasses():
    made = Plain(1)
    assert repr(made) == "Plain(x=1, y=[])"
    assert made == Plain(1, z=4) and made != Plain(2)
    assert [field.name for field in dataclasses.fields(Plain)] == ["x", "y", "z"]
    assert dataclasses.replace(made, x=5) == Plain(5)
    with pytest.raises(TypeError, match="unhashable"):
        hash(made)


def test_options_are_those_of_dataclasses():
    assert hash(Frozen(1)) == hash(Frozen(1))
    with pytest.raises(dataclasses.FrozenInstanceError):
        Frozen(1).x = 2
    assert repr(Narrow(1)) == "Narrow(x=1, y=2)"
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):

        @dataclass
        class Wrong(Frozen):
            pass


def test_annotations_are_those_of_dataclasses():
    expected = dataclasses.dataclass(type("C", (), {"__annotations__": {"x": int, "y": "int"}}))
    found = dataclass(type("C", (), {"__annotations__": {"x": int, "y": "int"}}))
    assert found.__init__.__annotations__ == expected.__init__.__annotations__
    assert inspect.signature(found) == inspect.signature(expected)


def test_the_module_is_left_as_it_was():
    assert not hasattr(dataclasses, "exec")
    with pytest.raises(ValueError, match="mutable default"):

        @dataclass
        class Wrong:
            x: list = []

    assert not hasattr(dataclasses, "exec")
    assert builtins.exec is exec


def test_threads_make_classes_at_the_same_time():
    made = []

    def make(n):
        for _ in range(20):
            made.append(dataclass(type(f"C{n}", (), {"__annotations__": {f"x{n}": int}}))(n))

    threads = [threading.Thread(target=make, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 160
    assert all(repr(c) == f"C{n}(x{n}={n})" for c in made for n in vars(c).values())


def test_a_second_process_compiles_no_method(tmp_path):
    surroundings = {**os.environ, "RUSHLIGHT_CACHE_DIR": str(tmp_path)}
    counts = [
        int(subprocess.check_output([sys.executable, "-c", PROGRAM], env=surroundings))
        for _ in range(2)
    ]
    assert counts[0] > 20 and counts[1] == 0
