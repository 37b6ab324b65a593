"""Code of texts, kept from process to process."""

import os
import subprocess
import sys

import pytest

from rushlight.engine.native import code_cache, object_cache

PROGRAM = """
import builtins
texts = []
own = compile
def compile_and_note(source, filename, *args, **kwargs):
    if str(filename).startswith("<rushlight "):
        texts.append(filename)
    return own(source, filename, *args, **kwargs)
builtins.compile = compile_and_note
import rushlight as torch
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU())
model(torch.ones(2, 4)).sum().backward()
print(len(texts))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache of a process that has asked for nothing."""
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path))
    begin_anew(monkeypatch)
    yield tmp_path
    code_cache._kept.cache_clear()


def begin_anew(monkeypatch):
    monkeypatch.setattr(code_cache, "_asked", set())
    monkeypatch.setattr(code_cache, "_new", {})
    code_cache._kept.cache_clear()


def texts_compiled() -> int:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, env=os.environ
    )
    return int(done.stdout)


def test_a_second_process_compiles_no_text(folder):
    first = texts_compiled()
    assert first > 20
    assert texts_compiled() == 0


def test_a_damaged_file_is_written_anew(folder):
    first = texts_compiled()
    (place,) = [p for p in folder.glob("*/*.o") if p.stem == code_cache._file()]
    place.write_bytes(place.read_bytes()[:-1])
    assert texts_compiled() == first
    assert texts_compiled() == 0


def value_of(text: str) -> object:
    names: dict[str, object] = {}
    exec(code_cache.compiled(text, "<rushlight a test>"), names)
    return names["x"]


def test_texts_of_others_stay(folder, monkeypatch):
    assert value_of("x = 1") == 1
    # Another process writes after this one has read, and before it writes.
    mine = dict(code_cache._new)
    begin_anew(monkeypatch)
    assert value_of("x = 2") == 2
    code_cache._write()
    code_cache._new.update(mine)
    code_cache._write()
    assert len(code_cache._read()) == 2


def test_the_oldest_texts_go_where_there_are_too_many(folder, monkeypatch):
    monkeypatch.setattr(code_cache, "_MOST_BYTES", 1000)
    for n in range(30):
        begin_anew(monkeypatch)
        assert value_of(f"x = {n}") == n
        code_cache._write()
    kept = code_cache._read()
    assert 0 < sum(map(len, kept.values())) <= 1000
    begin_anew(monkeypatch)
    assert value_of("x = 29") == 29
    assert not code_cache._new
    assert value_of("x = 0") == 0
    assert code_cache._new


def test_what_a_process_asks_for_stays(folder, monkeypatch):
    monkeypatch.setattr(code_cache, "_MOST_BYTES", 0)
    for n in range(5):
        value_of(f"x = {n}")
    code_cache._write()
    assert len(code_cache._read()) == 5


def test_assertions_are_there_unless_python_leaves_them_out(folder):
    program = """
from rushlight.engine.native import code_cache
names = {}
exec(code_cache.compiled("def f(x): assert x", "<rushlight a test>"), names)
try:
    names["f"](0)
    print("nothing")
except AssertionError:
    print("raised")
"""
    for options, said in ((), "raised"), (("-O",), "nothing"), ((), "raised"), (("-O",), "nothing"):
        told = subprocess.check_output([sys.executable, *options, "-c", program], text=True)
        assert told.strip() == said


def test_where_nothing_may_be_kept_texts_are_compiled(folder, monkeypatch):
    monkeypatch.setattr(object_cache, "store", lambda *args: None)
    assert value_of("x = 3") == 3
    code_cache._write()
    assert value_of("x = 3") == 3


def test_an_error_in_a_text_names_it():
    with pytest.raises(SyntaxError) as caught:
        code_cache.compiled("x = = 1", "<rushlight wrong>")
    assert caught.value.filename == "<rushlight wrong>"
